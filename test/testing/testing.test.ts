import { describe, expect, it } from 'vitest'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createReceiver, EVENT_KINDS, verifyAndParse } from '../../src/index.ts'
import { createNotification, deliver, sampleData } from '../../src/testing/index.ts'
import { listen } from '../contracts/listen.ts'

const clientId = 'a-client'

function read(notification: ReturnType<typeof createNotification>) {
  return verifyAndParse({
    body: notification.body,
    signature: notification.headers['access-signature'],
    clientId,
  })
}

describe('createNotification', () => {
  it.each(EVENT_KINDS)('makes a %s that parses, stringified and inline alike', (kind) => {
    const [stringified, inline] = [false, true].map((inline) =>
      createNotification(kind, { clientId, inline }),
    )
    expect(typeof JSON.parse(stringified?.body ?? '').data).toBe('string')
    expect(typeof JSON.parse(inline?.body ?? '').data).toBe('object')
    const event = read(stringified as never)
    expect(event.type).toBe(kind)
    expect(read(inline as never)).toEqual(event)
  })

  it('takes changes: merged, removed, replaced, and integers of any size', () => {
    const notification = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', {
      clientId,
      data: { id: 9223372036854775807n, amount: { number: '0.10' }, refundTxn: undefined, debitTxn: null },
    })
    expect(notification.body).toContain('9223372036854775807')
    const { data } = read(notification) as { data: object }
    expect(data).toMatchObject({
      id: '9223372036854775807',
      amount: { number: '0.1', currency: 'USD' },
      debitTxn: null,
      creditTxn: { id: '556102' },
    })
    expect(data).not.toHaveProperty('refundTxn')
  })

  it('makes what does not fit, too', () => {
    expect(
      read(createNotification('ACCOUNT_STATUS_UPDATED', { clientId, data: { verified: 'yes' } })),
    ).toMatchObject({
      type: 'UNRECOGNIZED',
    })
    expect(read(createNotification('NEW_KIND', { clientId, data: { a: 1 } }))).toMatchObject({
      kind: 'NEW_KIND',
      data: { a: 1 },
    })
    expect(read(createNotification('VBA_TRANSACTION', { clientId, data: 'not json' }))).toEqual({
      type: 'VBA_TRANSACTION',
      data: 'not json',
    })
    expect(read(createNotification('VBA_TRANSACTION', { clientId, data: null }))).toMatchObject({
      data: null,
    })
  })

  it('lends nobody its samples', () => {
    const sample = sampleData('INBOUND_PAYMENT_STATUS_UPDATED') as { amount: { number: number } }
    sample.amount.number = 0
    expect(sampleData('INBOUND_PAYMENT_STATUS_UPDATED')).toMatchObject({ amount: { number: 1250.75 } })
  })
})

describe('deliver', () => {
  const receiver = createReceiver({ clientId, callbackToken: 'secret' })
  const notification = createNotification('VBA_TRANSACTION', { clientId, url: '/in?token=secret' })

  it('hands a notification to a receiver', async () => {
    expect(await deliver(receiver, notification)).toMatchObject({ status: 200, body: '{"received":true}' })
    expect(await deliver(receiver, createNotification('VBA_TRANSACTION', { clientId }))).toMatchObject({
      status: 401,
    })
  })

  it('sends it to a URL', async () => {
    const server = await listen(receiveWebhooks(receiver))
    const url = `http://127.0.0.1:${server.port}/in?token=secret`
    expect(await deliver(url, notification)).toMatchObject({ status: 200, body: '{"received":true}' })
    expect(await deliver(new URL(url), notification)).toMatchObject({ status: 200 })
    await server.close()
  })

  it('does not wait for ever', async () => {
    const silent = await listen(() => {})
    const waiting = deliver(`http://127.0.0.1:${silent.port}`, notification, { timeoutMs: 20 })
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
    await silent.close()
  })
})
