import { expect, it } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { ForgetOutcome, Inbox, InboxEntry } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { TEST_INBOXES } from '../cli/test-inboxes.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { settled } from '../contracts/settled.ts'
import { signedFrom } from '../contracts/signed-notification.ts'

const PAYMENT = 'INBOUND_PAYMENT_STATUS_UPDATED'
const INVOICE = 'OUTBOUND_INVOICE_STATUS_UPDATED'
const ACCOUNT = '710021'
const BIG = '9223372036854775807'

/** The body as the service writes it, or inline. */
function put(inbox: Inbox, type: string, data: string, inline = false) {
  const written = inline ? data : JSON.stringify(data)
  return inbox.put(signedFrom(Buffer.from(`{"type":"${type}","data":${written}}`)))
}

const putPaidBy = (inbox: Inbox, id: number, payer: string) =>
  put(inbox, PAYMENT, `{"id":${id},"status":"Sent","payerAccountId":${payer}}`)

async function open(options: InboxOptions = { maxAttempts: 1 }) {
  return await TEST_INBOXES.sqlite().open(options)
}

async function handleAll(inbox: Inbox, completed: number, handle?: () => unknown): Promise<void> {
  await inbox.start(createConsumer(handle))
  await settled(inbox, { completed })
  await inbox.stop()
}

it.each([
  ['deletes', 'what is about a payer', PAYMENT, '{"id":1,"status":"Sent","payerAccountId":710021}'],
  ['deletes', 'what is about a payee', INVOICE, '{"id":1,"status":"Sent","payeeAccountId":"710021"}'],
  ['deletes', 'an account', 'ACCOUNT_STATUS_UPDATED', '{"id":7.10021e5,"paymentReady":true,"verified":true}'],
  ['deletes', 'data that does not fit', PAYMENT, '{"payerAccountId":710021}'],
  ['leaves', 'another id that contains it', PAYMENT, '{"id":1,"status":"Sent","payerAccountId":17100210}'],
  ['leaves', 'a payment with the same id', PAYMENT, '{"id":710021,"status":"Sent","payerAccountId":5}'],
  ['leaves', 'an amount', PAYMENT, '{"id":1,"status":"Sent","amount":{"number":710021,"currency":"USD"}}'],
  ['leaves', 'a text', PAYMENT, '{"id":1,"status":"Sent","statusReason":"account 710021"}'],
  ['leaves', 'data of an undocumented kind', 'VBA_TRANSACTION', '{"id":710021}'],
  ['leaves', 'data that is no object', 'VBA_TRANSACTION', '710021'],
])('%s %s', async (verb, _what, kind, data) => {
  const inbox = await open()
  await put(inbox, kind, data)
  await put(inbox, kind, data, true)
  await handleAll(inbox, 2)
  const deleted = verb === 'deletes' ? 2 : 0
  expect(await inbox.forget({ accountId: ACCOUNT })).toEqual({ deleted, kept: 0, unreadable: 0 })
  expect(await inbox.counts()).toMatchObject({ completed: 2 - deleted })
})

it('compares every digit', async () => {
  const inbox = await open()
  for (const payer of [BIG, '9223372036854775806']) await putPaidBy(inbox, 1, payer)
  await handleAll(inbox, 2)
  expect(await inbox.forget({ accountId: BIG })).toMatchObject({ deleted: 1 })
})

it('keeps what was not handled yet, unless that is wanted, and what is being handled', async () => {
  const inbox = await open()
  const { promise: gate, resolve: end } = Promise.withResolvers<void>()
  for (const id of [1, 2]) await putPaidBy(inbox, id, ACCOUNT)
  expect(await inbox.forget({ accountId: ACCOUNT })).toMatchObject({ deleted: 0, kept: 2 })
  await inbox.start(createConsumer(() => gate))
  await settled(inbox, { active: 2 })
  expect(await inbox.forget({ accountId: ACCOUNT, waiting: true })).toMatchObject({ deleted: 0, kept: 2 })
  end()
  await settled(inbox, { completed: 2 })
  await inbox.stop()
  await putPaidBy(inbox, 3, ACCOUNT)
  expect(await inbox.forget({ accountId: ACCOUNT, waiting: true })).toMatchObject({ deleted: 3, kept: 0 })
})

