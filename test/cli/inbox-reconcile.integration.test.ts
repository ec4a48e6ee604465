import { describe, expect, it } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { parse } from '../../src/parse.ts'
import { describeWithService } from '../contracts/service.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { CLIENT_ID, payhook, payhookJson } from './payhook.ts'
import { spawnPayhook } from './payhook-process.ts'
import { describeOnEngines, openSqlite, SERVERS, TEST_INBOXES } from './test-inboxes.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const KEPT = ['--keep-completed', '7d']
const lineOf = (id: number | string, more = '') =>
  `{"kind":"${KIND}","data":{"id":${id},"status":"Complete"${more}}}\n`

const toFile = (text: string) => temporaryFile('list.ndjson', text)

/** Looks again at once. */
const reconcile = (url: string, from: string, ...more: string[]) =>
  payhook(['inbox', 'reconcile', url, '--from', from, '--grace', '0s', ...more])

async function reconciled(inbox: Inbox) {
  const entries = await Array.fromAsync(inbox.entries())
  return entries.filter(({ source }) => source === 'reconcile')
}

await describeOnEngines('payhook inbox reconcile', (createPlace) => {
  it('stores what is missing, with every digit', async () => {
    const { url, open } = createPlace()
    const inbox = await open()
    await inbox.put(createSigned(1))
    const amount = ',"amount":{"number":12345678901234567.89,"currency":"USD"},"note":"\u2028"'
    const list = `${lineOf(1)}\r\n${lineOf('9223372036854775807', amount)}${lineOf('9007199254740994')}`
    const args = ['inbox', 'reconcile', url, '--from', '-', '--grace', '10ms', ...KEPT]
    const stdout = [{ version: 1, dryRun: false, checked: 3, missed: 2, recovered: 2 }]
    expect(await payhookJson(args, { stdin: list })).toEqual({ code: 0, stdout, stderr: [] })
    const entries = await reconciled(inbox)
    const subjects = ['payment:9007199254740994', 'payment:9223372036854775807']
    expect(entries.map(({ subject }) => subject).toSorted()).toEqual(subjects)
    const entry = entries.find(({ subject }) => subject === subjects[1])
    expect(entry?.clientId).toBe(CLIENT_ID)
    expect(parse(entry?.rawBody ?? '')).toMatchObject({
      data: { id: '9223372036854775807', amount: { number: '12345678901234567.89' }, note: '\u2028' },
    })
    const second = await payhook(args, { stdin: list })
    expect(second).toEqual({ code: 0, stdout: '3 checked, 0 missed, 0 recovered\n', stderr: '' })
  })
})

describe('payhook inbox reconcile', () => {
  it('names what is missing in a dry run, and stores nothing', async () => {
    const { url, inbox } = await openSqlite()
    expect(await reconcile(url, toFile(lineOf(1)), '--dry-run')).toEqual({
      code: 0,
      stdout: '1 checked, 1 missed\n',
      stderr: `missing: ${KIND} 1 Complete\n`,
    })
    expect(await reconciled(inbox)).toEqual([])
  })

  it('shows on a terminal how far it is', async () => {
    const { url } = await openSqlite()
    const args = ['inbox', 'reconcile', url, '--from', toFile(lineOf(1)), '--grace', '0s']
    expect(await payhook(args, { columns: 80 })).toEqual({
      code: 0,
      stdout: '1 checked, 1 missed, 1 recovered\n',
      stderr: expect.stringMatching(/checked 1, 1 a second.*stored 1, 1 a second/s),
    })
  })

  it.each([
    ['is not JSON', '{"kind":\n', 'Line 3 is not JSON.'],
    [
      'has no status',
      `{"kind":"${KIND}","data":{"id":3}}\n`,
      'Line 3 would not be recognized: status is required',
    ],
  ])('exits 1 at a line that %s, with its number', async (_, bad, message) => {
    const { url, inbox } = await openSqlite()
    const { code, stdout, stderr } = await reconcile(url, toFile(`${lineOf(1)}\n${bad}${lineOf(2)}`))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('1 that were missing are stored. Run it again to continue.')
    expect(await reconciled(inbox)).toHaveLength(1)
  })

  it('exits 1 for a file that does not exist', async () => {
    const { url } = await openSqlite()
    const { code, stderr } = await reconcile(url, 'no.ndjson')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'payhook: Cannot read no.ndjson: no such file.\n' })
  })

  it('can be killed while it waits, and run again', async () => {
    const { url, inbox } = await openSqlite()
    const from = toFile(lineOf(1))
    const waiting = spawnPayhook(['inbox', 'reconcile', url, '--from', from, '--grace', '1h'], {
      columns: 80,
    })
    await waitFor(() => waiting.stdout().includes('looking again'))
    await waiting.stop('SIGKILL')
    expect(await reconciled(inbox)).toEqual([])
    expect((await reconcile(url, from)).stdout).toBe('1 checked, 1 missed, 1 recovered\n')
  })
})

for (const [engine, more] of [
  ['sqlite', ['--since', '8d']],
  ['redis', []],
] as const) {
  await describeWithService(`payhook inbox reconcile on ${engine}`, SERVERS[engine], () => {
    it('exits 2 if it does not keep what the list goes back to', async () => {
      const { url, open } = TEST_INBOXES[engine]()
      const inbox = await open()
      await inbox.put(createSigned(1))
      const stderr = expect.stringMatching(/--since must be within the.*--keep-completed/s)
      expect(await reconcile(url, toFile(lineOf(2)), ...more)).toMatchObject({ code: 2, stderr })
      expect(await reconciled(inbox)).toEqual([])
    })
  })
}
