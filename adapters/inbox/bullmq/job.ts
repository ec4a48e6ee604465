import type { Job, Queue } from 'bullmq'
import { kindOf } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import { fromStored, type StoredNotification } from '../../../src/inbox/stored-notification.ts'
import { attemptsOf, type Imported } from './attempts.ts'

/** The data of a job. */
export interface JobData extends StoredNotification {
  readonly imported?: Imported | undefined
}

export type InboxJob = Job<JobData, void, string>
export type InboxQueue = Queue<JobData, void, string>

/** The name of every job. The kind is unknown until the body is parsed. */
export const JOB_NAME = 'notification'

/** The defaults of a user's queue must not apply: the worker decides about retries and retention. */
export function withoutDefaults({ opts }: Pick<InboxQueue, 'opts'>): object {
  return Object.fromEntries(Object.keys(opts.defaultJobOptions ?? {}).map((name) => [name, undefined]))
}

/** @param dueAt the earliest time of the next attempt of a delayed job */
export function toEntry(job: InboxJob, state: InboxState, dueAt?: Date): InboxEntry {
  const notification = fromStored(job.data)
  const finished = state === 'completed' || state === 'dead'
  const attempts = attemptsOf(job)
  return {
    ...notification,
    id: job.id ?? '',
    kind: kindOf(notification.rawBody),
    state,
    attempts: attempts + (state === 'active' ? 1 : 0),
    // BullMQ keeps the failure of an earlier attempt if a later one succeeds, or if the job is promoted.
    error:
      state === 'completed' || attempts === 0 ? null : job.failedReason || job.data?.imported?.error || null,
    dueAt: state === 'waiting' ? (dueAt ?? new Date(job.timestamp)) : null,
    finishedAt: finished && job.finishedOn ? new Date(job.finishedOn) : null,
  }
}
