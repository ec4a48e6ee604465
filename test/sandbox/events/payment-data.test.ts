import { beforeEach, describe, expect, it } from 'vitest'
import type { Sandbox, SandboxPayment } from '../../../src/sandbox/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import type { ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { subscribe } from '../service/http-calls.ts'

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'

let sandbox: Sandbox
let opened: ReceiverOfNotifications
beforeEach(async () => {
  sandbox = await openSandbox()
  opened = await receiver()
  await subscribe(sandbox, INBOUND, opened.url)
  await subscribe(sandbox, 'OUTBOUND_INVOICE_STATUS_UPDATED', opened.url)
})

const sent = () => opened.arrivals.map(({ body }) => JSON.parse(JSON.parse(body).data))

describe('the data of a payment', () => {
  it('grows with its statuses', async () => {
    const payment = sandbox.createPayment()
    await payment.walk(undefined, { wait: true })
    const id = Number(payment.id)
    const none = { errorCode: null, errorMessage: null }
    const debitTxn = { id: id * 10 + 1, status: 'Initiated', ...none }
    const [first, ...others] = sent()
    expect(opened.arrivals[0]?.body).toContain('1250.50')
    expect(first).toEqual({
      id,
      invoiceId: null,
      status: 'Sent',
      statusReason: null,
      payerFundingMethodType: 'Bank',
      receiverFundingMethodType: 'Bank',
      payerAccountId: Number(sandbox.users[0].accountId),
      payeeAccountId: Number(sandbox.accountId),
      originalRequestId: expect.any(String),
      purposeOfPayment: expect.any(String),
      purposeOfPaymentDescription: expect.any(String),
      debitPreferredMethodRequested: 'SameDay',
      creditPreferredMethodRequested: 'Standard',
      amount: { number: 1250.5, currency: 'USD' },
      refundTxn: null,
    })
    const moving = { debitTxn, creditTxn: { id: id * 10 + 2, status: 'Initiated', ...none } }
    expect(others).toEqual([
      { ...first, status: 'PendingAuth' },
      { ...first, status: 'Authorized' },
      { ...first, status: 'InProgress', ...moving },
      {
        ...first,
        status: 'Complete',
        debitTxn: { ...debitTxn, status: 'Completed' },
        creditTxn: { ...moving.creditTxn, status: 'Completed' },
        debitMethodProcessed: 'SameDay',
        creditMethodProcessed: 'Standard',
      },
    ])
  })

  it('keeps values that were set, initially or later', async () => {
    const payment = sandbox.createPayment({ debitTxn: null, debitMethodProcessed: undefined })
    await payment.setStatus('InProgress', { creditTxn: { status: 'Mine' } })
    await payment.setStatus('Complete', { statusReason: 'late' })
    const [moving, complete] = sent()
    expect(moving).toMatchObject({ debitTxn: null, creditTxn: { status: 'Mine' } })
    expect(complete).toMatchObject({ creditTxn: { status: 'Mine' }, statusReason: 'late' })
    expect(complete).not.toHaveProperty('debitMethodProcessed')
    expect(complete.creditMethodProcessed).toBe('Standard')
  })

  it('keeps the rest of a partly changed transaction', async () => {
    const payment = sandbox.createPayment({ debitTxn: { id: 7, status: 'Mine' } })
    await payment.setStatus('Closed', { debitTxn: { errorCode: 'R01' } })
    expect(sent()[0].debitTxn).toEqual({ id: 7, status: 'Mine', errorCode: 'R01', errorMessage: null })
  })

  it('completes a transaction that was partly set initially', async () => {
    const payment = sandbox.createPayment({ debitTxn: { errorCode: 'R01' } })
    await payment.setStatus('Closed')
    const id = Number(`${payment.id}1`)
    expect(sent()[0].debitTxn).toEqual({ id, status: 'Initiated', errorCode: 'R01', errorMessage: null })
  })

  it('matches its initial status', () => {
    const { data } = sandbox.createPayment({ status: 'InProgress' })
    expect(data).toMatchObject({ debitTxn: { status: 'Initiated' }, creditTxn: { status: 'Initiated' } })
  })

  it('has account ids as numbers of any size', async () => {
    const [ada, ben] = sandbox.users
    const payment = sandbox.createPayment({
      payerAccountId: ben.accountId,
      payeeAccountId: sandbox.accountId,
    })
    expect(payment.data).toMatchObject({
      payerAccountId: Number(ben.accountId),
      payeeAccountId: Number(sandbox.accountId),
    })
    await payment.setStatus('Sent', { payerAccountId: '9223372036854775807' })
    expect(opened.arrivals[0]?.body).toContain('\\"payerAccountId\\":9223372036854775807,')
    // The payee changes here.
    expect(await payment.setStatus('Complete', { payeeAccountId: ada.accountId })).toEqual([])
    expect(payment.data.payeeAccountId).toBe(Number(ada.accountId))
  })

  it('is a copy, also of the given data', async () => {
    const list = [{ name: 'mine' }]
    const payment = sandbox.createPayment({ amount: { number: 1 }, list })
    list.push({ name: 'later' })
    const data = payment.data as { amount: { number: number }; status: string; list: object[] }
    data.amount.number = 2
    data.status = 'Complete'
    data.list.push({})
    expect(payment.data).toMatchObject({ status: 'Drafted', amount: { number: 1 }, list: [{ name: 'mine' }] })
    const changes = { list: [1] }
    const set = payment.setStatus('Sent', changes)
    changes.list.push(2)
    await set
    expect(payment.data.list).toEqual([1])
    expect(sent()).toMatchObject([{ status: 'Sent', amount: { number: 1 }, list: [1] }])
  })
})

