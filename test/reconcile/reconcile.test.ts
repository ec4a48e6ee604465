import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Inbox, InboxEntry } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import {
  createReceiver,
  type InboxNotification,
  type ReconcileItem,
  type ReconcileOptions,
  reconcile,
  verifyAndParse,
} from '../../src/index.ts'
import type { ReconcileInbox } from '../../src/reconcile/reconcile.ts'
import { hmac } from '../contracts/hmac.ts'
import { settled } from '../contracts/settled.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const clientId = 'payhook-demo-client'
const OUTBOUND = 'OUTBOUND_PAYMENT_STATUS_UPDATED'
const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const ACCOUNT = 'ACCOUNT_STATUS_UPDATED'
const INVOICE = 'INBOUND_INVOICE_STATUS_UPDATED'
const payment = (id: number, status: string) => ({ kind: INBOUND, data: { id, status } })
const SENT = payment(1, 'Sent')
const flags = (paymentReady: boolean) => ({ id: 710021, paymentReady, verified: true })

function openInbox(options: InboxOptions = {}, folder = temporaryFolder()): Inbox {
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db'), ...options })
  onTestFinished(() => inbox.close())
  return inbox
}

/** Stores what the service sent, a long time ago unless a time is given. */
async function arrive(
  inbox: Inbox,
  kind: string,
  data: object,
  given: Partial<InboxNotification> = {},
): Promise<void> {
  const body = Buffer.from(JSON.stringify({ type: kind, data: JSON.stringify(data) }))
  await inbox.put({ ...signedFrom(body), receivedAt: new Date(0), ...given })
}

/** An inbox without entries. */
const empty = (put: () => Promise<'stored'>): ReconcileInbox => ({
  keepCompletedSeconds: 86_400,
  async *entries() {},
  put,
})

async function run(inbox: Inbox, list: unknown[], options: Partial<ReconcileOptions> = {}) {
  return await reconcile({ inbox, clientId, list: list as ReconcileItem[], graceMs: 0, ...options })
}

function statusesOf(entries: readonly InboxEntry[]): string[] {
  return entries.map(({ rawBody }) => JSON.parse(JSON.parse(Buffer.from(rawBody).toString()).data).status)
}

it('stores what never came, as a signed notification with every digit, and only once', async () => {
  const inbox = openInbox()
  const id = '9223372036854775807'
  const data = {
    id,
    status: 'Complete',
    amount: { number: '12345678901234567.89', currency: 'USD' },
    extra: [1],
  }
  const list = [{ kind: INBOUND, data }]
  expect(await run(inbox, list)).toEqual({ checked: 1, missed: 1, recovered: 1 })
  const [entry] = (await inbox.list()) as [InboxEntry]
  expect(entry).toMatchObject({ subject: `payment:${id}`, source: 'reconcile', clientId, state: 'waiting' })
  expect(entry.signature).toBe(hmac(entry.rawBody, clientId))
  const event = verifyAndParse({ body: entry.rawBody, signature: entry.signature, clientId })
  expect(event).toEqual({ type: INBOUND, data })
  expect(await run(inbox, list)).toEqual({ checked: 1, missed: 0, recovered: 0 })
})

it.each([
  ['the same status', INBOUND, { id: 1, status: 'Sent' }],
  ['an id as text', INBOUND, { id: '1', status: 'Sent' }],
  ['the other direction', OUTBOUND, { id: 1, status: 'Sent' }],
  ['the earlier form', 'PAYMENT_STATUS_UPDATED', { id: 1, status: 'Sent' }],
  ['data that does not fit its kind', INBOUND, { id: 1, status: 'Sent', amount: 'much' }],
])('does not miss what came with %s', async (_, kind, data) => {
  const inbox = openInbox()
  await arrive(inbox, kind, data)
  await arrive(inbox, INBOUND, { id: 1, status: 'Complete' })
  expect(await run(inbox, [SENT])).toMatchObject({ missed: 0 })
})

it('misses another status, another payment, and an invoice with the id of a payment', async () => {
  const inbox = openInbox()
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' })
  const list = [payment(1, 'Complete'), payment(2, 'Sent'), { ...SENT, kind: INVOICE }]
  expect(await run(inbox, list)).toEqual({ checked: 3, missed: 3, recovered: 3 })
})

