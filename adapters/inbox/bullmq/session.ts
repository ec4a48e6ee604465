import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BackoffOptions, DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { backoff } from '../../../src/backoff.ts'
import { PROCESS_ENDED } from '../../../src/inbox/failure.ts'
import { createHandover } from '../../../src/inbox/handover.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createIsolation } from '../../../src/inbox/isolation.ts'
import { within } from '../../../src/inbox/within.ts'
import type { InboxConsumer } from '../../../src/receiver/receiver-inbox.ts'
import { attemptsOf, cutOffsOf, isSuspect, noteCutOff, settleDeaths, unsettledDeaths } from './attempts.ts'
import type { Connection } from './connection.ts'
import { fromStored, type InboxJob } from './job.ts'

export type SessionOptions = CheckedInboxOptions & { readonly lockMs: number }

/** What lasts from a `start()` to its `stop()`: a BullMQ worker. */
export interface Session {
  stop(): Promise<void>
}

/** How long `stop()` waits for the last outcomes to be stored. */
const LAST_WRITES_MS = 1_000
/** How long a suspect waits before it is looked at again, when it cannot have its turn. */
const SUSPECT_MS = 500

export function startSession(
  { queue, workerOptions }: Connection,
  consumer: InboxConsumer,
  options: SessionOptions,
): Session {
  const { concurrency, maxAttempts, retryDelayMs, maxRetryDelayMs, stopTimeoutMs, lockMs } = options
  const handover = createHandover(consumer, stopTimeoutMs)
  const isolation = createIsolation()
  /** What is in hand, but for a suspect that waits for its turn. */
  const busy = new Set<Promise<unknown>>()
  const deaths = new Set<Promise<void>>()
  let stopping = false

  function occupy<Result>(work: Promise<Result>): Promise<Result> {
    const occupied = work.finally(() => busy.delete(occupied))
    busy.add(occupied)
    return occupied
  }

  async function handle(job: InboxJob, token: string | undefined): Promise<void> {
    // How often and when it is tried again is said below, or here should BullMQ itself fail.
    Object.assign(job.opts, { attempts: Number.MAX_SAFE_INTEGER, backoff: fixed(retryDelayMs) })
    if (stopping || isolation.isActive()) return await occupy(putBack(job, token))
    if (unsettledDeaths(job) > 0) return await occupy(endDeaths(job))
    if (!isSuspect(job)) return await occupy(hand(job, token))
    if (!isolation.mayBegin()) return await occupy(setAside(job, token, Date.now() + SUSPECT_MS))
    await handAlone(job, token)
  }

  async function hand(job: InboxJob, token: string | undefined): Promise<void> {
    const attempt = attemptsOf(job) + 1
    const delayMs = delayAfter(attempt)
    const delivery = { ...fromStored(job.data), id: job.id ?? '', attempt, retryDelayMs: delayMs }
    const outcome = await handover.hand(delivery, cutOffsOf(job))
    if (outcome.result === 'failed') fail(job, outcome.error, outcome.final ? undefined : delayMs)
    if (outcome.result === 'cut_off') {
      await noteCutOff(job)
      await setAside(job, token, Date.now())
    }
  }

  /** Gives a suspect its turn, which may go on beside the others after a while. */
  async function handAlone(job: InboxJob, token: string | undefined): Promise<void> {
    let handed: Promise<void> | undefined
    await isolation.run(emptyHands(), () => {
      handed = occupy(stopping ? putBack(job, token) : hand(job, token))
      return handed
    })
    if (!stopping) await worker.resume()
    await handed
  }

  async function emptyHands(): Promise<void> {
    await worker.pause(true)
    // What was being taken arrives before this answer, and is put back.
    await worker.getBackend().hasQueueMetaField('paused')
    await nextTurn()
    await Promise.allSettled(busy)
  }

  /** Has the death of a process count as a failed attempt. */
  async function endDeaths(job: InboxJob): Promise<never> {
    const attempts = attemptsOf(job)
    await settleDeaths(job)
    fail(job, PROCESS_ENDED, delayAfter(attempts))
  }

  /** How long to wait after an attempt that fails; `undefined` if it is the last. */
  function delayAfter(attempt: number): number | undefined {
    return attempt < maxAttempts ? backoff(attempt, retryDelayMs, maxRetryDelayMs) : undefined
  }

  function bury(job: InboxJob, error: string): void {
    const death = consumer
      .dead({ ...fromStored(job.data), id: job.id ?? '', attempts: attemptsOf(job), error })
      .catch(() => {})
      .finally(() => deaths.delete(death))
    deaths.add(death)
  }

  const worker = new Worker(queue.name, handle, {
    ...workerOptions,
    autorun: false,
    concurrency,
    removeOnComplete: { age: options.keepCompletedSeconds },
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // Whether there have been enough is for handle() to say, as those that failed count, too.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    runRetryDelay: 1_000,
  })
  worker.on('failed', (job, error) => {
    if (job?.finishedOn) bury(job, error.message)
  })
  reportFailures(worker, consumer, () => stopping)
  const pulse = setInterval(() => void checkConnection(worker, lockMs).catch(() => {}), lockMs)
  const running = worker.run().catch((error) => worker.emit('error', error))

  async function lastWrites(): Promise<void> {
    // Nothing is taken any more; this ends the wait for something to take.
    worker
      .getBackend()
      .disconnectBlocking(false)
      .catch(() => {})
    await running
    await Promise.all(deaths)
  }

  return {
    async stop() {
      stopping = true
      clearInterval(pulse)
      await worker.pause(true)
      await handover.finish()
      await within(lastWrites(), LAST_WRITES_MS)
      // Whatever is unfinished is left to its lock, as closing gently would wait for it, and for Redis.
      await worker.close(true)
    },
  }
}

