import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Lease, LeaseStore, Settlement } from '../../src/inbox/lease-store.ts'
import { createWorker } from '../../src/inbox/worker.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'

const options = {
  concurrency: 2,
  maxAttempts: 2,
  retryDelayMs: 1,
  maxRetryDelayMs: 1,
  stopTimeoutMs: 100,
  now: Date.now,
  tidy: async () => {},
}

/** A store in memory with injected failures, which a real one has only if its disk fails. */
function createStore(leases: Lease[], failing: Partial<Record<keyof LeaseStore, number>> = {}) {
  const calls: string[] = []
  async function call(name: keyof LeaseStore, settled: readonly string[] = []): Promise<void> {
    calls.push(name, ...settled)
    const left = failing[name] ?? 0
    failing[name] = left - 1
    if (left > 0) throw new Error(`${name} failed`)
  }
  const store: LeaseStore = {
    open: () => call('open'),
    async settleAndLease(ended, limit) {
      await call(
        'settleAndLease',
        ended.map(({ lease, to }) => `${to} ${lease.id}`),
      )
      return leases.splice(0, limit)
    },
    look: async () => ({ isDue: true, isSuspectDue: false, mayRecover: true }),
    leaseSuspect: async () => undefined,
    async recover() {
      await call('recover')
      return []
    },
    nextDueAt: async () => undefined,
    close: () => call('close'),
  }
  return { store, calls, called: (text: string) => calls.filter((one) => one === text).length }
}

async function startWorker(
  store: LeaseStore,
  consumer = createConsumer(),
  tidy: () => Promise<void> = options.tidy,
) {
  const worker = createWorker(store, { ...options, tidy })
  await worker.start(consumer)
  return worker
}

const lease = (id: number): Lease => ({
  ...createSigned(id),
  id: String(id),
  idempotencyKey: String(id),
  attempt: 1,
  crashes: 0,
})

describe('a worker', () => {
  it('recovers from an outage of its store, and reports it once', async () => {
    const failing = { recover: 3, settleAndLease: 0 }
    const { store, called } = createStore([lease(1)], failing)
    const consumer = createConsumer(async () => {
      await waitFor(() => called('recover') > 3)
      failing.settleAndLease = 3
    })
    const worker = await startWorker(store, consumer)
    await waitFor(() => called('completed 1') === 4)
    await worker.stop()
    expect(consumer.deliveries).toHaveLength(1)
    expect(consumer.failures.map(String)).toEqual(['Error: recover failed', 'Error: settleAndLease failed'])
  })

  it('goes on to take entries and to store results while it cannot look what there is to do', async () => {
    const { store, called } = createStore([lease(1), lease(2), lease(3)])
    const look = async () => await Promise.reject(new Error('look failed'))
    const consumer = createConsumer()
    const worker = await startWorker({ ...store, look }, consumer)
    await waitFor(() => called('completed 3') === 1)
    await worker.stop()
    expect(consumer.failures.map(String)).toEqual(['Error: look failed'])
  })

  it('returns leases that it gets after stop()', async () => {
    const { store, calls } = createStore([])
    const leased = Promise.withResolvers<Lease[]>()
    const asked = Promise.withResolvers<void>()
    const late: LeaseStore = {
      ...store,
      async settleAndLease(ended, limit) {
        await store.settleAndLease(ended, limit)
        asked.resolve()
        return limit === 0 ? [] : await leased.promise
      },
    }
    const consumer = createConsumer()
    const worker = await startWorker(late, consumer)
    await asked.promise
    const stopped = worker.stop()
    await delay(1)
    leased.resolve([lease(1)])
    await stopped
    expect(consumer.deliveries).toEqual([])
    expect(calls).toContain('return 1')
    expect(calls.at(-1)).toBe('close')
  })

  it('can be started again if its store failed to open', async () => {
    const { store, called } = createStore([lease(1)], { open: 1 })
    const worker = createWorker(store, options)
    const consumer = createConsumer()
    await expect(worker.start(consumer)).rejects.toThrow('open failed')
    await worker.start(consumer)
    await waitFor(() => called('completed 1') === 1)
    await worker.stop()
  })
})