describe('the data of an invoice', () => {
  it('has a payment after the payer has accepted it', async () => {
    const invoice = sandbox.createInvoice()
    expect(invoice.data).toEqual({
      id: Number(invoice.id),
      status: 'Sent',
      amount: { number: 1250.5, currency: 'USD' },
      payerAccountId: Number(sandbox.users[0].accountId),
      payeeAccountId: Number(sandbox.accountId),
      dueDate: '2026-12-01',
      scheduledSentDateIso: '2026-11-15',
    })
    await invoice.walk(['Sent', 'Updated', 'Claimed', 'MarkAsPaid'], { wait: true })
    const [first, second, third, fourth] = sent().filter(({ id }) => id === Number(invoice.id))
    for (const early of [first, second]) expect(early).not.toHaveProperty('paymentId')
    expect(third.paymentId).toEqual(expect.any(Number))
    expect(fourth).toEqual({ ...third, status: 'MarkAsPaid' })
  })

  it('keeps a given payment, also one with the number that a payment of its own would have', async () => {
    const { id } = sandbox.createPayment()
    const paymentId = Number(id) + 1
    await sandbox.createInvoice({ paymentId }).walk(undefined, { wait: true })
    await sandbox.createInvoice().setStatus('Claimed', { paymentId: paymentId + 1 })
    expect(sent()).toMatchObject([
      { status: 'Claimed', paymentId },
      { status: 'MarkAsPaid', paymentId },
      { status: 'Claimed', paymentId: paymentId + 1 },
    ])
  })

  it('has a payment that is Sent when it is claimed, and Complete when it is paid', async () => {
    const [ada, ben] = sandbox.users
    const amount = { number: '12345678901234567.89', currency: 'EUR' }
    const invoice = sandbox.createInvoice({ amount, payerAccountId: ada.accountId })
    const deliveries = await invoice.walk(['Claimed', 'Updated', 'Claimed', 'MarkAsPaid', 'Closed'], {
      wait: true,
    })
    expect(deliveries).toHaveLength(7)
    const [sentPayment, claimed, , , complete, paid, closed] = sent()
    const payment = {
      id: claimed.paymentId,
      invoiceId: Number(invoice.id),
      payerAccountId: Number(ada.accountId),
      payeeAccountId: Number(sandbox.accountId),
    }
    expect(sentPayment).toMatchObject({ ...payment, status: 'Sent' })
    expect(sentPayment).not.toHaveProperty('debitTxn')
    expect(complete).toMatchObject({ ...payment, status: 'Complete', debitTxn: { status: 'Completed' } })
    for (const one of [paid, closed]) expect(one).toMatchObject({ paymentId: payment.id })
    expect(opened.arrivals[4]?.body).toContain('12345678901234567.89,\\"currency\\":\\"EUR\\"')

    // It was not claimed, and its payer has changed by then.
    const other = sandbox.createInvoice()
    await other.setStatus('MarkAsPaid', { payerAccountId: ben.accountId })
    expect(sent().slice(7)).toMatchObject([
      { status: 'Complete', payerAccountId: Number(ben.accountId), invoiceId: Number(other.id) },
      { status: 'MarkAsPaid', payerAccountId: Number(ben.accountId) },
    ])
    expect(sent()[7].id).toBe(sent()[8].paymentId)
    expect(sent()[7].id).not.toBe(payment.id)
  })
})

