import { setTimeout as delay } from 'node:timers/promises'
import type { InboxConsumer } from '../receiver/receiver-inbox.ts'
import { settlesWithin } from '../time-limit.ts'
import { PROCESS_ENDED } from './failure.ts'
import { createHandlerRunner, type Outcome } from './handler-runner.ts'
import type { CheckedInboxOptions } from './inbox-options.ts'
import { createIsolation } from './isolation.ts'
import type { Lease, LeaseStore, Settlement } from './lease-store.ts'
import { type RetryOptions, retryDelay } from './retry-delay.ts'

export type WorkerOptions = RetryOptions &
  Pick<CheckedInboxOptions, 'concurrency' | 'stopTimeoutMs'> & {
    readonly now: () => number
    /** Deletes completed entries that are no longer kept. */
    readonly tidy: () => Promise<unknown>
  }

/** How often to look for entries that other processes stored or left when they crashed, and for suspects. */
const POLL_MS = 250
/** How long to wait after the store fails. */
const PAUSE_MS = 100
/** How often completed entries that are no longer kept are deleted. */
const TIDY_MS = 60_000

/** Handles the entries of an engine that has no workers of its own. */
export function createWorker(store: LeaseStore, options: WorkerOptions) {
  const wakeUp = createAutoResetEvent()
  let run: Run | undefined

  return {
    /** Signals that an entry may be due. */
    wake: () => wakeUp.set(),
    async start(consumer: InboxConsumer): Promise<void> {
      await store.open(() => run?.abortLost())
      run = new Run(store, consumer, options, wakeUp)
    },
    async stop(): Promise<void> {
      await run?.stop()
      await store.close()
    },
  }
}

/**
 * - `running`
 * - `stopping`, from `stop()`: leases nothing more, and stores the results of running handlers
 * - `stopped`, once all results are stored, or `stop()` no longer waits for them
 */
type Phase = 'running' | 'stopping' | 'stopped'

type AutoResetEvent = ReturnType<typeof createAutoResetEvent>

/** An auto-reset event: `set` ends the wait, or the next one if nothing waits. */
function createAutoResetEvent() {
  let signal = Promise.withResolvers<void>()
  let isSet = false
  return {
    set() {
      isSet = true
      signal.resolve()
    },
    async wait(limitMs: number): Promise<boolean> {
      await settlesWithin(signal.promise, limitMs)
      const wasSet = isSet
      isSet = false
      signal = Promise.withResolvers()
      return wasSet
    },
  }
}

/** What happens between a `start()` and its `stop()`. */
class Run {
  readonly #store: LeaseStore
  readonly #consumer: InboxConsumer
  readonly #options: WorkerOptions
  readonly #wakeUp: AutoResetEvent
  readonly #runner
  readonly #isolation = createIsolation()
  /** What counts towards `concurrency`: handlers, and `onDead` hooks. */
  readonly #busy = new Set<Promise<void>>()
  /** Results that are not stored yet. */
  readonly #settlements: Settlement[] = []
  readonly #working: Promise<void>
  #phase: Phase = 'running'
  #mayBeDue = true
  #polledAt = Number.NEGATIVE_INFINITY
  #tidiedAt = Number.NEGATIVE_INFINITY

  constructor(store: LeaseStore, consumer: InboxConsumer, options: WorkerOptions, wakeUp: AutoResetEvent) {
    this.#store = store
    this.#consumer = consumer
    this.#options = options
    this.#wakeUp = wakeUp
    this.#runner = createHandlerRunner(consumer, options.stopTimeoutMs)
    this.#working = this.#work()
  }

  async stop(): Promise<void> {
    this.#phase = 'stopping'
    this.#wakeUp.set()
    await this.#runner.finish(() => this.#working)
    this.#phase = 'stopped'
  }

  /** Others handle what this process handles: its handlers need not go on. */
  abortLost(): void {
    this.#runner.abort(new Error('Another process took this one for dead, and took over its notifications.'))
  }

  async #work(): Promise<void> {
    let isDown = false
    while (!this.#isFinished()) {
      try {
        await this.#step()
        isDown = false
      } catch (error) {
        // Reported once per outage.
        if (!isDown && this.#phase !== 'stopped') this.#consumer.failed(error)
        isDown = true
        this.#mayBeDue = true
        await delay(PAUSE_MS)
      }
    }
  }

  #isFinished(): boolean {
    if (this.#phase !== 'stopping') return this.#phase === 'stopped'
    return this.#busy.size + this.#settlements.length === 0 && !this.#isolation.isActive()
  }

