import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BackoffOptions, DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { backoff } from '../../../src/backoff.ts'
import { PROCESS_ENDED } from '../../../src/inbox/failure.ts'
import { createHandlerRunner } from '../../../src/inbox/handler-runner.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createIsolation } from '../../../src/inbox/isolation.ts'
import { settlesWithin } from '../../../src/inbox/settles-within.ts'
import type { InboxConsumer } from '../../../src/receiver/receiver-inbox.ts'
import {
  attemptsOf,
  cutOffsOf,
  importedOf,
  isSuspect,
  noteCutOff,
  settleDeaths,
  unsettledDeaths,
} from './attempts.ts'
import type { Connection } from './connection.ts'
import { fromStored, type InboxJob } from './job.ts'

export type SessionOptions = CheckedInboxOptions & { readonly lockSeconds: number }

/** The state between a `start()` and its `stop()`: a BullMQ worker. */
export interface Session {
  stop(): Promise<void>
}

/** How long `stop()` waits until the last results are stored. */
const LAST_WRITES_MS = 1_000
/** How long a suspect is delayed if it cannot have its turn yet. */
const SUSPECT_MS = 500

export function startSession(
  { queue, workerOptions }: Connection,
  consumer: InboxConsumer,
  options: SessionOptions,
): Session {
  const { concurrency, maxAttempts, retryDelayMs, maxRetryDelayMs, stopTimeoutMs } = options
  const lockMs = options.lockSeconds * 1_000
  const runner = createHandlerRunner(consumer, stopTimeoutMs)
  const isolation = createIsolation()
  /** Jobs being processed, except a suspect that waits for its turn. */
  const busy = new Set<Promise<unknown>>()
  const deadReports = new Set<Promise<void>>()
  let stopping = false

  function occupy<Result>(work: Promise<Result>): Promise<Result> {
    const occupied = work.finally(() => busy.delete(occupied))
    busy.add(occupied)
    return occupied
  }

  async function handle(job: InboxJob, token: string | undefined): Promise<void> {
    // fail() decides about retries. These options apply only if BullMQ itself fails.
    Object.assign(job.opts, { attempts: Number.MAX_SAFE_INTEGER, backoff: fixed(retryDelayMs) })
    const imported = importedOf(job)
    if (imported?.state === 'completed') return
    if (imported?.state === 'dead') fail(job, imported.error ?? '', undefined)
    if (stopping || isolation.isActive()) return await occupy(putBack(job, token))
    if (unsettledDeaths(job) > 0) return await occupy(failAfterCrash(job))
    if (!isSuspect(job)) return await occupy(runHandlers(job, token))
    if (!isolation.mayBegin()) return await occupy(setAside(job, token, Date.now() + SUSPECT_MS))
    await runAlone(job, token)
  }

  async function runHandlers(job: InboxJob, token: string | undefined): Promise<void> {
    const attempt = attemptsOf(job) + 1
    const delayMs = delayAfter(attempt)
    const delivery = { ...fromStored(job.data), id: job.id ?? '', attempt, retryDelayMs: delayMs }
    const outcome = await runner.run(delivery, cutOffsOf(job))
    if (outcome.result === 'failed') fail(job, outcome.error, outcome.final ? undefined : delayMs)
    if (outcome.result === 'cut_off') {
      await noteCutOff(job)
      await setAside(job, token, Date.now())
    }
  }

  /** Gives a suspect its turn. If it hangs, the others resume before it ends. */
  async function runAlone(job: InboxJob, token: string | undefined): Promise<void> {
    let suspect: Promise<void> | undefined
    await isolation.run(drain(), () => {
      suspect = occupy(stopping ? putBack(job, token) : runHandlers(job, token))
      return suspect
    })
    if (!stopping) await worker.resume()
    await suspect
  }

  /** Takes no more jobs, and waits for those being processed. */
  async function drain(): Promise<void> {
    await worker.pause(true)
    // A job that was just being fetched arrives before this answer, and is put back.
    await worker.getBackend().hasQueueMetaField('paused')
    await nextTurn()
    await Promise.allSettled(busy)
  }

  /** Counts the crash of a process as a failed attempt. */
  async function failAfterCrash(job: InboxJob): Promise<never> {
    const attempts = attemptsOf(job)
    await settleDeaths(job)
    fail(job, PROCESS_ENDED, delayAfter(attempts))
  }

  /** The delay after a failed attempt; `undefined` if it is the last. */
  function delayAfter(attempt: number): number | undefined {
    return attempt < maxAttempts ? backoff(attempt, retryDelayMs, maxRetryDelayMs) : undefined
  }

  function reportDead(job: InboxJob, error: string): void {
    const report = consumer
      .dead({ ...fromStored(job.data), id: job.id ?? '', attempts: attemptsOf(job), error })
      .catch(() => {})
      .finally(() => deadReports.delete(report))
    deadReports.add(report)
  }

  const worker = new Worker(queue.name, handle, {
    ...workerOptions,
    autorun: false,
    concurrency,
    removeOnComplete: { age: options.keepCompletedSeconds },
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // handle() limits the attempts, as failures and crashes count together.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    runRetryDelay: 1_000,
  })
  worker.on('failed', (job, error) => {
    if (job?.finishedOn && importedOf(job)?.state !== 'dead') reportDead(job, error.message)
  })
  reportFailures(worker, consumer, () => stopping)
  let paused = false
  const check = async () => {
    const wasPaused = paused
    paused = await isQueuePaused(worker, lockMs).catch(() => paused)
    if (!paused || wasPaused || stopping) return
    consumer.failed(
      new Error(`The queue "${queue.name}" is paused. Resume it, as in a dashboard for BullMQ.`),
    )
  }
  const pulse = setInterval(check, lockMs)
  void check()
  const running = worker.run().catch((error) => worker.emit('error', error))

  async function lastWrites(): Promise<void> {
    // The worker takes no more jobs; this ends its blocking wait for one.
    worker
      .getBackend()
      .disconnectBlocking(false)
      .catch(() => {})
    await running
    await Promise.all(deadReports)
  }

  return {
    async stop() {
      stopping = true
      clearInterval(pulse)
      await worker.pause(true)
      await runner.finish()
      await settlesWithin(lastWrites(), LAST_WRITES_MS)
      // Forced, as a graceful close waits for unfinished jobs and for Redis. Their locks expire.
      await worker.close(true)
    },
  }
}