describe('a worker whose store has nothing', () => {
  interface Due {
    isDue: boolean
    dueAt?: number
  }

  /** A store that says what is due, and counts how often it is asked. */
  function createQuiet(leases: Lease[]) {
    const { store, called } = createStore(leases)
    const due: Due = { isDue: false }
    let looks = 0
    const quiet: LeaseStore = {
      ...store,
      async look() {
        looks += 1
        return { isDue: due.isDue, isSuspectDue: false, mayRecover: false }
      },
      nextDueAt: async () => due.dueAt,
    }
    return { store: quiet, due, called, looked: () => looks }
  }

  it('leases once, then only looks', async () => {
    let tidied = 0
    const tidy = async () => {
      tidied += 1
    }
    const { store, called, looked } = createQuiet([lease(1)])
    const consumer = createConsumer()
    const worker = await startWorker(store, consumer, tidy)
    await waitFor(() => called('completed 1') === 1)
    const leased = called('settleAndLease')
    await waitFor(() => looked() >= 4)
    expect(called('settleAndLease')).toBe(leased)
    expect(called('recover')).toBe(0)
    expect(tidied).toBe(1)
    await worker.stop()
    expect(consumer.failures).toEqual([])
  })

  it.each<[string, (due: Due, wake: () => void) => void]>([
    ['it is woken', (_, wake) => wake()],
    [
      'an entry is due',
      (due) => {
        due.dueAt = Date.now() + 10
      },
    ],
    [
      'another process has stored an entry',
      (due) => {
        due.isDue = true
      },
    ],
  ])('leases when %s', async (_, cause) => {
    const leases: Lease[] = []
    const { store, due, called, looked } = createQuiet(leases)
    const worker = await startWorker(store)
    await waitFor(() => looked() >= 2)
    leases.push(lease(1))
    cause(due, worker.wake)
    await waitFor(() => called('completed 1') === 1)
    await worker.stop()
  })

  it('reports that it cannot tidy up', async () => {
    const { store } = createQuiet([])
    const consumer = createConsumer()
    const worker = await startWorker(store, consumer, () => Promise.reject(new Error('tidy failed')))
    await waitFor(() => consumer.failures.length > 0)
    await worker.stop()
    expect(consumer.failures.map(String)).toEqual(['Error: tidy failed'])
  })

  it('asks it nothing more after stop(), even if a result could not be stored', async () => {
    const failing = { settleAndLease: 0 }
    const { store, called } = createStore([lease(1)], failing)
    const consumer = createConsumer(() => {
      failing.settleAndLease = Number.POSITIVE_INFINITY
    })
    const worker = await startWorker(store, consumer)
    await waitFor(() => called('completed 1') > 1)
    await worker.stop()
    expect([consumer.deliveries.length, called('close')]).toEqual([1, 1])
    const asked = called('settleAndLease')
    // Time passes for another worker.
    const other = createQuiet([])
    const watching = await startWorker(other.store)
    await waitFor(() => other.looked() >= 3)
    await watching.stop()
    expect(called('settleAndLease') - asked).toBeLessThanOrEqual(1)
  })
})

it('a worker stores what ended before stop() along with what ends during it', async () => {
  const failing = { settleAndLease: 0 }
  const { store, called } = createStore([lease(1), lease(2)], failing)
  const gates = new Map<string, () => void>()
  const consumer = createConsumer(({ id }) => new Promise<void>((resolve) => gates.set(id, resolve)))
  const worker = createWorker(store, { ...options, stopTimeoutMs: 60_000 })
  await worker.start(consumer)
  await waitFor(() => gates.size === 2)
  failing.settleAndLease = Number.POSITIVE_INFINITY
  gates.get('1')?.()
  await waitFor(() => called('completed 1') > 1)
  const stopped = worker.stop()
  const before = called('completed 1')
  await waitFor(() => called('completed 1') > before + 1)
  failing.settleAndLease = 0
  gates.get('2')?.()
  await stopped
  expect(called('completed 2')).toBe(1)
})

it('a worker counts the crashes of what it recovers', async () => {
  const crashed = [{ ...lease(1), crashes: 1 }]
  const { store } = createStore([])
  const settled: Settlement[] = []
  const recovering: LeaseStore = {
    ...store,
    recover: async () => crashed.splice(0),
    async settleAndLease(ended) {
      settled.push(...ended)
      return []
    },
  }
  const worker = await startWorker(recovering)
  await waitFor(() => settled.length > 0)
  await worker.stop()
  expect(settled).toMatchObject([{ to: 'retry', crashes: 2 }])
})

it('a suspect waits for running handlers, and all others wait for it', async () => {
  const leases = [lease(1)]
  const suspects = [lease(2)]
  const { store } = createStore(leases)
  const gates = new Map<string, () => void>()
  const order: string[] = []
  // As if the worker had already handled others for a second.
  const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(-Infinity)
  onTestFinished(() => clock.mockRestore())
  const consumer = createConsumer(async ({ id }) => {
    order.push(`${id} begins`)
    await new Promise<void>((resolve) => gates.set(id, resolve))
    order.push(`${id} ends`)
  })
  const isolating: LeaseStore = {
    ...store,
    async look() {
      const isSuspectDue = gates.has('1') && suspects.length > 0
      if (isSuspectDue) leases.push(lease(3))
      return { isDue: true, isSuspectDue, mayRecover: false }
    },
    leaseSuspect: async () => suspects.pop(),
  }
  const worker = await startWorker(isolating, consumer)
  await waitFor(() => leases.some(({ id }) => id === '3'))
  for (const id of ['1', '2', '3']) {
    await waitFor(() => gates.has(id))
    gates.get(id)?.()
  }
  await worker.stop()
  expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends'])
})
