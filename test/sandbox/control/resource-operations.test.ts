import { beforeEach, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import { dataOf, type ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { get, requestToken, tokenOf } from '../service/http-calls.ts'
import { control } from './control-calls.ts'

let sandbox: Sandbox
let hooks: ReceiverOfNotifications

beforeEach(async () => {
  sandbox = await openSandbox({ resourcePath: '/svc/v1.0' })
  hooks = await receiver()
  for (const event of ['INBOUND_PAYMENT_STATUS_UPDATED', 'OUTBOUND_INVOICE_STATUS_UPDATED'])
    await control(sandbox, 'POST configurations', { event, callbackUrl: hooks.url })
})

/** What the application can read of a resource. */
async function read(path: string): Promise<{ status: number; body: string }> {
  const response = await get(sandbox, path, (await requestToken(sandbox)).access_token)
  return { status: response.status, body: await response.text() }
}

describe.each([
  ['payments', ['Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete']],
  ['invoices', ['Claimed', 'MarkAsPaid']],
])('%s', (sort, usual) => {
  const statuses = () =>
    hooks.arrivals
      .filter(({ body }) => JSON.parse(body).type.includes(sort === 'payments' ? 'PAYMENT' : 'INVOICE'))
      .map((arrival) => dataOf(arrival).status)

  it('are made with every digit, and change their status', async () => {
    const text = '{"data":{"id":9223372036854775807,"amount":{"number":12345678901234567.89}}}'
    const made = await control(sandbox, `POST ${sort}`, text)
    expect(made.json.id).toBe('9223372036854775807')
    for (const digits of ['"id":9223372036854775807,', '"number":12345678901234567.89'])
      expect(made.body).toContain(digits)
    const { json } = await control(sandbox, `POST ${sort}/${made.json.id}/status`, {
      status: 'Closed',
      changes: { note: 'x' },
    })
    expect(json.deliveries).toMatchObject([{ state: 'delivered' }])
    expect((await read(`${sort}/${made.json.id}`)).body).toMatch(/"status":"Closed".*"note":"x"/)
  })

  it('walk the usual way, or one of their own at a pace', async () => {
    const { json } = await control(sandbox, `POST ${sort}`)
    await control(sandbox, `POST ${sort}/${json.id}/walk`, {})
    expect(statuses().sort()).toEqual([...usual].sort())
    await control(sandbox, `POST ${sort}/${json.id}/walk`, { statuses: ['Sent', 'Closed'], intervalMs: 1 })
    expect(statuses().slice(-2).sort()).toEqual(['Closed', 'Sent'])
  })

  it('answer 404 to an id that is not known, and 400 to a status or a way that is invalid', async () => {
    expect((await control(sandbox, `POST ${sort}/1/walk`, {})).status).toBe(404)
    const { json } = await control(sandbox, `POST ${sort}`)
    for (const [verb, body] of [
      ['status', {}],
      ['status', { status: 'Sent', changes: [] }],
      ['walk', { statuses: 'Sent' }],
      ['walk', { intervalMs: -1 }],
    ])
      expect((await control(sandbox, `POST ${sort}/${json.id}/${verb}`, body)).json.code).toBe(
        'invalid_request',
      )
  })

  it('can be read back by the accounts on their two sides', async () => {
    const made = await control(sandbox, `POST ${sort}`)
    const readAs = async (token: string, id = made.json.id) => await get(sandbox, `${sort}/${id}`, token)
    const { access_token: token } = await requestToken(sandbox)
    const answer = await readAs(token)
    expect([answer.status, await answer.json()]).toEqual([200, made.json.data])
    expect((await readAs('x')).status).toBe(401)
    expect((await readAs(token, '1')).status).toBe(404)
    const data = { payerAccountId: 1, payeeAccountId: 2 }
    const { json } = await control(sandbox, `POST ${sort}`, { data })
    expect((await readAs(token, json.id)).status).toBe(404)
    await control(sandbox, 'POST tokens/expire')
    expect((await readAs(token)).status).toBe(401)
  })
})

describe('the list of payments', () => {
  const list = async (query: string) => await read(`payments${query}`)

  it('has every digit, and is sorted by id', async () => {
    for (const id of [10, 9, 11]) sandbox.createPayment({ id })
    sandbox.createPayment({ id: 12, payerAccountId: 1, payeeAccountId: 2 })
    sandbox.createPayment({ id: 9223372036854775807n, amount: { number: '12345678901234567.89' } })
    const { body } = await list('')
    expect(body.match(/"id":\d+,"invoiceId/g)).toEqual(
      ['9', '10', '11', '9223372036854775807'].map((id) => `"id":${id},"invoiceId`),
    )
    expect(body).toContain('"number":12345678901234567.89')
  })

  it('is a page if a page is asked for', async () => {
    for (const id of [9, 10, 11]) sandbox.createPayment({ id })
    sandbox.createPayment({ id: 12, payerAccountId: 1, payeeAccountId: 2 })
    const [first, last] = await Promise.all([list('?pageSize=2'), list('?pageNumber=1&pageSize=2')])
    expect(JSON.parse(first.body)).toMatchObject({
      content: [{ id: 9 }, { id: 10 }],
      totalPages: 2,
      number: 0,
      last: false,
    })
    expect(JSON.parse(last.body)).toMatchObject({
      content: [{ id: 11 }],
      totalPages: 2,
      number: 1,
      last: true,
    })
    expect((await list('?pageNumber=-1')).status).toBe(400)
  })

  it('is a report of a year at most, by creation, without the payee', async () => {
    const payment = sandbox.createPayment({ id: '9223372036854775807' })
    sandbox.createPayment({ id: 2, status: 'Sent' })
    await payment.setStatus('Complete')
    const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const report = (query: string) => list(`/report?${query}`)
    const { body } = await report(`startDate=${dateIn(-1)}&endDate=${dateIn(1)}&status=Complete`)
    expect(body).toContain('"id":9223372036854775807,')
    expect(body).toContain('"number":1250.50,')
    expect(JSON.parse(body)).toMatchObject({ totalPages: 1, number: 0, last: true })
    const [item, ...others] = JSON.parse(body).content
    expect({ item, others }).toMatchObject({
      item: { status: 'Complete', payer: { payerAccountId: 710044 }, timeUpdated: expect.any(String) },
      others: [],
    })
    expect(Object.keys(item)).not.toContain('payeeAccountId')
    expect(JSON.parse((await report('startDate=2020-01-01&endDate=2020-12-31')).body).content).toEqual([])
    for (const query of [
      '',
      'startDate=2020-01-01',
      'startDate=2020-01-01&endDate=2021-02-01',
      'startDate=1&endDate=2',
    ])
      expect((await report(query)).status).toBe(400)
  })

  it('needs a token', async () => {
    expect((await get(sandbox, 'payments')).status).toBe(401)
  })
})

it('reads back what a trigger was about', async () => {
  await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { id: '9223372036854775807', status: 'Sent' })
  const { body } = await read('payments/9223372036854775807')
  expect(body).toMatch(/^\{"id":9223372036854775807,.*"status":"Sent"/)
  const { status } = await control(sandbox, 'POST payments/9223372036854775807/walk', {})
  expect(status).toBe(404)
})

it('has no payments to read unless they are asked for, and says how', async () => {
  const plain = await openSandbox()
  const { access_token: token } = await requestToken(plain)
  const { id } = plain.createPayment()
  const response = await get(plain, `payments/${id}`, token)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ message: expect.stringContaining('--resource-path') })
})

it('says where payments can be read if a client asks elsewhere', async () => {
  const response = await fetch(`${sandbox.url}/svc/v1.2/payments/48201`)
  expect(await response.json()).toMatchObject({ message: expect.stringContaining('/svc/v1.0') })
})

describe('the resources of an event can be read back', () => {
  const dataAt = async (path: string) => JSON.parse((await read(path)).body)

  it('a payment follows the statuses of a triggered invoice', async () => {
    for (const [status, paid] of [
      ['Claimed', 'Sent'],
      ['MarkAsPaid', 'Complete'],
    ] as const) {
      await sandbox.trigger('OUTBOUND_INVOICE_STATUS_UPDATED', { id: 7, status, amount: { number: 7.5 } })
      const { paymentId, payerAccountId, amount } = await dataAt('invoices/7')
      const payment = { status: paid, invoiceId: 7, payerAccountId, amount }
      expect(await dataAt(`payments/${paymentId}`)).toMatchObject(payment)
    }
    expect(await dataAt('payments')).toHaveLength(1)
  })

  it('a payment of which several accounts are notified, by each of them', async () => {
    const [ada, ben] = sandbox.users
    const event = 'INBOUND_PAYMENT_STATUS_UPDATED'
    for (const { accountId } of [ben, ada])
      await control(sandbox, 'POST configurations', { event, callbackUrl: hooks.url, accountId })
    await sandbox.trigger(event, { id: 7 })
    const tokens = [(await requestToken(sandbox)).access_token, await tokenOf(sandbox, ben)]
    for (const token of tokens) expect((await get(sandbox, 'payments/7', token)).status).toBe(200)
  })

  it('an invoice that is created as MarkAsPaid has a Complete payment of the same amount', async () => {
    const invoice = sandbox.createInvoice({ status: 'MarkAsPaid', amount: { number: '0.10' } })
    const { paymentId } = invoice.data
    expect(await dataAt(`payments/${paymentId}`)).toMatchObject({
      status: 'Complete',
      invoiceId: Number(invoice.id),
      amount: { number: 0.1 },
      creditTxn: { status: 'Completed' },
    })
    expect(sandbox.deliveries()).toEqual([])
  })

  it('a payment has an id of its own, whatever the id of its invoice', async () => {
    const paymentIds = ['1', '9223372036854775807'].map((id) => {
      const invoice = sandbox.createInvoice({ id, status: 'Claimed' })
      return invoice.data.paymentId
    })
    expect([...paymentIds, Number(sandbox.createPayment().id)]).toEqual([48_201, 48_202, 48_203])
  })

  it('all of a burst, each invoice with its own payment', async () => {
    const invoice = sandbox.createInvoice()
    await invoice.setStatus('Claimed', {}, { faults: { burst: 3 } })
    const invoices: { paymentId: number }[] = await dataAt('invoices')
    const paymentIds = invoices.map(({ paymentId }) => paymentId)
    expect(new Set(paymentIds).size).toBe(3)
    for (const id of paymentIds) expect(await dataAt(`payments/${id}`)).toMatchObject({ status: 'Sent' })
    const payment = sandbox.createPayment()
    await payment.setStatus('Sent', {}, { faults: { burst: 2 } })
    const sent = hooks.arrivals.map((arrival) => dataOf(arrival).id)
    for (const id of sent.slice(-2))
      expect(await dataAt(`payments/${id}`)).toMatchObject({ id, status: 'Sent' })
  })
})
