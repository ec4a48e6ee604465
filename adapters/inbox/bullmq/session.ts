import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { type BackoffOptions, DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { PROCESS_ENDED } from '../../../src/inbox/failure.ts'
import { createHandlerRunner } from '../../../src/inbox/handler-runner.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createIsolation } from '../../../src/inbox/isolation.ts'
import { retryDelay } from '../../../src/inbox/retry-delay.ts'
import type { InboxConsumer } from '../../../src/receiver/receiver-inbox.ts'
import {
  attemptsOf,
  delayedUntil,
  endedProgress,
  importedOf,
  isSuspect,
  returnedProgress,
  settledProgress,
  unsettledCrashes,
} from './attempts.ts'
import { createBusyKeys, delayInstead, ParkedError } from './busy-keys.ts'
import type { Connection } from './connection.ts'
import { fromStored, type InboxJob, idempotencyKeyOf, type JobData } from './job.ts'
import type { SubjectIndex } from './subject-index.ts'
import { watchWorker } from './watch-worker.ts'

export type SessionOptions = CheckedInboxOptions & { readonly lockSeconds: number }

/** For how long the index of subjects keeps what it has at least: a put takes less. */
const TIDY_MS = 60_000
/** How long a suspect is delayed if it cannot run alone yet. */
const SUSPECT_MS = 500

/** How long a worker waits after Redis has rejected that it takes a job. */
const REJECTED_MS = 100

/** What ends an attempt if there is another one. */
class DelayedInsteadError extends Error {}

/** What happens between a `start()` and its `stop()`: a BullMQ worker. */
export class Session {
  readonly #consumer: InboxConsumer
  readonly #options: SessionOptions
  readonly #runner
  readonly #isolation = createIsolation()
  /** Jobs being processed, except a suspect that waits until it is alone. */
  readonly #busy = new Set<Promise<unknown>>()
  readonly #deadReports = new Set<Promise<void>>()
  readonly #worker
  readonly #busyKeys
  readonly #watch: NodeJS.Timeout
  readonly #running: Promise<unknown>
  #stopping = false

  constructor(
    { queue, workerOptions }: Connection,
    index: SubjectIndex,
    consumer: InboxConsumer,
    options: SessionOptions,
    failing: boolean,
    onUnusable: () => void,
  ) {
    const lockMs = options.lockSeconds * 1_000
    this.#consumer = consumer
    this.#options = options
    this.#runner = createHandlerRunner(consumer, options.stopTimeoutMs)
    const worker = new Worker<JobData, string | undefined, string>(
      queue.name,
      (job, token) => this.#handle(job, token),
      {
        ...workerOptions(),
        autorun: false,
        concurrency: options.concurrency,
        removeOnComplete: { age: options.keepCompletedSeconds },
        lockDuration: lockMs,
        stalledInterval: lockMs / 2,
        // #handle limits the attempts, as failures and crashes count together.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: 1_000,
      },
    )
    this.#worker = worker
    delayRejected(worker.getBackend())
    worker.on('failed', (job, error) => {
      if (job !== undefined)
        this.#busyKeys.end(job, job.token, error instanceof ParkedError ? 'park' : 'leave')
      if (job?.finishedOn && importedOf(job)?.state !== 'dead') this.#reportDead(job, error.message)
    })
    worker.on('completed', (job) => this.#busyKeys.end(job, job.token, 'complete'))
    this.#busyKeys = createBusyKeys(worker, options)
    void this.#keepSweeping(index, lockMs)
    this.#watch = watchWorker(worker, consumer, () => this.#stopping, lockMs, failing)
    this.#running = this.#run(onUnusable)
  }

  /** BullMQ does not retry the first command of a connection: it would loop without a pause. */
  async #run(onUnusable: () => void): Promise<void> {
    const { client, blockingClient } = this.#worker.getBackend()
    try {
      await Promise.all([client, blockingClient])
    } catch (error) {
      if (this.#stopping) return
      this.#worker.emit('error', error as Error)
      return onUnusable()
    }
    await this.#worker.run().catch((error) => this.#worker.emit('error', error))
  }

  async #keepSweeping(index: SubjectIndex, pauseMs: number): Promise<void> {
    const tidyMs = Math.max(this.#options.keepCompletedSeconds * 1_000, TIDY_MS)
    while (!this.#stopping) {
      // Not awaited: its connection may be silent for a quarter of an hour, and nobody else reconnects it.
      index.tidy(tidyMs).catch(() => {})
      await this.#busyKeys.sweep().catch(() => {})
      await delay(pauseMs, undefined, { ref: false })
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#watch)
    await this.#worker.pause(true)
    await this.#runner.finish(() => this.#lastWrites())
    // Forced, as a graceful close waits for unfinished jobs and for Redis. Their locks expire.
    await this.#worker.close(true)
  }

  async #lastWrites(): Promise<void> {
    // The worker takes no more jobs; this ends its blocking wait for one.
    this.#worker
      .getBackend()
      .disconnectBlocking(false)
      .catch(() => {})
    await this.#running
    await Promise.all(this.#deadReports)
    await this.#busyKeys.settled()
  }

  async #handle(job: InboxJob, token: string | undefined): Promise<string | undefined> {
    // They apply only if BullMQ itself fails.
    const backoff: BackoffOptions = { type: 'fixed', delay: this.#options.retryDelayMs }
    Object.assign(job.opts, { attempts: Number.MAX_SAFE_INTEGER, backoff })
    const imported = importedOf(job)
    if (imported?.state === 'completed') return imported.error ?? undefined
    if (imported?.state === 'dead') fail(imported.error ?? '')
    const until = delayedUntil(job)
    if (until > Date.now()) return await this.#occupy(this.#setAside(job, token, until))
    if (this.#stopping || this.#isolation.isActive()) return await this.#occupy(this.#putBack(job, token))
    if (unsettledCrashes(job) > 0) return await this.#occupy(this.#failAfterCrash(job))
    if (!isSuspect(job)) return await this.#occupy(this.#runHandlers(job, token))
    if (!this.#isolation.mayBegin())
      return await this.#occupy(this.#setAside(job, token, Date.now() + SUSPECT_MS))
    return await this.#runAlone(job, token)
  }

  async #runHandlers(job: InboxJob, token: string | undefined): Promise<string | undefined> {
    if (!(await this.#busyKeys.take(job, token))) this.#busyKeys.park(job)
    if (this.#stopping) return await this.#putBack(job, token)
    const attempt = attemptsOf(job) + 1
    const delayMs = retryDelay(attempt, this.#options)
    const notification = fromStored(job.data)
    const delivery = {
      ...notification,
      id: job.id ?? '',
      idempotencyKey: idempotencyKeyOf(job, notification),
      attempt,
      retryDelayMs: delayMs,
    }
    const outcome = await this.#runner.run(delivery)
    if (outcome.result === 'completed') return outcome.note
    if (outcome.result === 'cut_off')
      return this.#delay(job, 0, true, { progress: returnedProgress(job, Date.now()) })
    const failed = outcome.result === 'failed'
    const afterMs = failed ? (outcome.final ? undefined : delayMs) : outcome.afterMs
    if (afterMs === undefined) fail(outcome.error)
    const progress = endedProgress(job, Date.now() + afterMs)
    return this.#delay(job, afterMs, !failed, { failedReason: outcome.error, progress })
  }

  /** Runs a suspect. If it hangs, the others resume before it ends. */
  async #runAlone(job: InboxJob, token: string | undefined): Promise<string | undefined> {
    let suspect: Promise<string | undefined> | undefined
    await this.#isolation.run(this.#drain(), () => {
      suspect = this.#occupy(this.#runUnlessPaused(job, token))
      return suspect
    })
    if (!this.#stopping) await this.#worker.resume()
    return await suspect
  }

  /** The queue may have been paused while the suspect waited for the others. */
  async #runUnlessPaused(job: InboxJob, token: string | undefined): Promise<string | undefined> {
    const mayRun = !this.#stopping && !(await this.#worker.getBackend().hasQueueMetaField('paused'))
    return await (mayRun ? this.#runHandlers(job, token) : this.#putBack(job, token))
  }

  async #drain(): Promise<void> {
    await this.#worker.pause(true)
    // A job that was just being fetched arrives before this response, and is put back.
    await this.#worker.getBackend().hasQueueMetaField('paused')
    await nextTurn()
    await Promise.allSettled(this.#busy)
  }

  async #failAfterCrash(job: InboxJob): Promise<never> {
    const delayMs = retryDelay(attemptsOf(job), this.#options)
    const progress = settledProgress(job, Date.now() + (delayMs ?? 0))
    if (delayMs !== undefined) {
      const fields = { failedReason: PROCESS_ENDED, progress: JSON.stringify(progress) }
      return this.#delay(job, delayMs, false, fields)
    }
    await job.updateProgress(progress)
    fail(PROCESS_ENDED)
  }

  /** Ends the attempt in one command: nothing is written of a job that another process has taken over. */
  #delay(job: InboxJob, delayMs: number, skipAttempt: boolean, fields: object): never {
    delayInstead(this.#worker, job, delayMs, skipAttempt, fields)
    throw new DelayedInsteadError()
  }

  /** Returns the job to where it was taken from, without counting an attempt. */
  async #putBack(job: InboxJob, token: string | undefined): Promise<never> {
    await job.moveToWait(token)
    this.#busyKeys.end(job, token, 'leave')
    throw new WaitingError()
  }

  /** Delays the job, without counting an attempt. */
  async #setAside(job: InboxJob, token: string | undefined, until: number): Promise<never> {
    await job.moveToDelayed(until, token)
    this.#busyKeys.end(job, token, 'leave')
    throw new DelayedError()
  }

  #occupy<Result>(work: Promise<Result>): Promise<Result> {
    const occupied = work.finally(() => this.#busy.delete(occupied))
    this.#busy.add(occupied)
    return occupied
  }

  #reportDead(job: InboxJob, error: string): void {
    const report = this.#consumer
      .dead({ ...fromStored(job.data), id: job.id ?? '', attempts: attemptsOf(job), error })
      .catch(() => {})
      .finally(() => this.#deadReports.delete(report))
    this.#deadReports.add(report)
  }
}

/** While Redis rejects writes, BullMQ would ask for a job again without a pause. */
function delayRejected(backend: ReturnType<Worker['getBackend']>): void {
  const moveToActive = backend.moveToActive.bind(backend)
  backend.moveToActive = (...args) =>
    moveToActive(...args).catch(async (error) => {
      await delay(REJECTED_MS)
      throw error
    })
}

function fail(message: string): never {
  const error = new UnrecoverableError(message)
  // BullMQ stores the stack of every attempt, and this one would be the inbox's own.
  error.stack = ''
  throw error
}
