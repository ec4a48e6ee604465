import { describe, expect, it } from 'vitest'
import { receiveWebhooks } from '../../adapters/http/node.ts'
import { createReceiver, EVENT_KINDS, verifyAndParse } from '../../src/index.ts'
import { createNotification, handled, sampleData } from '../../src/testing/index.ts'
import { TEST_INBOXES } from '../cli/test-inboxes.ts'
import { mount } from '../contracts/listen.ts'

const clientId = 'a-client'

function read(notification: ReturnType<typeof createNotification>) {
  return verifyAndParse({
    body: notification.body,
    signature: notification.headers['access-signature'],
    clientId,
  })
}

describe('createNotification', () => {
  it.each([...EVENT_KINDS, 'PAYMENT_STATUS_UPDATED'])(
    'creates a valid %s, stringified and inline',
    (kind) => {
      const [stringified, inline] = [false, true].map((inline) =>
        createNotification(kind, { clientId, inline }),
      )
      expect(typeof JSON.parse(stringified?.body ?? '').data).toBe('string')
      expect(typeof JSON.parse(inline?.body ?? '').data).toBe('object')
      const event = read(stringified as never)
      expect(event.type).toBe(kind)
      expect(read(inline as never)).toEqual(event)
    },
  )

  it('rejects an unknown option', () => {
    const options = { clientId, datta: { status: 'Sent' } } as never
    expect(() => createNotification('VBA_TRANSACTION', options)).toThrow(
      new TypeError('"datta" is not an option; the options are clientId, data, inline, url'),
    )
  })

  it('merges, removes and replaces fields, with integers of any size', () => {
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

  it('writes decimal strings as numbers with all digits', () => {
    const data = {
      id: '9223372036854775807',
      amount: { number: '12345678901234567.89' },
      originalRequestId: '1',
      // It is null in the sample.
      refundTxn: { id: '3' },
    }
    for (const inline of [false, true]) {
      const { body } = createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data, inline })
      expect(body).toMatch(/id\\?":9223372036854775807,/)
      expect(body).toMatch(/number\\?":12345678901234567.89,/)
      expect(body).toMatch(/originalRequestId\\?":\\?"1\\?"/)
      expect(body).toMatch(/refundTxn\\?":{\\?"id\\?":3}/)
    }
  })

  it('keeps a field whose name is that of a prototype', () => {
    const data = JSON.parse('{"amount":{"__proto__":{"number":1}},"__proto__":{"id":7}}')
    const { body } = createNotification('VBA_TRANSACTION', { clientId, data, inline: true })
    expect(body.match(/"__proto__":{"(?:id":7|number":1)}/g)).toHaveLength(2)
  })

  it.each<[string, object | string | null, object]>([
    ['ACCOUNT_STATUS_UPDATED', { verified: 'yes' }, { type: 'UNRECOGNIZED' }],
    ['NEW_KIND', { a: 1 }, { type: 'UNRECOGNIZED', kind: 'NEW_KIND', data: { a: 1 } }],
    ['VBA_TRANSACTION', 'not json', { type: 'VBA_TRANSACTION', data: 'not json' }],
    ['VBA_TRANSACTION', null, { type: 'VBA_TRANSACTION', data: null }],
  ])('creates invalid data on request: %s with %j', (kind, data, event) => {
    expect(read(createNotification(kind, { clientId, data: data as never }))).toMatchObject(event)
  })

  it('does not share its samples', () => {
    const sample = sampleData('INBOUND_PAYMENT_STATUS_UPDATED') as { amount: { number: string } }
    sample.amount.number = '0'
    expect(sampleData('INBOUND_PAYMENT_STATUS_UPDATED')).toMatchObject({ amount: { number: '1250.50' } })
  })
})

it('creates what a receiver and fetch take', async () => {
  const callbackToken = 'a-secret-of-16-or-more'
  const receiver = createReceiver({ clientId, callbackToken })
  const path = `/in?token=${callbackToken}`
  const notification = createNotification('VBA_TRANSACTION', { clientId, url: path })
  expect(await receiver.receive(notification)).toMatchObject({ status: 200, body: '{"received":true}' })
  const other = createNotification('VBA_TRANSACTION', { clientId })
  expect(await receiver.receive(other)).toMatchObject({ status: 401 })
  const port = await mount(receiveWebhooks(receiver))
  expect((await fetch(`http://127.0.0.1:${port}${path}`, notification)).status).toBe(200)
})

it.each<[string, object, string]>([
  ['timeout', { timeout: 1 }, '"timeout" is not an option; the options are timeoutMs'],
  ['timeoutMs', { timeoutMs: Number.NaN }, '"timeoutMs" option must be an integer from 0 to 2147483647'],
])('handled rejects a wrong %s, instead of waiting for ever', async (_, options, message) => {
  const inbox = { counts: async () => ({ waiting: 1, active: 0 }) }
  await expect(handled(inbox, options)).rejects.toThrow(new TypeError(message))
})

it('handled waits until nothing waits and nothing is active', async () => {
  const inbox = await TEST_INBOXES.sqlite().open()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let done = 0
  const receiver = createReceiver({ clientId, inbox }).onAny(async () => {
    await gate
    done++
  })
  await receiver.start()
  await handled(inbox)
  for (const id of ['1', '2']) {
    await receiver.receive(createNotification('INBOUND_PAYMENT_STATUS_UPDATED', { clientId, data: { id } }))
  }
  await expect(handled(inbox, { timeoutMs: 1 })).rejects.toThrow(
    /^not handled within 1 ms: \d waiting, \d active$/,
  )
  open()
  await handled(inbox)
  expect(done).toBe(2)
})