it('keeps an entry that a process begins to handle meanwhile', async () => {
  const inbox = await open()
  const { promise: gate, resolve: end } = Promise.withResolvers<void>()
  await putPaidBy(inbox, 1, ACCOUNT)
  await inbox.stop()
  const entries = inbox.entries.bind(inbox)
  const consumer = createConsumer(() => gate)
  inbox.entries = async function* (options) {
    for await (const entry of entries(options)) {
      await inbox.start(consumer)
      await settled(inbox, { active: 1 })
      yield entry
    }
  } as Inbox['entries']
  expect(await inbox.forget({ accountId: ACCOUNT, waiting: true })).toMatchObject({ deleted: 0, kept: 1 })
  end()
})

it('keeps an entry that is handled once it has looked for such', async () => {
  const inbox = await open()
  const { promise: gate, resolve: end } = Promise.withResolvers<void>()
  await putPaidBy(inbox, 1, ACCOUNT)
  const engine = engineOf(inbox)
  const list = engine.list.bind(engine)
  const consumer = createConsumer(() => gate)
  engine.list = async (state, ...page) => {
    if (state === 'waiting') {
      await inbox.start(consumer)
      await settled(inbox, { active: 1 })
    }
    return await list(state, ...page)
  }
  expect(await inbox.forget({ accountId: ACCOUNT })).toMatchObject({ deleted: 0, kept: 1 })
  end()
})

it('keeps an entry that fails once it has looked for what waits', async () => {
  const inbox = await open({ retryDelayMs: 60_000 })
  const { promise: gate, reject: fail } = Promise.withResolvers<void>()
  await putPaidBy(inbox, 1, ACCOUNT)
  await inbox.start(createConsumer(() => gate))
  await settled(inbox, { active: 1 })
  const engine = engineOf(inbox)
  const list = engine.list.bind(engine)
  let hasFailed = false
  engine.list = async (state, ...page) => {
    // As if it was taken only now.
    if (!hasFailed && state === 'active') return []
    const found = await list(state, ...page)
    if (!hasFailed && state === 'waiting') {
      hasFailed = true
      fail(new Error('down'))
      await settled(inbox, { waiting: 1 })
    }
    return found
  }
  expect(await inbox.forget({ accountId: ACCOUNT })).toMatchObject({ deleted: 0, kept: 1 })
})

it('names each entry once, also in a dry run, and those that cannot be read', async () => {
  const inbox = await open()
  await putPaidBy(inbox, 1, ACCOUNT)
  await putPaidBy(inbox, 2, '5')
  await handleAll(inbox, 2)
  await inbox.put(signedFrom(Buffer.from(`{"payerAccountId":${ACCOUNT}`)))
  const named: unknown[] = []
  const onEntry = (entry: InboxEntry, outcome: ForgetOutcome) => named.push([entry.subject, outcome])
  const result = await inbox.forget({ accountId: ACCOUNT, dryRun: true, onEntry })
  expect(result).toEqual({ deleted: 1, kept: 0, unreadable: 1 })
  expect(named).toEqual([
    [null, 'unreadable'],
    ['payment:1', 'deleted'],
  ])
  expect(await inbox.counts()).toMatchObject({ waiting: 1, completed: 2 })
})

it('rejects if onEntry does', async () => {
  const inbox = await open()
  await putPaidBy(inbox, 1, ACCOUNT)
  const failing = inbox.forget({ accountId: ACCOUNT, onEntry: () => Promise.reject(new Error('down')) })
  await expect(failing).rejects.toThrow('down')
})

it.each([
  [{}, '"accountId" option must be an account id, a string of decimal digits, but it is undefined'],
  [{ accountId: 710021 }, '"accountId" option must be an account id'],
  [{ accountId: '' }, '"accountId" option must be an account id'],
  [{ accountId: ACCOUNT, all: true }, '"all" is not an option'],
])('rejects %j', async (options, message) => {
  const inbox = await open()
  await expect(inbox.forget(options as never)).rejects.toThrow(message)
})
