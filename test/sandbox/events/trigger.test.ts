import { beforeEach, describe, expect, it } from 'vitest'
import type { EventKind } from '../../../src/events/kinds.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import { dataOf, type ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { requestToken, subscribe, tokenOf } from '../service/http-calls.ts'

let sandbox: Sandbox
let application: ReceiverOfNotifications
beforeEach(async () => {
  sandbox = await openSandbox()
  application = await receiver()
})

const sent = ({ arrivals }: ReceiverOfNotifications) => arrivals.map(dataOf)

describe('an event is about the account that is notified', () => {
  it.each<[EventKind, string, string]>([
    ['INBOUND_PAYMENT_STATUS_UPDATED', 'payeeAccountId', 'payerAccountId'],
    ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'payerAccountId', 'payeeAccountId'],
    ['OUTBOUND_INVOICE_STATUS_UPDATED', 'payeeAccountId', 'payerAccountId'],
    ['INBOUND_INVOICE_STATUS_UPDATED', 'payerAccountId', 'payeeAccountId'],
  ])('%s: its owner is in %s', async (kind, own, other) => {
    const [ada, ben] = sandbox.users
    const [app, first, second] = [sandbox.accountId, ada.accountId, ben.accountId].map(Number)
    const receivers = [application, await receiver(), await receiver()]
    const tokens = [
      (await requestToken(sandbox)).access_token,
      await tokenOf(sandbox, ada),
      await tokenOf(sandbox, ben),
    ]
    for (const [index, { url }] of receivers.entries()) await subscribe(sandbox, kind, url, tokens[index])
    await sandbox.trigger(kind)
    const sides = receivers.map((each) => sent(each).map((data) => [data[own], data[other]]))
    expect(sides).toEqual([[[app, first]], [[first, app]], [[second, first]]])
    // All get the same event.
    expect(new Set(receivers.flatMap(sent).map(({ id }) => id)).size).toBe(1)

    await sandbox.trigger(kind, { [other]: ben.accountId, amount: { number: 1 } })
    expect(receivers.map((each) => sent(each)[1])).toMatchObject([
      { [own]: app, [other]: second, amount: { number: 1 } },
      { [own]: first, [other]: second },
      { [own]: second, [other]: second },
    ])
    await sandbox.trigger(kind, { [own]: first, [other]: undefined })
    for (const each of receivers) {
      expect(sent(each)[2]).toMatchObject({ [own]: first })
      expect(sent(each)[2]).not.toHaveProperty(other)
    }
    // The other account differs from this one.
    await sandbox.trigger(kind, { [own]: ada.accountId })
    for (const each of receivers) expect(sent(each)[3]).toMatchObject({ [own]: first, [other]: app })
  })

  it("ACCOUNT_STATUS_UPDATED: has the account's own id", async () => {
    const user = await receiver()
    await subscribe(sandbox, 'ACCOUNT_STATUS_UPDATED', application.url)
    await subscribe(sandbox, 'ACCOUNT_STATUS_UPDATED', user.url, await tokenOf(sandbox, sandbox.users[1]))
    await sandbox.trigger('ACCOUNT_STATUS_UPDATED', { verified: false })
    await sandbox.trigger('ACCOUNT_STATUS_UPDATED', { id: 5 })
    const ids = [application, user].map((each) => sent(each).map(({ id }) => id))
    expect(ids).toEqual([
      [Number(sandbox.accountId), 5],
      [Number(sandbox.users[1].accountId), 5],
    ])
  })

  it('other kinds: have the unchanged sample', async () => {
    await subscribe(sandbox, 'VBA_TRANSACTION', application.url)
    await sandbox.trigger('VBA_TRANSACTION')
    expect(sent(application)).toEqual([
      { id: 88012, accountId: 3301, type: 'Credit', amount: { number: 1250.5, currency: 'USD' } },
    ])
  })
})

it('the id is counted for each kind, unless the data has one', async () => {
  await subscribe(sandbox, 'VBA_TRANSACTION', application.url)
  await subscribe(sandbox, 'VIRTUAL_CARD_TRANSACTION', application.url)
  await subscribe(sandbox, 'VIRTUAL_CARD_BALANCE_UPDATED', application.url)
  await sandbox.trigger('VBA_TRANSACTION')
  await sandbox.trigger('VIRTUAL_CARD_TRANSACTION')
  await sandbox.trigger('VBA_TRANSACTION', { id: 7 })
  await sandbox.trigger('VBA_TRANSACTION', { id: 7 })
  await sandbox.trigger('VBA_TRANSACTION')
  expect(sent(application).map(({ id }) => id)).toEqual([88012, 99310, 7, 7, 88013])
  // The card does not identify a transaction.
  await sandbox.trigger('VIRTUAL_CARD_TRANSACTION', { cardId: 1 })
  await sandbox.trigger('VIRTUAL_CARD_BALANCE_UPDATED', { cardId: 1 })
  await sandbox.trigger('VIRTUAL_CARD_BALANCE_UPDATED', { cardId: 1 })
  expect(sent(application).slice(5)).toMatchObject([{ id: 99311, cardId: 1 }, { cardId: 1 }, { cardId: 1 }])
})

describe('data', () => {
  it.each<[string, unknown, string]>([
    ['a list', [], '"data" must be an object'],
    ['a function', { amount: { number: () => 1 } }, '"data.amount.number" must be JSON, not a function'],
    ['a Date', { list: [new Date(0)] }, '"data.list[0]" must be JSON, not a Date'],
    ['a hole', { list: new Array(1) }, '"data.list[0]" must be JSON, not undefined'],
    ['a symbol', { x: Symbol('x') }, '"data.x" must be JSON, not a symbol'],
    ['Infinity', { n: { x: 1 / 0 } }, '"data.n.x" must be JSON, not Infinity'],
    ['a class without a name', { x: new (class {})() }, '"data.x" must be JSON, not a '],
    ['a number of its own', { x: Object(1) }, '"data.x" must be JSON, not a Number'],
  ])('with %s is rejected, even if nobody is notified', async (_what, data, message) => {
    const refused = sandbox.trigger('VBA_TRANSACTION', data as never)
    await expect(refused).rejects.toThrow(TypeError)
    await expect(refused).rejects.toThrow(message)
    expect(() => sandbox.createPayment(data as never)).toThrow(message)
    expect(() => sandbox.createInvoice(data as never)).toThrow(message)
  })

  it('accepts any JSON, integers of any size, and objects without a prototype', async () => {
    await subscribe(sandbox, 'VBA_TRANSACTION', application.url)
    const shared = { a: [null, true, 'x', -0.5] }
    const bare = Object.assign(Object.create(null), { shared })
    await sandbox.trigger('VBA_TRANSACTION', { big: 2n ** 70n, bare, again: shared, type: undefined })
    expect(JSON.parse(application.arrivals[0]?.body ?? '').data).toContain('"big":1180591620717411303424')
    expect(sent(application)[0]).toMatchObject({ bare: { shared }, again: shared })
    expect(sent(application)[0]).not.toHaveProperty('type')
  })

  it('is copied when trigger is called', async () => {
    await subscribe(sandbox, 'VBA_TRANSACTION', application.url)
    const data = { list: [1] }
    const triggered = sandbox.trigger('VBA_TRANSACTION', data, { faults: { delayMs: 20 } })
    data.list.push(2)
    await triggered
    expect(sent(application)[0].list).toEqual([1])
  })
})
