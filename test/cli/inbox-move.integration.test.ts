import { describe, expect, it } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox, InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { createEntry } from '../contracts/create-entry.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { describeWithService } from '../contracts/service.ts'
import { settled } from '../contracts/settled.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { payhook } from './payhook.ts'
import { SERVERS, TEST_ENGINES, TEST_INBOXES } from './test-inboxes.ts'

/** A part of the URL, and what else may stand there. */
const ANOTHER_URL = {
  sqlite: ['sqlite:', 'sqlite:/.'],
  redis: ['127.0.0.1', 'localhost'],
  postgres: ['127.0.0.1', 'localhost'],
} as const

/** Each engine is the source once, and the target once. */
const PAIRS = [
  ['sqlite', 'redis'],
  ['redis', 'postgres'],
  ['postgres', 'sqlite'],
] as const

const STATES: readonly InboxState[] = ['waiting', 'completed', 'dead']

/** Entries in all states, three with each body, as some arrive again after the window. */
const ENTRIES = Array.from({ length: 150 }, (_, index) => {
  const state = STATES[index % 3] as InboxState
  const signed = createSigned(index % 50)
  return createEntry(`${index}`, state, signed, {
    receivedAt: signed.receivedAt,
    attempts: state === 'waiting' ? 0 : 1 + (index % 19),
    error: state === 'dead' ? `Error: failure ${index}` : null,
    dueAt: null,
  })
})

/** What a move keeps of each entry, sorted. */
async function readAll(inbox: Inbox): Promise<string[]> {
  const kept = ({ state, signature, receivedAt, rawBody, attempts, error }: InboxEntry) =>
    [state, signature, receivedAt.getTime(), Buffer.from(rawBody).toString('hex'), attempts, error].join(' ')
  return (await Array.fromAsync(inbox.entries(), kept)).sort()
}

const total = ({ waiting, active, completed, dead }: Record<InboxState, number>) =>
  waiting + active + completed + dead

for (const [from, to] of PAIRS) {
  const servers = [...SERVERS[from], ...SERVERS[to]]
  await describeWithService(`payhook inbox move from ${from} to ${to}`, servers, () => {
    it('moves all entries', async () => {
      const [source, target] = [TEST_INBOXES[from](), TEST_INBOXES[to]()]
      const opened = await source.open()
      await engineOf(opened).import(ENTRIES)
      const before = await readAll(opened)
      expect(await payhook(['inbox', 'move', source.url, target.url])).toMatchObject({ code: 0 })
      expect(await readAll(await target.open())).toEqual(before)
      expect(total(await opened.counts())).toBe(0)
    })
  })
}

for (const engine of TEST_ENGINES) {
  await describeWithService(`payhook inbox move with ${engine}`, SERVERS[engine], () => {
    it('moves while the application of the target is running, which handles only what waits', async () => {
      const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES[engine]()]
      const entries = ENTRIES.slice(0, 60)
      await engineOf(await source.open()).import(entries)
      const running = await target.open({ maxAttempts: 1 })
      const consumer = createConsumer()
      await running.start(consumer)
      expect(await payhook(['inbox', 'move', source.url, target.url])).toMatchObject({ code: 0 })
      await settled(running, { completed: 40, dead: 20 })
      const waiting = entries.filter(({ state }) => state === 'waiting')
      expect(consumer.deliveries.map(({ signature }) => signature).sort()).toEqual(
        waiting.map(({ signature }) => signature).sort(),
      )
      expect(consumer.deaths).toEqual([])
    })

    it('exits 2 for the same inbox under another URL', async () => {
      const [part, other] = ANOTHER_URL[engine]
      const { open, url } = TEST_INBOXES[engine]()
      const inbox = await open()
      await inbox.put(createSigned(1))
      const outcome = await payhook(['inbox', 'move', url, url.replace(part, other)])
      expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('same inbox') })
      expect(total(await inbox.counts())).toBe(1)
    })
  })
}

describe('payhook inbox move', () => {
  it('shows a bar on a terminal', async () => {
    const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES.sqlite()]
    await engineOf(await source.open()).import(ENTRIES.slice(0, 10))
    expect(await payhook(['inbox', 'move', source.url, target.url], { columns: 80 })).toEqual({
      code: 0,
      stdout: '10 moved\n',
      stderr: expect.stringMatching(/█\S* 10\/10/),
    })
  })

  it('warns if another process has the file open', async () => {
    const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES.sqlite()]
    const inbox = await source.open()
    await inbox.put(createSigned(1))
    const first = await payhook(['inbox', 'move', source.url, target.url])
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('has the inbox open') })
    await inbox.close()
    const back = await payhook(['inbox', 'move', target.url, source.url])
    expect(back).toEqual({ code: 0, stdout: '1 moved\n', stderr: '' })
  })

  it('warns if there is no inbox to move to, since a receiver may have another schema', async () => {
    const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES.sqlite()]
    const inbox = await source.open()
    await inbox.put(createSigned(1))
    await inbox.close()
    const outcome = await payhook(['inbox', 'move', source.url, target.url])
    expect(outcome).toEqual({
      code: 0,
      stdout: '1 moved\n',
      stderr: expect.stringContaining('There is no inbox to move to'),
    })
  })

  it('exits 1 and moves nothing while an entry is being handled', async () => {
    const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES.sqlite()]
    const inbox = await source.open()
    await inbox.put(createSigned(1))
    const { promise: handled, resolve: finish } = Promise.withResolvers<void>()
    await inbox.start(createConsumer(() => handled))
    await settled(inbox, { active: 1 })
    const outcome = await payhook(['inbox', 'move', source.url, target.url])
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('being handled') })
    finish()
    expect(await payhook(['inbox', 'counts', target.url])).toMatchObject({ code: 1 })
  })

  it('exits 1 if there is no inbox to move from, and 2 for the same inbox twice', async () => {
    const [source, target] = [TEST_INBOXES.sqlite(), TEST_INBOXES.sqlite()]
    expect(await payhook(['inbox', 'move', source.url, target.url])).toMatchObject({ code: 1, stdout: '' })
    expect(await payhook(['inbox', 'move', source.url, source.url])).toMatchObject({ code: 2, stdout: '' })
  })
})
