import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../backoff.ts'
import type { InboxConsumer } from '../receiver-inbox.ts'
import { createBell } from './bell.ts'
import { createHandover, type Outcome } from './handover.ts'
import type { CheckedInboxOptions } from './inbox-options.ts'
import type { Lease, LeaseStore } from './lease-store.ts'
import { within } from './within.ts'

/** Works through an engine that has no workers of its own. */
export interface Worker {
  /**
   * Called while it is stopped.
   *
   * @throws what the store's `open` throws
   */
  start(consumer: InboxConsumer): Promise<void>
  /** Called while it is started. */
  stop(): Promise<void>
  /** Says that something may be due. */
  wake(): void
}

export type WorkerOptions = Pick<
  CheckedInboxOptions,
  'concurrency' | 'maxAttempts' | 'retryDelayMs' | 'maxRetryDelayMs' | 'stopTimeoutMs'
> & { readonly now: () => number }

/** How often to look for what other processes stored, or left behind when they died. */
const POLL_MS = 250
/** How long to wait before a store that failed is asked again. */
const PAUSE_MS = 100
/** How long `stop()` waits for the last outcomes to be stored. */
const LAST_WRITES_MS = 1_000

export function createWorker(store: LeaseStore, options: WorkerOptions): Worker {
  const bell = createBell()
  let session: Session | undefined

  return {
    wake: () => bell.ring(),
    async start(consumer) {
      await store.open()
      session = startSession(store, consumer, options, bell)
    },
    async stop() {
      await session?.stop()
      await store.close()
    },
  }
}

/** What lasts from a `start()` to its `stop()`. */
interface Session {
  stop(): Promise<void>
}

function startSession(
  store: LeaseStore,
  consumer: InboxConsumer,
  { concurrency, maxAttempts, retryDelayMs, maxRetryDelayMs, stopTimeoutMs, now }: WorkerOptions,
  bell: ReturnType<typeof createBell>,
): Session {
  const handover = createHandover(consumer, stopTimeoutMs)
  const handling = new Set<Promise<void>>()
  let stopping = false
  let abandoned = false
  let down = false

  /** Asks the store until it answers, or `givenUp` says so; reports when it starts to fail, and once. */
  async function insist<Answer>(
    ask: () => Promise<Answer>,
    givenUp: () => boolean,
  ): Promise<Answer | undefined> {
    while (!givenUp()) {
      try {
        const answer = await ask()
        down = false
        return answer
      } catch (error) {
        if (!down && !givenUp()) consumer.failed(error)
        down = true
        await delay(PAUSE_MS)
      }
    }
    return undefined
  }

  const untilStop = <Answer>(ask: () => Promise<Answer>) => insist(ask, () => stopping)
  const untilAbandoned = (ask: () => Promise<void>) => insist(ask, () => abandoned)

  async function handle(lease: Lease): Promise<void> {
    const outcome = await handover.hand(lease)
    if (isLast(lease, outcome)) {
      const { error } = outcome
      await untilAbandoned(() => store.bury(lease, error))
      await consumer.dead({ ...lease, attempts: lease.attempt, error })
    } else await untilAbandoned(() => settle(lease, outcome))
  }

  function isLast(lease: Lease, outcome: Outcome): outcome is Outcome & { result: 'failed' } {
    return outcome.result === 'failed' && (outcome.final || lease.attempt >= maxAttempts)
  }

  async function settle(lease: Lease, outcome: Outcome): Promise<void> {
    if (outcome.result === 'completed') return await store.complete(lease)
    if (outcome.result === 'cut_off') return await store.release(lease)
    await store.retry(lease, outcome.error, now() + backoff(lease.attempt, retryDelayMs, maxRetryDelayMs))
  }

  function track(work: Promise<unknown>): void {
    const done = () => {
      handling.delete(tracked)
      bell.ring()
    }
    const tracked: Promise<void> = work.then(done, done)
    handling.add(tracked)
  }

  async function takeNew(): Promise<void> {
    const free = concurrency - handling.size
    if (free === 0) return
    for (const lease of (await untilStop(() => store.lease(free))) ?? []) {
      track(stopping ? untilAbandoned(() => store.release(lease)) : handle(lease))
    }
  }

  async function takeBack(): Promise<void> {
    for (const dead of (await untilStop(() => store.recover())) ?? []) track(consumer.dead(dead))
  }

  async function untilNext(): Promise<number> {
    const dueAt = handling.size < concurrency ? await untilStop(() => store.nextDueAt()) : undefined
    return dueAt === undefined ? POLL_MS : Math.min(Math.max(dueAt - now(), 0), POLL_MS)
  }

  async function work(): Promise<void> {
    let recoveredAt = Number.NEGATIVE_INFINITY
    while (!stopping) {
      if (performance.now() - recoveredAt >= POLL_MS) {
        await takeBack()
        recoveredAt = performance.now()
      }
      await takeNew()
      await bell.wait(stopping ? 0 : await untilNext())
    }
  }

  const working = work()
  return {
    async stop() {
      stopping = true
      bell.ring()
      await working
      await handover.finish()
      await within(Promise.all(handling), LAST_WRITES_MS)
      abandoned = true
    },
  }
}
