import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'bullmq'
import { createBatch } from './batch.ts'
import { concurrencyKeyOfJob, type InboxJob, type JobData } from './job.ts'
import { runScript } from './scripts.ts'

/** How a job stops being active. One that `leave`s is not parked, and does not hold others back. */
type End = 'complete' | 'leave' | 'park'

export const LONGEST_RETRY_MS = 2 ** 31
/** A year, so that `health` finds a parked job behind all retries. It is woken before. */
const PARKED_MS = 365 * 86_400_000

/** How many parked jobs of a key a sweep wakes if they need not run one at a time anymore. */
const WOKEN_AT_ONCE = 1_000

export class ParkedError extends Error {}

/**
 * Lets only one job of a concurrency key be active at a time, in all processes.
 *
 * A job makes its key busy before its handlers run, for as long as it has BullMQ's lock, so nothing has to be
 * released. A job whose key is busy is parked: added to the sorted set of its key, and delayed. The oldest
 * parked job is woken whenever a job is no longer active, which includes the parked job itself, as the key may
 * have become free before it was delayed. If a process is killed before it wakes a job, the next sweep does.
 */
export function createBusyKeys(
  worker: Worker<JobData, string | undefined, string>,
  { oneAtATime }: { readonly oneAtATime: boolean },
) {
  const backend = worker.getBackend()
  const unfinished = new Set<Promise<unknown>>()

  const act = createBatch((actions: readonly string[][]) => {
    const acting = runScript<string | number | null>(worker, 'payhookBusy', actions.flat())
    // What is not woken now, a sweep wakes.
    const waking = acting
      .then((results) => Promise.all(results.map((id) => typeof id === 'string' && wake(backend, id))))
      .catch(() => {})
      .finally(() => unfinished.delete(waking))
    unfinished.add(waking)
    return acting
  })

  return {
    /** @returns whether the handlers may run; if not, the job must be parked */
    async take(job: InboxJob, token = ''): Promise<boolean> {
      const key = oneAtATime ? concurrencyKeyOfJob(job) : null
      if (key === null) return true
      return (await act(['take', ...argsOf(job, key, token)])) === 1
    },
    park(job: InboxJob): never {
      // Redis moves a prioritized job to the front of the queue without a search.
      delayInstead(worker, job, PARKED_MS, true, { priority: 1 })
      throw new ParkedError()
    },
    /** Call it once BullMQ has moved the job. */
    end(job: InboxJob, token = '', how: End): void {
      const key = oneAtATime ? concurrencyKeyOfJob(job) : null
      if (key !== null) act([how, ...argsOf(job, key, token)]).catch(() => {})
    },
    /** Wakes what a killed process has not woken. */
    async sweep(): Promise<void> {
      let cursor = '0'
      do {
        const most = oneAtATime ? 1 : WOKEN_AT_ONCE
        const [next = '0', ...ids] = await runScript(worker, 'payhookSweep', [cursor, most])
        await Promise.all(ids.map((id) => wake(backend, id)))
        cursor = next
      } while (cursor !== '0')
    },
    async settled(): Promise<void> {
      do {
        // A batch begins at the end of the turn.
        await nextTurn()
        await Promise.all(unfinished)
      } while (unfinished.size > 0)
    },
  }
}

function argsOf(job: InboxJob, key: string, token: string): string[] {
  return [key, job.id ?? '', token, String(job.attemptsStarted)]
}

/**
 * Has BullMQ delay the job, instead of what it does if a job fails. A DelayedError would take two commands:
 * only this one fetches the next job, too.
 */
export function delayInstead(
  worker: Worker,
  job: InboxJob,
  delayMs: number,
  skipAttempt: boolean,
  fieldsToUpdate: object,
): void {
  job.moveToFailed = (_error, token, fetchNext = false) =>
    worker.getBackend().moveToDelayed(job.id ?? '', Date.now(), delayMs, token, {
      skipAttempt,
      fetchNext,
      fieldsToUpdate,
    })
}

async function wake(backend: ReturnType<Worker['getBackend']>, id: string): Promise<void> {
  // Neither finds a job that no longer waits.
  await Promise.allSettled([backend.promote(id), backend.changePriority(id, 0, true)])
}