it('misses a payment between two tenants for each of them', async () => {
  const inbox = openInbox()
  const list = (kind: string) => [{ ...payment(1, 'Complete'), kind }]
  const payer = { clientId: 'the-payer' }
  expect(await run(inbox, list(INBOUND))).toMatchObject({ missed: 1, recovered: 1 })
  expect(await run(inbox, list(OUTBOUND), payer)).toMatchObject({ missed: 1, recovered: 1 })
  expect(await run(inbox, list(OUTBOUND), payer)).toMatchObject({ missed: 0 })
  expect((await inbox.list()).map((entry) => entry.clientId)).toEqual([clientId, 'the-payer'])
})

it('does not miss what came for a former client id', async () => {
  const inbox = openInbox()
  await arrive(inbox, INBOUND, SENT.data, { clientId: 'former' })
  expect(await run(inbox, [SENT])).toMatchObject({ missed: 0 })
})

it('misses what is dead, as it was not handled, and stores it once more and no more', async () => {
  const inbox = openInbox({ maxAttempts: 1 })
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' })
  const receiver = createReceiver({ clientId, inbox, logger: { warn() {}, error() {} } })
  receiver.on(INBOUND, () => {
    throw new Error('it fails')
  })
  await receiver.start()
  await settled(inbox, { dead: 1 })
  expect(await run(inbox, [SENT])).toEqual({ checked: 1, missed: 1, recovered: 1 })
  await settled(inbox, { dead: 2 })
  expect(await run(inbox, [SENT])).toEqual({ checked: 1, missed: 1, recovered: 0 })
})

it('gives what comes back another key than before, though the inbox has deleted it', async () => {
  const inbox = openInbox({ dedupeSeconds: 0 })
  const keys: string[] = []
  const receiver = createReceiver({ clientId, callbackToken: false, inbox })
  receiver.onAny((_event, { idempotencyKey }) => void keys.push(String(idempotencyKey)))
  await receiver.start()
  for (const updatedAt of [new Date(), new Date(Date.now() + 1)]) {
    const account = { kind: 'ACCOUNT_STATUS_UPDATED', data: flags(true), updatedAt }
    expect(await run(inbox, [account])).toMatchObject({ recovered: 1 })
    await settled(inbox, { completed: 1 })
    await inbox.prune({ olderThan: new Date(Date.now() + 60_000) })
  }
  expect(new Set(keys).size).toBe(2)
})

it.each([
  ['a text', (time: Date) => time.toISOString()],
  ['a text with an offset', (time: Date) => time.toISOString().replace('Z', '+00:00')],
  ['a Date', (time: Date) => time],
])('skips what changed before "since", given as %s', async (_, toUpdatedAt) => {
  const inbox = openInbox()
  const since = new Date(Date.now() - 3_600_000)
  const list = [-1, 0, 1].map((offset, index) => ({
    ...payment(index + 1, 'Complete'),
    updatedAt: toUpdatedAt(new Date(since.getTime() + offset)),
  }))
  expect(await run(inbox, list, { since })).toEqual({ checked: 2, missed: 2, recovered: 2 })
  const entries = await inbox.list()
  expect(entries.map(({ subject }) => subject).sort()).toEqual(['payment:2', 'payment:3'])
})

it('skips what changed more than a day ago by default', async () => {
  const list = [{ ...SENT, updatedAt: '2026-01-01T00:00:00Z' }]
  expect(await run(openInbox(), list)).toEqual({ checked: 0, missed: 0, recovered: 0 })
})

it('compares an account with the last that came about it', async () => {
  const inbox = openInbox()
  const ready = flags(true)
  const list = [{ kind: ACCOUNT, data: ready }]
  await arrive(inbox, ACCOUNT, { id: 710021, isPaymentReady: true, isVerified: true })
  expect(await run(inbox, list)).toMatchObject({ missed: 0 })
  await arrive(inbox, ACCOUNT, { ...ready, paymentReady: false })
  expect(await run(inbox, list)).toMatchObject({ missed: 1, recovered: 1 })
  expect(await run(inbox, list)).toMatchObject({ missed: 0 })
})