describe('a rejected status', () => {
  it.each<[string, (payment: SandboxPayment) => Promise<unknown>, string | RegExp]>([
    ['no JSON', (one) => set(one, { list: [1, { at: new Date(0) }] }), '"changes.list[1].at" must be JSON'],
    ['no object', (one) => set(one, null), '"changes" must be an object'],
    ['a fault', (one) => one.setStatus('Sent', { note: 1 }, { faults: { burst: 0 } }), /"burst" option/],
    [
      'too many faults together',
      (one) => {
        sandbox.setFaults({ duplicate: 100 })
        return one.setStatus('Sent', { note: 1 }, { faults: { burst: 10_000 } })
      },
      /"burst" option must be at most 100000/,
    ],
  ])('does not change the data: %s', async (_what, call, message) => {
    const payment = sandbox.createPayment()
    const before = payment.data
    const refused = call(payment)
    await expect(refused).rejects.toThrow(TypeError)
    await expect(refused).rejects.toThrow(message)
    expect(payment.data).toEqual(before)
    expect(sandbox.deliveries()).toEqual([])
  })

  it('sets no values', async () => {
    const payment = sandbox.createPayment()
    const changes = { creditTxn: { id: 1 }, note: () => 1 } as never
    await expect(payment.setStatus('InProgress', changes)).rejects.toThrow(TypeError)
    await payment.setStatus('InProgress')
    expect(payment.data.creditTxn).toMatchObject({ status: 'Initiated' })
  })

  async function set(payment: SandboxPayment, changes: unknown): Promise<unknown> {
    return await payment.setStatus('Sent', changes as never)
  }
})

describe('a walk', () => {
  it('settles each status before the next if it waits', async () => {
    const open: (() => void)[] = []
    const slow = await receiver((response) => open.push(() => response.end()))
    await subscribe(sandbox, INBOUND, slow.url)
    const payment = sandbox.createPayment()
    const walked = payment.walk(['Sent', 'Authorized', 'Complete'], { wait: true })
    for (const [index, status] of ['Sent', 'Authorized', 'Complete'].entries()) {
      const answer = await waitFor(() => open.shift())
      // The other receiver has long responded to its copy.
      await waitFor(() => opened.arrivals.length === index + 1)
      expect(payment.data.status).toBe(status)
      expect(slow.arrivals).toHaveLength(index + 1)
      answer()
    }
    expect(await walked).toHaveLength(6)
  })

  it('does not settle each status before the next otherwise', async () => {
    const open: (() => void)[] = []
    const slow = await receiver((response) => open.push(() => response.end()))
    await subscribe(sandbox, INBOUND, slow.url)
    const walked = sandbox.createPayment().walk(['Sent', 'Authorized', 'Complete'])
    await waitFor(() => open.length === 3)
    for (const answer of open) answer()
    expect(await walked).toHaveLength(6)
  })
})