/** @param delayMs how long to wait before the next attempt; `undefined` if there is none */
function fail(job: InboxJob, message: string, delayMs: number | undefined): never {
  const error = delayMs === undefined ? new UnrecoverableError(message) : new Error(message)
  // BullMQ keeps the stack of every attempt, and it would be the inbox's own.
  error.stack = ''
  if (delayMs !== undefined) job.opts.backoff = fixed(delayMs)
  throw error
}

function fixed(delayMs: number): BackoffOptions {
  return { type: 'fixed', delay: delayMs }
}

/** Has it wait in the place where it was taken from, without counting an attempt. */
async function putBack(job: InboxJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}

/** Has it wait behind the others from that time on, without counting an attempt. */
async function setAside(job: InboxJob, token: string | undefined, until: number): Promise<never> {
  await job.moveToDelayed(until, token)
  throw new DelayedError()
}

/**
 * Has the worker connect anew when Redis leaves it without an answer. A connection that was lost without a
 * word, as when a machine vanishes, would otherwise be noticed after a quarter of an hour.
 */
async function checkConnection(worker: Worker, limitMs: number): Promise<void> {
  const client = await worker.getBackend().client
  // A cluster is the user's, and looks after its nodes itself.
  if (client.status !== 'ready' || client.isCluster) return
  const unanswered = setTimeout(() => client.disconnect(true), limitMs)
  await worker
    .getBackend()
    .hasQueueMetaField('paused')
    .finally(() => clearTimeout(unanswered))
}

/** Tells when the worker begins to fail, and not again before it has worked. */
function reportFailures(worker: Worker, consumer: InboxConsumer, isStopping: () => boolean): void {
  let failing = false
  const fails = (error: unknown) => {
    if (!failing && !isStopping()) consumer.failed(error)
    failing = true
  }
  const works = () => {
    failing = false
  }
  worker.on('error', fails)
  worker.on('ioredis:close', () => fails(new Error('The connection to Redis was lost.')))
  worker.getBackend().on('ready', works)
  for (const event of ['active', 'completed', 'drained', 'locksRenewed'] as const) worker.on(event, works)
}
