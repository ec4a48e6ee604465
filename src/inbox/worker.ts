import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../backoff.ts'
import type { InboxConsumer } from '../receiver/receiver-inbox.ts'
import { type AutoResetEvent, createAutoResetEvent } from './auto-reset-event.ts'
import { PROCESS_ENDED } from './failure.ts'
import { createHandlerRunner, type Outcome } from './handler-runner.ts'
import type { CheckedInboxOptions } from './inbox-options.ts'
import { createIsolation } from './isolation.ts'
import type { Lease, LeaseStore, Settlement } from './lease-store.ts'
import { settlesWithin } from './settles-within.ts'

/** Handles the entries of an engine that has no workers of its own. */
export interface Worker {
  /**
   * Called while it is stopped.
   *
   * @throws what the store's `open` throws
   */
  start(consumer: InboxConsumer): Promise<void>
  /** Called while it is started. */
  stop(): Promise<void>
  /** Signals that an entry may be due. */
  wake(): void
}

export type WorkerOptions = Pick<
  CheckedInboxOptions,
  'concurrency' | 'maxAttempts' | 'retryDelayMs' | 'maxRetryDelayMs' | 'stopTimeoutMs'
> & { readonly now: () => number }

/** How often to look for entries that other processes stored or left when they crashed, and for suspects. */
const POLL_MS = 250
/** How long to wait after the store fails. */
const PAUSE_MS = 100
/** How long `stop()` waits until the last results are stored. */
const LAST_WRITES_MS = 1_000

export function createWorker(store: LeaseStore, options: WorkerOptions): Worker {
  const wakeUp = createAutoResetEvent()
  let run: Run | undefined

  return {
    wake: () => wakeUp.set(),
    async start(consumer) {
      await store.open()
      run = startRun(store, consumer, options, wakeUp)
    },
    async stop() {
      await run?.stop()
      await store.close()
    },
  }
}

/** The state between a `start()` and its `stop()`. */
interface Run {
  stop(): Promise<void>
}

function startRun(
  store: LeaseStore,
  consumer: InboxConsumer,
  { concurrency, maxAttempts, retryDelayMs, maxRetryDelayMs, stopTimeoutMs, now }: WorkerOptions,
  wakeUp: AutoResetEvent,
): Run {
  const runner = createHandlerRunner(consumer, stopTimeoutMs)
  const isolation = createIsolation()
  /** What counts towards `concurrency`: handlers, and `onDead` hooks. */
  const busy = new Set<Promise<void>>()
  /** Results that are not stored yet. */
  const ended: Settlement[] = []
  let polledAt = Number.NEGATIVE_INFINITY
  let stopping = false
  let abandoned = false
  let down = false

  function occupy(work: Promise<unknown>): Promise<void> {
    const done = () => {
      busy.delete(occupied)
      wakeUp.set()
    }
    const occupied = work.then(done, done)
    busy.add(occupied)
    return occupied
  }

  function freePlaces(): number {
    return stopping || isolation.isActive() ? 0 : Math.max(concurrency - busy.size, 0)
  }

  async function begin(lease: Lease): Promise<void> {
    if (stopping) ended.push({ lease, to: 'return', cutOffs: lease.cutOffs })
    else await occupy(handle(lease))
  }

  async function handle(lease: Lease): Promise<void> {
    const delayMs = delayAfter(lease)
    const outcome = await runner.run({ ...lease, retryDelayMs: delayMs }, lease.cutOffs)
    ended.push(settlementOf(lease, outcome, delayMs))
  }

  /** The delay after a failed attempt; `undefined` if it is the last. */
  function delayAfter({ attempt }: Lease): number | undefined {
    return attempt < maxAttempts ? backoff(attempt, retryDelayMs, maxRetryDelayMs) : undefined
  }

  function settlementOf(lease: Lease, outcome: Outcome, delayMs: number | undefined): Settlement {
    if (outcome.result === 'completed') return { lease, to: 'completed' }
    if (outcome.result === 'cut_off') return { lease, to: 'return', cutOffs: lease.cutOffs + 1 }
    if (outcome.final) return { lease, to: 'dead', error: outcome.error }
    return failed(lease, outcome.error, 0, delayMs)
  }

  function failed(lease: Lease, error: string, deaths: number, delayMs: number | undefined): Settlement {
    if (delayMs === undefined) return { lease, to: 'dead', error }
    return { lease, to: 'retry', error, dueAt: now() + delayMs, deaths }
  }

  /** Stores results and leases due entries. */
  async function exchange(limit: number): Promise<void> {
    if (limit === 0 && ended.length === 0) return
    const stored = ended.slice()
    const leases = await store.exchange(stored, limit)
    ended.splice(0, stored.length)
    for (const settled of stored) {
      if (settled.to !== 'dead') continue
      const { lease, error } = settled
      void occupy(consumer.dead({ ...lease, attempts: lease.attempt, error }))
    }
    for (const lease of leases) void begin(lease)
  }

  async function recover(): Promise<void> {
    for (let leases = await store.recover(); leases.length > 0; leases = await store.recover()) {
      ended.push(...leases.map((lease) => failed(lease, PROCESS_ENDED, lease.deaths + 1, delayAfter(lease))))
      await exchange(0)
    }
  }

  async function handleSuspect(): Promise<void> {
    const lease = stopping ? undefined : await store.leaseSuspect()
    if (lease !== undefined) await begin(lease)
  }

  async function poll(): Promise<void> {
    if (stopping || performance.now() - polledAt < POLL_MS) return
    await recover()
    if (isolation.mayBegin() && (await store.isSuspectDue())) {
      void isolation.run(Promise.all(busy), handleSuspect).finally(wakeUp.set)
    }
    polledAt = performance.now()
  }

  async function untilNext(): Promise<number> {
    const dueAt = freePlaces() > 0 ? await store.nextDueAt() : undefined
    return dueAt === undefined ? POLL_MS : Math.min(Math.max(dueAt - now(), 0), POLL_MS)
  }

  async function step(): Promise<void> {
    await poll()
    await exchange(freePlaces())
    down = false
    if (ended.length === 0) await wakeUp.wait(await untilNext())
  }

  async function work(): Promise<void> {
    while (!abandoned && !(stopping && busy.size + ended.length === 0 && !isolation.isActive())) {
      try {
        await step()
      } catch (error) {
        // Reported once per outage.
        if (!down && !abandoned) consumer.failed(error)
        down = true
        await delay(PAUSE_MS)
      }
    }
  }

  const working = work()
  return {
    async stop() {
      stopping = true
      wakeUp.set()
      await runner.finish()
      await settlesWithin(working, LAST_WRITES_MS)
      abandoned = true
    },
  }
}