it('compares an account with the last that came, although it was stored before others were moved here', async () => {
  const inbox = openInbox()
  await arrive(inbox, ACCOUNT, flags(true), { receivedAt: new Date(2) })
  await arrive(inbox, ACCOUNT, flags(false), { receivedAt: new Date(1) })
  expect(await run(inbox, [{ kind: ACCOUNT, data: flags(true) }])).toMatchObject({ missed: 0 })
  expect(await run(inbox, [{ kind: ACCOUNT, data: flags(false) }])).toMatchObject({ missed: 1 })
})

it('recovers the same flags of an account again after others came', async () => {
  const inbox = openInbox({ dedupeSeconds: 0 })
  for (const round of [1, 2]) {
    await arrive(inbox, ACCOUNT, { ...flags(false), round }, { receivedAt: new Date() })
    const list = [{ kind: ACCOUNT, data: flags(true) }]
    expect(await run(inbox, list)).toMatchObject({ missed: 1, recovered: 1 })
  }
  expect(await inbox.list()).toHaveLength(4)
})

it('stores nothing in a dry run, and names what is missing', async () => {
  const inbox = openInbox()
  const missing: ReconcileItem[] = []
  const list = [1, 2].map((id) => payment(id, 'Sent'))
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' })
  const result = await run(inbox, list, { dryRun: true, onMissed: (item) => missing.push(item) })
  expect(result).toEqual({ checked: 2, missed: 1, recovered: 0 })
  expect(missing).toEqual([list[1]])
  expect(await inbox.list()).toHaveLength(1)
})

it('leaves what changed within the time of grace for the next run', async () => {
  const inbox = openInbox()
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' }, { receivedAt: new Date() })
  const list = [payment(1, 'Complete')]
  expect(await run(inbox, list, { graceMs: 60_000 })).toEqual({ checked: 1, missed: 0, recovered: 0 })
  await waitFor(async () => (await run(inbox, list, { graceMs: 20 })).recovered === 1)
})

it.each([
  ['itself', 'Sent', {}],
  ['with a later status', 'Complete', {}],
  ['with a later status that no handler could handle', 'Complete', { state: 'dead' }],
] as const)('does not store what arrives %s while it waits', async (_, status, fields) => {
  const inbox = openInbox()
  const looked = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let looks = 0
  const watched: Inbox = {
    ...inbox,
    async *entries(options) {
      if (++looks === 2) await arrived.promise
      try {
        for await (const entry of inbox.entries(options)) yield { ...entry, ...fields }
      } finally {
        if (looks === 1) looked.resolve()
      }
    },
  }
  const running = run(watched, [SENT], { graceMs: 20 })
  await looked.promise
  await arrive(inbox, INBOUND, { id: 1, status }, { receivedAt: new Date() })
  arrived.resolve()
  expect(await running).toEqual({ checked: 1, missed: 0, recovered: 0 })
})

it('misses what came after a notification whose machine had a clock that was years ahead', async () => {
  const inbox = openInbox()
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' }, { receivedAt: new Date(Date.now() + 1e11) })
  expect(await run(inbox, [payment(1, 'Complete')])).toEqual({ checked: 1, missed: 1, recovered: 1 })
})

it('looks again only after the time of grace', async () => {
  const inbox = openInbox()
  const looks: number[] = []
  const watched: Inbox = {
    ...inbox,
    entries(options) {
      looks.push(performance.now())
      return inbox.entries(options)
    },
  }
  const started = performance.now()
  await run(watched, [SENT], { graceMs: 300 })
  // A millisecond less, as times are rounded. Of the first look, only its beginning counts.
  expect(looks).toEqual([expect.any(Number), expect.any(Number)])
  expect((looks[1] ?? 0) - started).toBeGreaterThan(298)
})

it('stores once what is in the list twice', async () => {
  const inbox = openInbox({ dedupeSeconds: 0 })
  const list = [INBOUND, OUTBOUND].map((kind) => ({ kind, data: { id: 1, status: 'Sent' } }))
  expect(await run(inbox, list, { graceMs: 20 })).toEqual({ checked: 2, missed: 2, recovered: 1 })
})

