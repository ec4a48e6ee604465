import { beforeEach, describe, expect, it } from 'vitest'
import type { Faults, Sandbox } from '../../../src/sandbox/index.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { failsAtFirst, receiver as openReceiver, openSandbox } from '../open-sandbox.ts'
import { dataOf, type ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { subscribe } from '../service/http-calls.ts'

const KIND = 'VBA_TRANSACTION'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await openSandbox()
})

async function receiver(...answer: Parameters<typeof openReceiver>): Promise<ReceiverOfNotifications> {
  const opened = await openReceiver(...answer)
  await subscribe(sandbox, KIND, opened.url)
  return opened
}

async function trigger(id: number, faults: Faults = {}) {
  return await sandbox.trigger(KIND, { id }, { faults: { reorder: true, ...faults } })
}

const idsOf = ({ arrivals }: ReceiverOfNotifications): number[] =>
  arrivals.map((arrival) => dataOf(arrival).id)

describe('reorder', () => {
  it('swaps neighbors', async () => {
    const opened = await receiver()
    await trigger(1, { burst: 5 })
    const places = idsOf(opened)
    expect(places).toHaveLength(5)
    expect(places.indexOf(2)).toBeLessThan(places.indexOf(1))
    expect(places.indexOf(4)).toBeLessThan(places.indexOf(3))
    // The last one has no neighbor, so it is released after a while.
    expect(places).toContain(5)
  })

  it('waits for the first response, not for the last attempt', async () => {
    sandbox = await openSandbox({ retryDelayMs: 50 })
    const failing = await receiver(failsAtFirst)
    await trigger(1, { burst: 2 })
    expect(idsOf(failing)).toEqual([2, 1, 2])
  })

  it('waits for at least 250 ms, but not forever, without a neighbor or for one without a response', async () => {
    const opened = await receiver()
    const start = performance.now()
    await trigger(1)
    expect(performance.now() - start).toBeGreaterThanOrEqual(245)

    const silent = await receiver((response, _arrival, count) => count > 1 && response.end())
    const triggered = trigger(2, { burst: 2 })
    await waitFor(() => silent.arrivals.length === 2)
    expect(idsOf(silent)).toEqual([3, 2])
    expect(opened.arrivals.length).toBeGreaterThanOrEqual(1)
    await sandbox.close()
    await triggered
  })

  it('works across calls, and after a delay', async () => {
    const opened = await receiver()
    await Promise.all([trigger(1, { delayMs: 300 }), trigger(2, { delayMs: 300 })])
    expect(idsOf(opened)).toEqual([2, 1])
  })

  it('applies to each configuration separately', async () => {
    const [one, two] = [await receiver(), await receiver()]
    await trigger(1, { burst: 2 })
    for (const each of [one, two]) expect(idsOf(each)).toEqual([2, 1])
  })
})

describe('reorder and duplicate', () => {
  it('keep copies together and swap neighbors', async () => {
    const opened = await receiver()
    await trigger(1, { burst: 4, duplicate: 2 })
    const places = idsOf(opened)
    expect([...places].sort()).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    for (const [first, second] of [
      [1, 2],
      [3, 4],
    ] as const) {
      expect(places.indexOf(second)).toBeLessThan(places.indexOf(first))
    }
  })

  it('never swap a notification with itself, in any call', async () => {
    const opened = await receiver()
    const calls = [trigger(1), trigger(1), trigger(2)]
    await Promise.all(calls)
    expect(idsOf(opened)).toEqual([2, 1, 1])
  })

  it('delay again a notification that was not delayed before', async () => {
    const opened = await receiver()
    await Promise.all([trigger(1), trigger(2)])
    await Promise.all([trigger(2), trigger(1)])
    expect(idsOf(opened)).toEqual([2, 1, 1, 2])
  })
})
