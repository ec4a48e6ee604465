import { UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { backoff } from '../../src/backoff.ts'
import { PROCESS_ENDED } from '../../src/inbox/failure.ts'
import { createHandover } from '../../src/inbox/handover.ts'
import type { CheckedInboxOptions } from '../../src/inbox/inbox-options.ts'
import { within } from '../../src/inbox/within.ts'
import type { InboxConsumer } from '../../src/receiver-inbox.ts'
import type { Connection } from './bullmq-connection.ts'
import { attemptsOf, fromStored, type InboxJob, limitOf } from './bullmq-job.ts'

export type SessionOptions = CheckedInboxOptions & { readonly lockMs: number }

/** What lasts from a `start()` to its `stop()`: a BullMQ worker. */
export interface Session {
  stop(): Promise<void>
}

/** How the retries of a job name the strategy that its worker has for them. */
export const BACKOFF = 'payhook'

/** How long `stop()` waits for the last outcomes to be stored. */
const LAST_WRITES_MS = 1_000
const GIVE_UP = -1

export function startSession(
  { queue, workerOptions }: Connection,
  consumer: InboxConsumer,
  { concurrency, retryDelayMs, maxRetryDelayMs, stopTimeoutMs, keepCompletedSeconds, lockMs }: SessionOptions,
): Session {
  const handover = createHandover(consumer, stopTimeoutMs)
  const deaths = new Set<Promise<void>>()
  let stopping = false

  async function handle(job: InboxJob, token: string | undefined): Promise<void> {
    if (stopping) return await giveBack(job, token)
    const attempts = attemptsOf(job)
    if (attempts >= limitOf(job)) throw withoutStack(new UnrecoverableError(PROCESS_ENDED))
    const delivery = { ...fromStored(job.data), id: job.id ?? '', attempt: attempts + 1 }
    const outcome = await handover.hand(delivery)
    if (outcome.result === 'cut_off') await giveBack(job, token)
    if (outcome.result === 'failed') {
      throw withoutStack(outcome.final ? new UnrecoverableError(outcome.error) : new Error(outcome.error))
    }
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
    removeOnComplete: { age: keepCompletedSeconds },
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // Whether there have been enough is for handle() to say, as those that failed count, too.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    runRetryDelay: 1_000,
    settings: {
      backoffStrategy(attemptsMade, _type, _error, job) {
        const failed = job as InboxJob
        const attempt = attemptsMade + failed.stalledCounter
        return attempt < limitOf(failed) ? backoff(attempt, retryDelayMs, maxRetryDelayMs) : GIVE_UP
      },
    },
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

/** BullMQ keeps the stack of every attempt, and it would be the inbox's own. */
function withoutStack(error: Error): Error {
  error.stack = ''
  return error
}

/** Has it wait again, without counting the attempt. */
async function giveBack(job: InboxJob, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}

/**
 * Has the worker connect anew when Redis leaves it without an answer. A connection that was lost without a word, as when
 * a machine vanishes, would otherwise be noticed after a quarter of an hour.
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
