import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../../../src/index.ts'
import type { Sandbox, SandboxPayment } from '../../../src/sandbox/index.ts'
import { control } from '../control/control-calls.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import type { ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { requestToken, subscribe, tokenOf } from '../service/http-calls.ts'

let sandbox: Sandbox
let application: ReceiverOfNotifications
let user: ReceiverOfNotifications

const ALL = [
  'OUTBOUND_PAYMENT_STATUS_UPDATED',
  'INBOUND_PAYMENT_STATUS_UPDATED',
  'OUTBOUND_INVOICE_STATUS_UPDATED',
  'INBOUND_INVOICE_STATUS_UPDATED',
]

beforeEach(async () => {
  sandbox = await openSandbox()
  application = await receiver()
  user = await receiver()
  const consented = await tokenOf(sandbox, sandbox.users[0])
  const own = (await requestToken(sandbox)).access_token
  // The user is the payer, the application the payee, of payments and of invoices.
  for (const kind of ALL) {
    await subscribe(sandbox, kind, application.url, own)
    await subscribe(sandbox, kind, user.url, consented)
  }
})

const seen = ({ arrivals }: ReceiverOfNotifications) =>
  arrivals.map(({ body }) => {
    const { type, data } = parse(body) as { type: string; data: { status: string } }
    return [type, data.status]
  })

describe('a payment', () => {
  it('is outbound for the payer and inbound for the payee', async () => {
    const payment = sandbox.createPayment({ amount: { number: 12.5 } })
    expect(payment.data).toMatchObject({
      status: 'Drafted',
      payerAccountId: Number(sandbox.users[0].accountId),
      payeeAccountId: Number(sandbox.accountId),
      amount: { number: 12.5, currency: 'USD' },
    })
    expect(payment.id).toMatch(/^\d+$/)
    expect(sandbox.createPayment().id).not.toBe(payment.id)
    const deliveries = await payment.setStatus('Sent', { statusReason: 'because' })
    expect(deliveries).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
    expect(seen(user)).toEqual([['OUTBOUND_PAYMENT_STATUS_UPDATED', 'Sent']])
    expect(seen(application)).toEqual([['INBOUND_PAYMENT_STATUS_UPDATED', 'Sent']])
    expect(parse(application.arrivals[0]?.body ?? '').data).toMatchObject({
      id: payment.id,
      statusReason: 'because',
      payerAccountId: sandbox.users[0].accountId,
      payeeAccountId: sandbox.accountId,
    })
    expect(payment.data).toMatchObject({ status: 'Sent', statusReason: 'because' })
  })

  it('stops a walk when the sandbox is reset', async () => {
    sandbox.onDelivery(() => void sandbox.reset())
    const payment = sandbox.createPayment()
    await payment.walk(undefined, { wait: true })
    expect(payment.data.status).toBe('Sent')
    expect((await control(sandbox, `POST payments/${payment.id}/walk`)).status).toBe(404)
  })

  it('notifies nobody without configurations, and both kinds if payer and payee are the same', async () => {
    const stranger = sandbox.createPayment({ payerAccountId: 1, payeeAccountId: '2' })
    expect(await stranger.setStatus('Sent')).toEqual([])
    const own = Number(sandbox.accountId)
    await sandbox.createPayment({ payerAccountId: own, payeeAccountId: own }).setStatus('Sent')
    const kinds = ['INBOUND_PAYMENT_STATUS_UPDATED', 'OUTBOUND_PAYMENT_STATUS_UPDATED']
    expect(seen(application).sort()).toEqual(kinds.map((kind) => [kind, 'Sent']))
    expect(user.arrivals).toEqual([])
  })

  it.each<[string, (one: SandboxPayment) => Promise<unknown>, RegExp]>([
    ['an empty status', (one) => one.setStatus(''), /"status" must be/],
    ['no status', (one) => one.setStatus(undefined as never), /"status" must be/],
    ['a list of changes', (one) => one.setStatus('Sent', [] as never), /"changes" must be an object/],
    ['an unknown option', (one) => one.setStatus('Sent', {}, { wait: true } as never), /^"wait" is not/],
    ['no options', (one) => one.setStatus('Sent', {}, null as never), /options must/],
    ['an invalid wait', (one) => one.walk(['Sent'], { wait: 1 as never }), /"wait" option must be a boolean/],
    ['an unknown option of a walk', (one) => one.walk([], { await: true } as never), /^"await" is not/],
    ['a wrong fault without steps', (one) => one.walk([], { faults: { burst: 0 } }), /"burst" option/],
    ['statuses that are not a list', (one) => one.walk('Sent' as never), /"statuses" must be/],
    ['a wrong step', (one) => one.walk(['Sent', 1 as never]), /"status" must be/],
  ])('rejects %s', async (_what, call, message) => {
    const rejected = call(sandbox.createPayment())
    await expect(rejected).rejects.toThrow(TypeError)
    await expect(rejected).rejects.toThrow(message)
    expect(user.arrivals).toEqual([])
  })

  it('rejects invalid data', () => {
    expect(() => sandbox.createPayment([] as never)).toThrow(TypeError)
    expect(() => sandbox.createPayment({ id: 'x' })).toThrow(/"id" option must be an integer/)
    expect(() => sandbox.createPayment({ id: undefined })).toThrow(/"id" option must be an integer/)
    expect(() => sandbox.createPayment({ id: '007' })).toThrow(/"id" option must be an integer/)
    expect(() => sandbox.createInvoice({ amount: { number: Number.NaN } })).toThrow(
      new TypeError('"data.amount.number" must be JSON, not NaN'),
    )
  })
})

it('an invoice is outbound for the payee, who sends it, and inbound for the payer', async () => {
  const invoice = sandbox.createInvoice({ dueDate: '2027-01-31' })
  expect(invoice.data).toMatchObject({ status: 'Sent', dueDate: '2027-01-31' })
  expect(await invoice.walk(undefined, { wait: true })).toHaveLength(8)
  const invoices = (all: ReceiverOfNotifications) => seen(all).filter(([type]) => type?.includes('INVOICE'))
  expect(invoices(application)).toEqual([
    ['OUTBOUND_INVOICE_STATUS_UPDATED', 'Claimed'],
    ['OUTBOUND_INVOICE_STATUS_UPDATED', 'MarkAsPaid'],
  ])
  expect(invoices(user)).toEqual([
    ['INBOUND_INVOICE_STATUS_UPDATED', 'Claimed'],
    ['INBOUND_INVOICE_STATUS_UPDATED', 'MarkAsPaid'],
  ])
  const paid = user.arrivals.find(({ body }) => body.includes('MarkAsPaid'))
  expect(parse(paid?.body ?? '').data).toMatchObject({
    id: invoice.id,
    dueDate: '2027-01-31',
    paymentId: expect.stringMatching(/^\d+$/),
  })
})
