import { beforeEach, describe, expect, it } from 'vitest'
import { EVENT_KINDS, type EventKind } from '../../../src/events/kinds.ts'
import { parse } from '../../../src/index.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import { dataOf, type ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { subscribe } from '../service/http-calls.ts'

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const OUTBOUND = 'OUTBOUND_PAYMENT_STATUS_UPDATED'
const INVOICES: EventKind[] = ['INBOUND_INVOICE_STATUS_UPDATED', 'OUTBOUND_INVOICE_STATUS_UPDATED']

let sandbox: Sandbox
let application: ReceiverOfNotifications
beforeEach(async () => {
  sandbox = await openSandbox()
  application = await receiver()
})

async function subscribeTo(...kinds: EventKind[]): Promise<void> {
  for (const kind of kinds) await subscribe(sandbox, kind, application.url)
}

const bodies = () => application.arrivals.map(({ body }) => body)
const sent = () => application.arrivals.map(dataOf)
const different = (values: unknown[]) => new Set(values).size

describe('ids', () => {
  it.each(EVENT_KINDS)('%s: differ in all events of bursts and single calls', async (kind) => {
    await subscribeTo(kind)
    for (const burst of [20, 1, 20]) await sandbox.trigger(kind, {}, { faults: { burst } })
    expect(bodies()).toHaveLength(41)
    expect(different(bodies())).toBe(41)
    expect(different(sent().map(({ id, cardId }) => id ?? cardId))).toBe(41)
  })

  it('differ for all payments, triggered or created, inbound or outbound', async () => {
    await subscribeTo(INBOUND, OUTBOUND)
    await sandbox.trigger(INBOUND)
    await sandbox.trigger(OUTBOUND)
    await sandbox.createPayment().setStatus('Sent')
    await sandbox.trigger(INBOUND, {}, { faults: { burst: 3 } })
    await sandbox.createPayment().setStatus('Sent', {}, { faults: { burst: 3 } })
    await sandbox.createPayment().setStatus('Complete', {}, { faults: { burst: 3 } })
    await sandbox.trigger(OUTBOUND, {}, { faults: { burst: 3 } })
    expect(sent()).toHaveLength(15)
    expect(different(sent().map(({ id }) => id))).toBe(15)
    expect(different(sent().map(({ originalRequestId }) => originalRequestId))).toBe(15)
    const transactions = sent().flatMap(({ debitTxn, creditTxn }) => [debitTxn?.id, creditTxn?.id])
    expect(different(transactions.filter((id) => id !== undefined))).toBe(2 * 11)
    for (const { originalRequestId } of sent())
      expect(originalRequestId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  it('differ for all invoices and their payments', async () => {
    await subscribeTo(...INVOICES, INBOUND)
    for (const kind of INVOICES) await sandbox.trigger(kind, { status: 'Claimed' })
    const invoice = sandbox.createInvoice()
    await invoice.setStatus('Updated', {}, { faults: { burst: 3 } })
    await sandbox.createInvoice().setStatus('Updated', {}, { faults: { burst: 3 } })
    expect(different(sent().map(({ id }) => id))).toBe(8)
    await sandbox.trigger(INBOUND)
    const [first, second, ...others] = sent()
    expect(different([first.paymentId, second.paymentId, others.at(-1).id])).toBe(3)
  })

  it('are the only difference in a burst of a status', async () => {
    await subscribeTo(INBOUND)
    const payment = sandbox.createPayment({ originalRequestId: 'mine', statusReason: 'slow' })
    await payment.setStatus('InProgress', { debitTxn: { status: 'Late' } }, { faults: { burst: 2 } })
    const [first, second] = sent()
    const id = first.id + 1
    expect(first).toMatchObject({ id: Number(payment.id), debitTxn: { status: 'Late' } })
    expect(second).toEqual({
      ...first,
      id,
      debitTxn: { ...first.debitTxn, id: 10 * id + 1 },
      creditTxn: { ...first.creditTxn, id: 10 * id + 2 },
    })
  })

  it('given by the caller refer to the same payment each time', async () => {
    await subscribeTo(INBOUND)
    for (let count = 0; count < 2; count++) await sandbox.trigger(INBOUND, { id: 7 })
    expect(different(bodies())).toBe(1)
    const payment = sandbox.createPayment({ id: '9223372036854775807' })
    await payment.setStatus('InProgress')
    await payment.setStatus('Complete')
    const [, , moving, complete] = sent()
    expect(complete.originalRequestId).toBe(moving.originalRequestId)
    expect(complete.debitTxn).toEqual({ ...moving.debitTxn, status: 'Completed' })
  })
})

describe('a triggered payment', () => {
  const NOT_YET = ['debitTxn', 'creditTxn', 'debitMethodProcessed', 'creditMethodProcessed']

  it.each(['Sent', 'Authorized', 'Closed'])('has no transactions at %s', async (status) => {
    await subscribeTo(INBOUND)
    await sandbox.trigger(INBOUND, { status })
    expect(sent()).toMatchObject([{ status, amount: { number: 1250.5 }, refundTxn: null }])
    for (const field of NOT_YET) expect(sent()[0]).not.toHaveProperty(field)
  })

  it.each(['InProgress', 'Complete', undefined])(
    'has the data of a payment that was set to %s',
    async (status) => {
      await subscribeTo(OUTBOUND)
      const data = { payerAccountId: sandbox.accountId, payeeAccountId: sandbox.users[0].accountId }
      await sandbox.trigger(OUTBOUND, { id: 7, ...(status && { status }) })
      await sandbox.createPayment({ id: 7, ...data }).setStatus(status ?? 'Complete')
      const [triggered, brought] = sent()
      const debitTxn = { status: status === 'InProgress' ? 'Initiated' : 'Completed' }
      expect(triggered).toMatchObject({ debitTxn, creditTxn: { id: 72 } })
      expect(triggered).toEqual(brought)
    },
  )

  it('completes a partial transaction', async () => {
    await subscribeTo(INBOUND)
    const debitTxn = { status: 'Failed', errorCode: 'R01' }
    await sandbox.trigger(INBOUND, { id: 7, status: 'Closed', debitTxn, refundTxn: { status: 'Sent' } })
    await sandbox.createPayment({ id: 7 }).setStatus('Closed', { debitTxn, refundTxn: { status: 'Sent' } })
    for (const data of sent()) {
      expect(data.debitTxn).toEqual({ id: 71, ...debitTxn, errorMessage: null })
      expect(data.refundTxn).toMatchObject({ id: 73, status: 'Sent' })
      expect(data).not.toHaveProperty('creditTxn')
    }
    for (const body of bodies()) expect(parse(body).type).toBe(INBOUND)
  })

  it('has the given data', async () => {
    await subscribeTo(INBOUND)
    await sandbox.trigger(INBOUND, { status: 'Complete', debitTxn: null, creditTxn: undefined })
    expect(sent()).toMatchObject([{ status: 'Complete', debitTxn: null }])
    expect(sent()[0]).not.toHaveProperty('creditTxn')
  })
})

it.each([
  ['Updated', false],
  ['Claimed', true],
  ['MarkAsPaid', true],
])('a triggered invoice at %s has a payment: %s', async (status, hasPayment) => {
  await subscribeTo(...INVOICES)
  for (const kind of INVOICES) await sandbox.trigger(kind, { status })
  for (const data of sent()) expect(Object.hasOwn(data, 'paymentId')).toBe(hasPayment)
})

describe('numbers on the wire', () => {
  it.each(['', '007', '1.', '.5', '0x10', '1,5', ' 1', 'NaN', '1e'])(
    'are not made from a string that is not a JSON number: %j',
    async (text) => {
      await subscribeTo(INBOUND)
      await sandbox.trigger(INBOUND, { invoiceId: text, amount: { number: text } })
      expect(sent()).toMatchObject([{ invoiceId: text, amount: { number: text } }])
    },
  )

  it('are not made from string fields', async () => {
    await subscribeTo(INBOUND)
    const own = { purposeOfPayment: '1', originalRequestId: '2', mine: { id: '3', number: '4' }, list: ['5'] }
    await sandbox.trigger(INBOUND, { ...own, debitTxn: { externalTransactionId: '6', errorCode: '7' } })
    expect(sent()).toMatchObject([{ ...own, debitTxn: { externalTransactionId: '6', errorCode: '7' } }])
  })

  it('are strings in the data of a payment if JavaScript cannot represent them', async () => {
    const payment = sandbox.createPayment({ id: 2n ** 63n - 1n, invoiceId: '12', amount: { number: '0.10' } })
    const data = { id: '9223372036854775807', invoiceId: 12, amount: { number: 0.1, currency: 'USD' } }
    expect(payment).toMatchObject({ id: data.id, data })
  })
})

it('the option partner adds a link to the receipt at InProgress and Complete', async () => {
  sandbox = await openSandbox({ partner: true })
  await subscribeTo(INBOUND)
  const way = ['Sent', 'Authorized', 'InProgress', 'Complete', 'Closed']
  await sandbox.createPayment().walk(way, { wait: true })
  for (const status of way) await sandbox.trigger(INBOUND, { status })
  const links = sent().map(({ mtlReceiptLinkUrl }) => mtlReceiptLinkUrl)
  const link = expect.stringMatching(/^https:/)
  const walked = [undefined, undefined, link, link, undefined]
  expect(links).toEqual([...walked, ...walked])
  expect(links[3]).toBe(links[2])
  expect(links[7]).not.toBe(links[2])
})