it('stores each item once in two runs at the same time, whatever the order of fields', async () => {
  const folder = temporaryFolder()
  const inboxes = [1, 2].map(() => openInbox({ dedupeSeconds: 0, keepCompletedSeconds: 604_800 }, folder))
  const arrived = [1, 2, 3].map((id) => ({ id, status: 'Sent' }))
  for (const data of arrived) await arrive(inboxes[0] as Inbox, INBOUND, data)
  const ids = Array.from({ length: 100 }, (_, index) => index + 1)
  const list = ids.map((id) => payment(id, 'Complete'))
  const swapped = ids.map((id) => ({ kind: INBOUND, data: { status: 'Complete', id } }))
  const runs = await Promise.all(
    inboxes.map((inbox, index) => run(inbox, index === 0 ? list : swapped, { graceMs: 300 })),
  )
  const recovered = runs.map((result) => result.recovered)
  expect(Number(recovered[0]) + Number(recovered[1])).toBe(100)
  expect(await inboxes[0]?.counts()).toMatchObject({ waiting: 103 })
  const [, entry] = (await inboxes[0]?.list({ subject: 'payment:1' })) ?? []
  expect(entry).toMatchObject({ source: 'reconcile' })
})

it('stores missing items together', async () => {
  const list = Array.from({ length: 50 }, (_, index) => payment(index + 1, 'Sent'))
  const all = Promise.withResolvers<void>()
  let puts = 0
  const inbox = empty(async () => {
    puts += 1
    if (puts === list.length) all.resolve()
    await all.promise
    return 'stored'
  })
  expect(await reconcile({ inbox, clientId, list, graceMs: 0 })).toMatchObject({ recovered: 50 })
})

it.each([
  ['throws', () => JSON.parse('no JSON')],
  ['rejects', async () => JSON.parse('no JSON')],
])('goes on if onMissed %s, and warns once', async (_, onMissed) => {
  const inbox = openInbox()
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warned.mockRestore())
  const list = [1, 2].map((id) => payment(id, 'Sent'))
  expect(await run(inbox, list, { onMissed })).toEqual({ checked: 2, missed: 2, recovered: 2 })
  expect(warned).toHaveBeenCalledTimes(1)
  expect(warned.mock.calls[0]?.[0]).toMatch(/^the "onMissed" option of reconcile failed/)
})

it('does not read further than it can hold', async () => {
  let read = 0
  function* list() {
    while (read < 50_000) yield payment(++read, 'Sent')
  }
  const { promise: stored, resolve } = Promise.withResolvers<number>()
  const inbox = empty(async () => {
    resolve(read)
    throw new Error('enough')
  })
  const failure = reconcile({ inbox, clientId, list: list(), graceMs: 3_000 }).catch(String)
  expect(await stored).toBeLessThanOrEqual(10_001)
  expect(await failure).toBe('Error: enough')
})

