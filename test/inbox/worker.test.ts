import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Lease, LeaseStore } from '../../src/inbox/lease-store.ts'
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
}

/** A store in memory that fails where it is told to, which a real one does only when its disk does. */
function createStore(leases: Lease[], failing: Partial<Record<keyof LeaseStore, number>> = {}) {
  const calls: string[] = []
  async function call(name: keyof LeaseStore, lease?: Lease): Promise<void> {
    calls.push(lease === undefined ? name : `${name} ${lease.id}`)
    const left = failing[name] ?? 0
    failing[name] = left - 1
    if (left > 0) throw new Error(`${name} failed`)
  }
  const store: LeaseStore = {
    open: () => call('open'),
    async lease(limit) {
      await call('lease')
      return leases.splice(0, limit)
    },
    complete: (lease) => call('complete', lease),
    retry: (lease) => call('retry', lease),
    bury: (lease) => call('bury', lease),
    release: (lease) => call('release', lease),
    async recover() {
      await call('recover')
      return []
    },
    nextDueAt: async () => undefined,
    close: () => call('close'),
  }
  return { store, calls, called: (text: string) => calls.filter((one) => one === text).length }
}

const lease = (id: number): Lease => ({ ...createSigned(id), id: String(id), attempt: 1 })

describe('a worker', () => {
  it('goes on when its store fails for a while, and says so once', async () => {
    const { store, called } = createStore([lease(1)], { lease: 3, complete: 3 })
    const consumer = createConsumer()
    const worker = createWorker(store, options)
    await worker.start(consumer)
    await waitFor(() => called('complete 1') === 4)
    await worker.stop()
    expect(consumer.deliveries).toHaveLength(1)
    expect(consumer.failures.map(String)).toEqual(['Error: lease failed', 'Error: complete failed'])
  })

  it('does not handle again what it could not store as handled', async () => {
    const { store, called } = createStore([lease(1)], { complete: Number.POSITIVE_INFINITY })
    const consumer = createConsumer()
    const worker = createWorker(store, options)
    await worker.start(consumer)
    await waitFor(() => called('complete 1') > 1)
    const before = Date.now()
    await worker.stop()
    expect(Date.now() - before).toBeLessThan(3_000)
    expect(consumer.deliveries).toHaveLength(1)
    expect(called('close')).toBe(1)
  })

  it('gives back what it got after it was told to stop', async () => {
    const { store, calls } = createStore([])
    const leased = Promise.withResolvers<Lease[]>()
    const asked = Promise.withResolvers<void>()
    const late: LeaseStore = {
      ...store,
      lease() {
        asked.resolve()
        return leased.promise
      },
    }
    const consumer = createConsumer()
    const worker = createWorker(late, options)
    await worker.start(consumer)
    await asked.promise
    const stopped = worker.stop()
    await delay(1)
    leased.resolve([lease(1)])
    await stopped
    expect(consumer.deliveries).toEqual([])
    expect(calls).toContain('release 1')
    expect(calls.at(-1)).toBe('close')
  })

  it('can be started after its store would not open', async () => {
    const { store, called } = createStore([lease(1)], { open: 1 })
    const worker = createWorker(store, options)
    const consumer = createConsumer()
    await expect(worker.start(consumer)).rejects.toThrow('open failed')
    await worker.start(consumer)
    await waitFor(() => called('complete 1') === 1)
    await worker.stop()
  })

  it('takes no more than it may, and the next as soon as one is done', async () => {
    const { store, called } = createStore([lease(1), lease(2), lease(3)])
    const gates = new Map<string, () => void>()
    const consumer = createConsumer(({ id }) => new Promise<void>((resolve) => gates.set(id, resolve)))
    const worker = createWorker(store, options)
    await worker.start(consumer)
    await waitFor(() => gates.size === 2)
    gates.get('2')?.()
    await waitFor(() => gates.has('3'))
    expect(called('complete 2')).toBe(1)
    for (const open of gates.values()) open()
    await worker.stop()
    expect(called('complete 1') + called('complete 3')).toBe(2)
  })
})
