import { describe, expect, it } from 'vitest'
import { RetryAfterError } from '../../src/index.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { settled } from '../contracts/settled.ts'
import { createSigned, signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { jsonLinesOf, payhook } from './payhook.ts'
import { describeOnEngines, openSqlite, TEST_INBOXES, type TestInbox } from './test-inboxes.ts'

const BYTES = Buffer.from([0xff, 0x00, 0x0a, 0x7b])

/** One entry that is dead, of bytes that are not JSON, and two that are completed. */
async function openInbox(makeInbox: () => TestInbox) {
  const { url, open } = makeInbox()
  const inbox = await open({ maxAttempts: 1 })
  for (const notification of [createSigned(1), createSigned(2), signedFrom(BYTES)])
    await inbox.put(notification)
  await inbox.start(
    createConsumer(({ rawBody }) => {
      if (rawBody[0] === BYTES[0]) throw new Error('cannot read\nthis')
    }),
  )
  await settled(inbox, { completed: 2, dead: 1 })
  await inbox.stop()
  const [dead] = await inbox.list({ state: 'dead' })
  return { url, inbox, deadId: dead?.id ?? '' }
}

await describeOnEngines('payhook inbox', (makeInbox) => {
  it('lists, shows and replays entries', async () => {
    const { url, inbox, deadId } = await openInbox(makeInbox)
    const all = await payhook(['inbox', 'list', url])
    expect(all.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(`^${deadId} +dead +unreadable +- +- +1 attempt +\\S+ +.*cannot read this$`),
      ),
      expect.stringContaining('completed'),
      expect.stringContaining('completed'),
    ])
    const first = await payhook(['inbox', 'list', url, '--limit', '1'])
    expect(first.stderr).toBe('1 of 3; --limit prints more.\n')
    const listed = await payhook(['inbox', 'list', url, '--state', 'completed', '--limit', '1', '--json'])
    expect(JSON.parse(listed.stderr)).toEqual({ version: 1, warning: '1 of 2; --limit prints more.' })
    expect(jsonLinesOf(listed)).toEqual([
      expect.objectContaining({
        version: 1,
        state: 'completed',
        kind: 'INBOUND_PAYMENT_STATUS_UPDATED',
        attempts: 1,
      }),
    ])
    const shown = await payhook(['inbox', 'show', url, deadId, '--json'])
    expect(jsonLinesOf(shown)).toMatchObject([
      { id: deadId, body: null, bodyBase64: BYTES.toString('base64') },
    ])
    expect((await payhook(['inbox', 'show', url, deadId])).stdout).toContain('cannot read\nthis')

    expect(await payhook(['inbox', 'replay', url, deadId])).toMatchObject({ code: 0, stdout: '1 replayed\n' })
    expect(await inbox.counts()).toMatchObject({ waiting: 1, dead: 0 })
    const nothing = await payhook(['inbox', 'replay', url, '--all', '--json'])
    expect(jsonLinesOf(nothing)).toEqual([{ version: 1, dryRun: false, replayed: 0 }])
    expect(await payhook(['inbox', 'replay', url, 'no-such-id'])).toMatchObject({ code: 1 })
  })
})

