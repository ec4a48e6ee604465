import { beforeEach, describe, expect, it } from 'vitest'
import type { Faults, Sandbox } from '../../../src/sandbox/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { listenTcp } from '../../support/listen-tcp.ts'
import { receiver as openReceiver, openSandbox } from '../open-sandbox.ts'
import { dataOf, type ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { subscribe } from '../service/http-calls.ts'

let sandbox: Sandbox
let receiver: ReceiverOfNotifications
beforeEach(async () => {
  sandbox = await openSandbox()
  receiver = await openReceiver()
  await subscribe(sandbox, 'VBA_TRANSACTION', receiver.url)
})

async function trigger(faults: Faults, data = {}) {
  return await sandbox.trigger('VBA_TRANSACTION', data, { faults })
}

const idsOf = ({ arrivals }: ReceiverOfNotifications) => arrivals.map((arrival) => dataOf(arrival).id)

describe('faults', () => {
  it('duplicate: sends identical copies', async () => {
    const deliveries = await trigger({ duplicate: 2 })
    expect(deliveries).toHaveLength(3)
    expect(receiver.arrivals).toHaveLength(3)
    expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1)
    expect(new Set(deliveries.map(({ signature }) => signature)).size).toBe(1)
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(3)
  })

  it('burst: sends different notifications and counts ids up, also beyond 2^53', async () => {
    await trigger({ burst: 3 }, { id: 2n ** 53n })
    expect(receiver.arrivals.map(({ body }) => /\\"id\\":(\d+)/.exec(body)?.[1]).sort()).toEqual([
      '9007199254740992',
      '9007199254740993',
      '9007199254740994',
    ])
    expect(receiver.arrivals.every(({ genuine }) => genuine)).toBe(true)
  })

  it('burst: counts up from a decimal string; other ids are followed by new ones', async () => {
    await trigger({ burst: 3 }, { id: '41' })
    expect(idsOf(receiver).sort()).toEqual([41, 42, 43])
    await trigger({ burst: 3 }, { id: 'mine' })
    const [first, second, third] = idsOf(receiver).slice(3)
    expect([first, typeof second, typeof third]).toEqual(['mine', 'number', 'number'])
    expect(second).not.toBe(third)
  })

  it('delayMs: waits before the first attempt', async () => {
    const start = performance.now()
    await trigger({ delayMs: 80 })
    expect(performance.now() - start).toBeGreaterThanOrEqual(79)
    expect(receiver.arrivals).toHaveLength(1)
  })

  it('signature: sends a well-formed wrong one', async () => {
    const [delivery] = await trigger({ signature: 'wrong' })
    const [arrival] = receiver.arrivals
    expect(arrival?.genuine).toBe(false)
    expect(arrival?.headers['access-signature']).toMatch(/^[0-9a-f]{64}$/)
    expect(delivery?.signature).not.toBe(arrival?.headers['access-signature'])
  })

  it('signature: sends no header', async () => {
    await trigger({ signature: 'missing' })
    expect(receiver.arrivals[0]?.headers).not.toHaveProperty('access-signature')
  })

  it('truncate: sends half of the body, then closes the connection', async () => {
    const raw: string[] = []
    let opened = 0
    const url = await listenTcp((socket) => {
      opened++
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => raw.push(text))
    })
    await subscribe(sandbox, 'VBA_ACCOUNT_STATUS_UPDATED', url)
    const data = { name: 'x'.repeat(5_000) }
    const [delivery] = await sandbox.trigger('VBA_ACCOUNT_STATUS_UPDATED', data, {
      faults: { truncate: true },
    })
    expect(delivery).toMatchObject({ state: 'failed' })
    expect(delivery?.attempts).toHaveLength(3)
    const whole = delivery?.body ?? ''
    await waitFor(() => raw.length === opened)
    expect(raw).toHaveLength(3)
    for (const text of raw) {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      expect(head).toContain(`Content-Length: ${whole.length}`)
      expect(body).toBe(whole.slice(0, whole.length >> 1))
    }
    for (const { error } of delivery?.attempts ?? [])
      expect(error).toBe('the connection was cut by the "truncate" fault')
  })

  it('setFaults: applies to everything from now on, in addition to the faults of a call', async () => {
    sandbox.setFaults({ duplicate: 1, signature: 'missing' })
    const deliveries = await trigger({ signature: 'wrong' })
    expect(deliveries.map(({ faults }) => faults)).toEqual(
      Array.from({ length: 2 }, () => ({ duplicate: 1, signature: 'wrong' })),
    )
    await sandbox.createPayment({}).setStatus('Sent')
    sandbox.setFaults(undefined)
    expect(await trigger({})).toMatchObject([{ faults: {}, state: 'delivered' }])
  })
})

it.each<[string, unknown[], RegExp]>([
  ['an empty kind', [''], /"kind" option must be a non-empty string/],
  ['a kind that is not a string', [7], /"kind" option must be a non-empty string/],
  ['data that is a list', ['VBA_TRANSACTION', []], /"data" must be an object/],
  ['data that is null', ['VBA_TRANSACTION', null], /"data" must be an object/],
  ['an unknown option', ['VBA_TRANSACTION', {}, { twice: true }], /"twice" is not an option/],
  ['no options', ['VBA_TRANSACTION', {}, null], /options must be an object/],
  ['inline', ['VBA_TRANSACTION', {}, { inline: 1 }], /"inline" option must be a boolean/],
  ['accountId', ['VBA_TRANSACTION', {}, { accountId: 1 }], /"accountId" option must be a non-empty string/],
])('a trigger with %s is rejected with a TypeError', async (_what, values, message) => {
  const call = sandbox.trigger(...(values as Parameters<Sandbox['trigger']>))
  await expect(call).rejects.toThrow(TypeError)
  await expect(call).rejects.toThrow(message)
})