it.each([
  ['no kind', {}, 'must be { kind, data }, with a string as kind'],
  ['an unknown kind', { kind: 'NEW', data: { id: 1 } }, 'would not be recognized: type is a kind'],
  [
    'a kind without a subject',
    { kind: 'VBA_TRANSACTION', data: { id: 1 } },
    'is of a kind without a subject',
  ],
  ['no status', { kind: INBOUND, data: { id: 1 } }, 'would not be recognized: status is required'],
  ['no data', { kind: INBOUND }, 'would not be recognized: data'],
  ['a time without a zone', { ...SENT, updatedAt: '2026-11-23T10:00:00' }, 'must have a valid Date'],
  ['an invalid time', { ...SENT, updatedAt: '2026-13-23T10:00:00Z' }, 'must have a valid Date'],
  ['a time as a number', { ...SENT, updatedAt: 1_795_000_000 }, 'must have a valid Date'],
  ['a bigint', { kind: INBOUND, data: { id: 1n } }, 'must have JSON as data'],
  ['a rounded id', { kind: INBOUND, data: { id: 2 ** 53, status: 'Sent' } }, 'with all digits'],
])('rejects an item with %s, and stores what came before', async (_, item, message) => {
  const inbox = openInbox()
  const list = [SENT, item]
  const failure = await run(inbox, list, { graceMs: 20 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(TypeError)
  expect(String(failure)).toContain('Item 2 of "list" ')
  expect(String(failure)).toContain(message)
  expect(statusesOf(await inbox.list())).toEqual(['Sent'])
})

it('rejects with the error of the list, after what came before is stored', async () => {
  const inbox = openInbox()
  async function* list() {
    yield SENT
    throw new Error('page 2 failed')
  }
  await expect(reconcile({ inbox, clientId, list: list(), graceMs: 20 })).rejects.toThrow('page 2 failed')
  expect(await inbox.list()).toHaveLength(1)
})

it('leaves what the inbox may have deleted while the list was read, and warns', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => void vi.useRealTimers())
  onTestFinished(() => warned.mockRestore())
  const dayAgo = Date.now() - 86_400_000
  async function* list() {
    vi.advanceTimersByTime(60_000)
    yield { ...SENT, updatedAt: new Date(dayAgo - 1) }
    expect(warned).not.toHaveBeenCalled()
    yield { ...SENT, updatedAt: new Date(dayAgo) }
    yield { ...payment(2, 'Sent'), updatedAt: new Date(dayAgo + 60_000) }
    yield payment(3, 'Sent')
  }
  const stored = vi.fn(async () => 'stored' as const)
  const result = await reconcile({ inbox: empty(stored), clientId, list: list(), graceMs: 0 })
  expect(result).toEqual({ checked: 2, missed: 2, recovered: 2 })
  expect(warned.mock.calls[0]?.[0]).toMatch(/^reconcile skipped .*raise "keepCompletedSeconds"/)
})

it('rejects with an InboxError if the inbox is unavailable', async () => {
  const inbox = openInbox()
  await inbox.close()
  await expect(run(inbox, [SENT])).rejects.toMatchObject({ code: 'inbox_unavailable' })
})

it.each([
  ['a day ago by default', 3_600, undefined],
  ['a given time', 3_600, new Date(Date.now() - 7_200_000)],
  ['nothing is kept', 0, new Date(Date.now() - 1_000)],
])(
  'stores nothing if the list goes back further than what is kept: %s',
  async (_, keepCompletedSeconds, since) => {
    const inbox = openInbox({ keepCompletedSeconds })
    await expect(run(inbox, [SENT], { since })).rejects.toThrow(
      /^"since" option must be within.* and wait as long$/,
    )
    expect(await inbox.list()).toEqual([])
  },
)

it('searches by subject, whatever the concurrency keys are', async () => {
  const inbox = openInbox()
  await inbox.put(signedFrom(Buffer.from('not JSON')))
  for (const id of [1, 2]) {
    await arrive(inbox, INBOUND, { id, status: 'Sent' }, { concurrencyKey: id === 1 ? 'payee:7' : null })
  }
  const list = [SENT, payment(2, 'Sent')]
  expect(await run(inbox, list)).toEqual({ checked: 2, missed: 0, recovered: 0 })
})

it('recovers with the key of the last entry, or without one', async () => {
  const inbox = openInbox()
  await arrive(inbox, INBOUND, { id: 1, status: 'Sent' }, { concurrencyKey: 'payee:7' })
  await run(inbox, [payment(1, 'Complete'), payment(2, 'Complete')])
  expect((await inbox.list({ subject: 'payment:1' })).map(({ concurrencyKey }) => concurrencyKey)).toEqual([
    'payee:7',
    'payee:7',
  ])
  expect((await inbox.list({ subject: 'payment:2' }))[0]).not.toHaveProperty('concurrencyKey')
})

it.each([
  ['inbox', {}],
  ['clientId', ''],
  ['list', 'x'],
  ['since', new Date(Number.NaN)],
  ['graceMs', -1],
  ['dryRun', 1],
])('rejects an invalid %s', async (name, value) => {
  const options = { inbox: openInbox(), clientId, list: [], [name]: value } as ReconcileOptions
  await expect(reconcile(options)).rejects.toThrow(`"${name}" option must be`)
})