describe('payhook inbox', () => {
  it('lists what is about a subject in the order of arrival, with or without a state', async () => {
    const { url, inbox } = await openSqlite({ maxAttempts: 1 })
    const list = async (...args: string[]) =>
      jsonLinesOf(await payhook(['inbox', 'list', url, '--subject', 'payment:48121', '--json', ...args]))
    const kinds = ['INBOUND', 'OUTBOUND', 'INBOUND'].map((side) => `${side}_PAYMENT_STATUS_UPDATED`)
    for (const [index, kind] of kinds.entries()) {
      const body = JSON.stringify({ type: kind, data: { id: 48121, index, status: 'Sent' } })
      await inbox.put({ ...signedFrom(Buffer.from(body)), receivedAt: new Date(Date.now() + index) })
    }
    await inbox.put(createSigned(48122))
    await inbox.start(
      createConsumer(({ rawBody }) => {
        if (Buffer.from(rawBody).includes('OUTBOUND')) throw new Error('no')
      }),
    )
    await settled(inbox, { completed: 3, dead: 1 })
    const all = await list()
    expect(all.map(({ state }) => state)).toEqual(['completed', 'dead', 'completed'])
    expect(all[0]).toMatchObject({
      subject: 'payment:48121',
      source: 'service',
      highlights: { id: '48121', status: 'Sent' },
      idempotencyKey: expect.any(String),
    })
    expect(await list('--state', 'dead')).toEqual([all[1]])
    const shown = await payhook(['inbox', 'show', url, all[1].id])
    expect(shown.stdout).toMatch(/^subject +payment:48121$/m)
    const table = await payhook(['inbox', 'list', url, '--subject', 'payment:48121', '--limit', '2'])
    expect(table.stdout).toContain('  payment:48121  Sent  ')
    expect(table.stderr).toBe('The first 2; --limit prints more.\n')
  })

  it('shows what waits on purpose, until when and why', async () => {
    const { url, inbox } = await openSqlite()
    await inbox.put(createSigned(1))
    const notYet = new RetryAfterError('no order yet', { afterMs: 3_600_000 })
    await inbox.start(createConsumer(() => Promise.reject(notYet)))
    await waitFor(async () => (await inbox.list())[0]?.error)
    await inbox.stop()
    const [entry] = await inbox.list()
    const until = entry?.dueAt?.toISOString()
    const { stdout } = await payhook(['inbox', 'list', url])
    expect(stdout).toMatch(/ waiting .* 0 attempts .*: RetryAfterError: no order yet$/m)
    expect(stdout).toContain(` until ${until}: `)
  })

  it('bounds a kind of any length, also in a pipe', async () => {
    const { url, inbox } = await openSqlite()
    await inbox.put(signedFrom(Buffer.from(JSON.stringify({ type: 'K'.repeat(900_000), data: {} }))))
    const { code, stdout } = await payhook(['inbox', 'list', url])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`${'K'.repeat(199)}…  -  `) })
    expect(stdout.length).toBeLessThan(400)
  })

  it('says what it replayed before an id that does not exist', async () => {
    const { url, inbox, deadId } = await openInbox(TEST_INBOXES.sqlite)
    expect(await payhook(['inbox', 'replay', url, deadId, '4711', deadId])).toMatchObject({
      code: 1,
      stdout: '1 replayed\n',
      stderr: expect.stringContaining('4711'),
    })
    expect(await inbox.counts()).toMatchObject({ waiting: 1, dead: 0 })
  })

  it('deletes an entry after a yes', async () => {
    const { url, inbox, deadId } = await openInbox(TEST_INBOXES.sqlite)
    const args = ['inbox', 'delete', url, deadId]
    expect(await payhook(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
    expect(await payhook([...args, '--yes'])).toMatchObject({ code: 0, stdout: '1 deleted\n' })
    expect(await inbox.get(deadId)).toBeUndefined()
    expect(await payhook([...args, '--yes'])).toMatchObject({ code: 1, stdout: '' })
  })

  it('deletes what is about a subject', async () => {
    const { url, inbox } = await openInbox(TEST_INBOXES.sqlite)
    const args = ['inbox', 'delete', url, '--subject', 'payment:1']
    expect(await payhook(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
    expect(await payhook([...args, '--yes'])).toMatchObject({ code: 0, stdout: '1 deleted\n' })
    expect(await payhook([...args, '--yes'])).toEqual({ code: 0, stdout: '', stderr: 'No entries.\n' })
    expect(await payhook([...args, '17', '--yes'])).toMatchObject({ code: 2, stdout: '' })
    expect(await inbox.counts()).toMatchObject({ completed: 1, dead: 1 })
  })

  it('prunes after a yes in a terminal, changes nothing after a no, and exits 2 in a pipe', async () => {
    const { url, inbox } = await openInbox(TEST_INBOXES.sqlite)
    const args = ['inbox', 'prune', url, '--older-than', '0s']
    expect(await payhook(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
    expect(await inbox.counts()).toMatchObject({ completed: 2, dead: 1 })
    const declined = await payhook(args, { columns: 80, stdin: 'n\n' })
    expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed.') })
    expect(await inbox.counts()).toMatchObject({ completed: 2, dead: 1 })
    const accepted = await payhook(args, { columns: 80, stdin: 'y\n' })
    expect(accepted).toMatchObject({ code: 0, stdout: '2 deleted\n' })
    const dead = await payhook([...args, '--state', 'dead', '--yes', '--json'])
    expect(jsonLinesOf(dead)).toEqual([{ version: 1, pruned: 1 }])
    expect(await inbox.counts()).toMatchObject({ completed: 0, dead: 0 })
  })

  it('shows the data of an entry on many lines, or its exact bytes', async () => {
    const { url, inbox } = await openSqlite()
    const text = '{"type":"X","data":"{\\"status\\":\\"ü\\"}"}\r\n'
    await inbox.put(signedFrom(Buffer.from(text)))
    const [id = ''] = (await payhook(['inbox', 'list', url])).stdout.split(' ')
    expect((await payhook(['inbox', 'show', url, id])).stdout).toMatch(/^ {4}"status": "ü"$/m)
    const shown = await payhook(['inbox', 'show', url, id, '--body'])
    expect(shown).toEqual({ code: 0, stdout: text, stderr: '' })
  })

  it.each([
    [['--state', 'dead'], 'No entries.\n'],
    [['--subject', '48121'], 'No entries. A subject looks like payment:48121.\n'],
  ])('says that a list is empty: %j', async (args, stderr) => {
    const { url } = await openSqlite()
    expect(await payhook(['inbox', 'list', url, ...args])).toEqual({ code: 0, stdout: '', stderr })
  })
})
