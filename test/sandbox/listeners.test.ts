import { describe, expect, it, onTestFinished } from 'vitest'
import type { Delivery, DeliveryFilter } from '../../src/sandbox/index.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { fails, failsAtFirst, openSandbox, openSubscribed } from './open-sandbox.ts'
import { callWebhooks } from './service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'

describe('listeners', () => {
  it('are called once per attempt and once at the end, until they are removed', async () => {
    const { sandbox } = await openSubscribed(KIND, failsAtFirst)
    const heard: string[] = []
    const remove = sandbox.onDelivery(({ state, attempts }) => heard.push(`${state} ${attempts.length}`))
    const [delivery] = await sandbox.trigger(KIND)
    expect(heard).toEqual(['pending 1', 'delivered 2'])
    await sandbox.trigger(KIND, {}, { faults: { drop: true } })
    expect(heard.slice(2)).toEqual(['dropped 0'])
    remove()
    remove()
    await sandbox.trigger(KIND)
    expect(heard).toHaveLength(3)
    expect(delivery?.attempts).toHaveLength(2)
  })

  it('are called once for the third failure', async () => {
    const { sandbox } = await openSubscribed(KIND, fails)
    const heard: string[] = []
    sandbox.onDelivery(({ state, attempts }) => heard.push(`${state} ${attempts.length}`))
    await sandbox.trigger(KIND)
    expect(heard).toEqual(['pending 1', 'pending 2', 'failed 3'])
  })

  it('that throw cause uncaught exceptions, and do not affect deliveries', async () => {
    const uncaught: unknown[] = []
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      // The test runner's own listeners would fail the run.
      const others = process.rawListeners(event)
      process.removeAllListeners(event)
      process.on(event, (error) => uncaught.push([event, (error as Error).message]))
      onTestFinished(() => {
        process.removeAllListeners(event)
        for (const other of others) process.on(event, other as () => void)
      })
    }
    const { sandbox } = await openSubscribed(KIND, failsAtFirst)
    const heard: string[] = []
    const removals = [
      sandbox.onDelivery(() => {
        throw new Error('mine')
      }),
      sandbox.onDelivery(async () => {
        throw new Error('later')
      }),
    ]
    sandbox.onDelivery(({ state }) => heard.push(state))
    expect(await sandbox.trigger(KIND)).toMatchObject([{ state: 'delivered', attempts: [{}, {}] }])
    expect(heard).toEqual(['pending', 'delivered'])
    await waitFor(() => uncaught.length === 4)
    expect(uncaught.sort()).toEqual([
      ['uncaughtException', 'mine'],
      ['uncaughtException', 'mine'],
      ['unhandledRejection', 'later'],
      ['unhandledRejection', 'later'],
    ])
    for (const remove of removals) remove()
  })

  it.each([undefined, null, {}, 'x'])('must be functions, not %j', async (listener) => {
    const sandbox = await openSandbox()
    expect(() => sandbox.onDelivery(listener as never)).toThrow(
      new TypeError('"listener" must be a function'),
    )
  })
})

describe('lists', () => {
  it.each<[object | null, RegExp]>([
    [{ kind: '' }, /^"kind" option must be a non-empty string/],
    [{ state: 'sent' }, /^"state" option must be 'pending' or .* or 'cancelled'$/],
    [{ status: 'failed' }, /^"status" is not an option/],
    [null, /options must be an object/],
  ])('reject the filter %j', async (filter, message) => {
    const sandbox = await openSandbox()
    expect(() => sandbox.deliveries(filter as DeliveryFilter)).toThrow(TypeError)
    expect(() => sandbox.deliveries(filter as DeliveryFilter)).toThrow(message)
  })
})

describe('snapshots', () => {
  it('do not affect the sandbox if they are changed', async () => {
    const { sandbox } = await openSubscribed(KIND, failsAtFirst)
    const faults = { delayMs: 1 }
    const vandalise = (delivery: Delivery) => {
      const mine = delivery as unknown as Record<string, unknown>
      delivery.createdAt.setTime(0)
      for (const { startedAt } of delivery.attempts) startedAt.setTime(0)
      for (const { headers, responseHeaders } of delivery.attempts)
        for (const part of [headers, responseHeaders]) Object.assign(part as object, { mine: 1 })
      Object.assign(delivery.faults, { drop: true })
      ;(delivery.attempts as unknown[]).push({})
      mine.state = 'mine'
    }
    sandbox.onDelivery(vandalise)
    const deliveries = await sandbox.trigger(KIND, {}, { faults })
    const before = JSON.stringify(sandbox.deliveries())
    expect(JSON.parse(before)).toMatchObject([{ state: 'delivered', faults, attempts: [{}, {}] }])
    for (const { createdAt, attempts } of sandbox.deliveries()) {
      expect(attempts).toHaveLength(2)
      for (const date of [createdAt, ...attempts.map(({ startedAt }) => startedAt)])
        expect(Date.now() - date.getTime()).toBeLessThan(60_000)
    }
    for (const delivery of [...deliveries, ...sandbox.deliveries()]) vandalise(delivery)
    expect(JSON.stringify(sandbox.deliveries())).toBe(before)
  })

  it('of faults are copies: later changes to the object have no effect', async () => {
    const { sandbox } = await openSubscribed(KIND)
    const faults: { duplicate: number; drop?: boolean } = { duplicate: 1 }
    sandbox.setFaults(faults)
    faults.drop = true
    expect(await sandbox.trigger(KIND)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
  })

  it('of requests do not affect the sandbox', async () => {
    const sandbox = await openSandbox()
    await callWebhooks(sandbox, {})
    const before = JSON.stringify(sandbox.requests())
    const [request] = sandbox.requests()
    request?.at.setTime(0)
    Object.assign(request ?? {}, { status: 200 })
    sandbox.requests().pop()
    expect(JSON.stringify(sandbox.requests())).toBe(before)
  })
})

describe('settled', () => {
  it('waits for pending deliveries', async () => {
    const { sandbox, arrivals } = await openSubscribed(KIND)
    const triggered = sandbox.trigger(KIND, {}, { faults: { burst: 20 } })
    await sandbox.settled()
    expect(arrivals).toHaveLength(20)
    await triggered
  })

  it('waits for a walk', async () => {
    const { sandbox, arrivals } = await openSubscribed('INBOUND_PAYMENT_STATUS_UPDATED')
    const walked = sandbox.createPayment().walk(['Sent', 'Authorized', 'Complete'], { wait: true })
    await sandbox.settled()
    expect(arrivals).toHaveLength(3)
    expect(await walked).toHaveLength(3)
  })

  // The run fails if a rejection is unhandled while the walk pauses.
  it.each([{ wait: true }, { intervalMs: 1 }])('resolves even if a walk is rejected: %j', async (pace) => {
    const { sandbox } = await openSubscribed('INBOUND_PAYMENT_STATUS_UPDATED')
    const options = { ...pace, faults: { burst: 2_000, drop: true } }
    const walked = sandbox.createPayment().walk(['Sent', 'Authorized', 'Complete'], options)
    sandbox.setFaults({ duplicate: 100 })
    await Promise.all([expect(walked).rejects.toThrow(TypeError), sandbox.settled()])
  })
})