/** @param delayMs the delay before the next attempt; `undefined` if there is none */
function fail(job: InboxJob, message: string, delayMs: number | undefined): never {
  const error = delayMs === undefined ? new UnrecoverableError(message) : new Error(message)
  // BullMQ stores the stack of every attempt, and this one would be the inbox's own.
  error.stack = ''
  if (delayMs !== undefined) job.opts.backoff = fixed(delayMs)
  throw error
}

function fixed(delayMs: number): BackoffOptions {
  return { type: 'fixed', delay: delayMs }
}

/** Returns the job to where it was taken from, without counting an attempt. */
async function putBack(job: InboxJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}

/** Delays the job, without counting an attempt. */
async function setAside(job: InboxJob, token: string | undefined, until: number): Promise<never> {
  await job.moveToDelayed(until, token)
  throw new DelayedError()
}

/**
 * Whether the queue is paused for all workers. Reconnects if Redis does not respond: otherwise a half-open
 * connection, as after a machine loses power, would go unnoticed for a quarter of an hour.
 */
async function isQueuePaused(worker: Worker, limitMs: number): Promise<boolean> {
  const backend = worker.getBackend()
  const client = await backend.client
  // A cluster belongs to the user, and watches its nodes itself.
  const isOurs = client.status === 'ready' && !client.isCluster
  const late = isOurs ? setTimeout(() => client.disconnect(true), limitMs) : undefined
  return await backend.hasQueueMetaField('paused').finally(() => clearTimeout(late))
}

/** Reports an outage of the worker once. */
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