  async #step(): Promise<void> {
    const polled = this.#poll()
    // If a store is too slow to say what there is to do, results can still be stored.
    await polled.catch(() => {})
    await this.#settleAndLease(this.#mayBeDue ? this.#free() : 0)
    await polled
    this.#mayBeDue = this.#settlements.length > 0 || (await this.#wait())
  }

  #free(): number {
    if (this.#phase !== 'running' || this.#isolation.isActive()) return 0
    return Math.max(this.#options.concurrency - this.#busy.size, 0)
  }

  /**
   * Waits until something happens in this process, an entry is due, or it is time to poll.
   *
   * @returns whether an entry may be due
   */
  async #wait(): Promise<boolean> {
    const { now } = this.#options
    const dueAt = (this.#free() > 0 ? await this.#store.nextDueAt() : undefined) ?? Infinity
    const isWoken = await this.#wakeUp.wait(Math.min(Math.max(dueAt - now(), 0), POLL_MS))
    return isWoken || dueAt <= now()
  }

  async #poll(): Promise<void> {
    if (this.#phase !== 'running' || performance.now() - this.#polledAt < POLL_MS) return
    const { isDue, isSuspectDue, mayRecover } = await this.#store.look()
    if (mayRecover) await this.#recover()
    this.#mayBeDue ||= isDue || mayRecover
    if (isSuspectDue && this.#isolation.mayBegin()) {
      const othersEnded = Promise.all(this.#busy)
      void this.#isolation.run(othersEnded, () => this.#handleSuspect()).finally(this.#wakeUp.set)
    }
    this.#tidy()
    this.#polledAt = performance.now()
  }

  async #recover(): Promise<void> {
    let leases = await this.#store.recover()
    for (; leases.length > 0; leases = await this.#store.recover()) {
      for (const lease of leases) {
        const delayMs = retryDelay(lease.attempt, this.#options)
        this.#settlements.push(this.#failed(lease, PROCESS_ENDED, lease.crashes + 1, delayMs))
      }
      await this.#settleAndLease(0)
    }
  }

  /** Not awaited, since it may take long. */
  #tidy(): void {
    if (performance.now() - this.#tidiedAt < TIDY_MS) return
    this.#tidiedAt = performance.now()
    this.#options.tidy().catch((error) => {
      if (this.#phase === 'running') this.#consumer.failed(error)
    })
  }

  async #settleAndLease(limit: number): Promise<void> {
    if (this.#phase === 'stopped' || (limit === 0 && this.#settlements.length === 0)) return
    const settlements = this.#settlements.slice()
    const leases = await this.#store.settleAndLease(settlements, limit)
    this.#settlements.splice(0, settlements.length)
    for (const settlement of settlements) {
      if (settlement.to !== 'dead') continue
      const { lease, error } = settlement
      void this.#occupy(this.#consumer.dead({ ...lease, attempts: lease.attempt, error }))
    }
    for (const lease of leases) void this.#begin(lease)
  }

  async #handleSuspect(): Promise<void> {
    const lease = this.#phase === 'running' ? await this.#store.leaseSuspect() : undefined
    if (lease !== undefined) await this.#begin(lease)
  }

  async #begin(lease: Lease): Promise<void> {
    if (this.#phase === 'running') await this.#occupy(this.#handle(lease))
    else this.#settlements.push(this.#returned(lease))
  }

  async #handle(lease: Lease): Promise<void> {
    const delayMs = retryDelay(lease.attempt, this.#options)
    const outcome = await this.#runner.run({ ...lease, retryDelayMs: delayMs })
    this.#settlements.push(this.#toSettlement(lease, outcome, delayMs))
  }

  #occupy(work: Promise<unknown>): Promise<void> {
    const done = () => {
      this.#busy.delete(occupied)
      this.#wakeUp.set()
    }
    const occupied = work.then(done, done)
    this.#busy.add(occupied)
    return occupied
  }

  #toSettlement(lease: Lease, outcome: Outcome, delayMs: number | undefined): Settlement {
    if (outcome.result === 'completed') return { lease, to: 'completed', note: outcome.note }
    if (outcome.result === 'cut_off') return this.#returned(lease)
    if (outcome.result === 'deferred') {
      const { error, afterMs } = outcome
      return { lease, to: 'return', error, delayMs: afterMs, crashes: 0 }
    }
    return this.#failed(lease, outcome.error, 0, outcome.final ? undefined : delayMs)
  }

  #returned(lease: Lease): Settlement {
    return { lease, to: 'return', error: undefined, delayMs: 0, crashes: lease.crashes }
  }

  #failed(lease: Lease, error: string, crashes: number, delayMs: number | undefined): Settlement {
    if (delayMs === undefined) return { lease, to: 'dead', error }
    return { lease, to: 'retry', error, delayMs, crashes }
  }
}
