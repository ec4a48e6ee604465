import { Buffer } from 'node:buffer'
import type { Job, Queue } from 'bullmq'
import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { kindOf } from '../../src/inbox/recovery.ts'
import type { SignedNotification } from '../../src/receiver-inbox.ts'

/** What a job carries. The body is base64, as its exact bytes count and need not be UTF-8. */
export interface StoredNotification {
  readonly deliveryId: string
  readonly clientId: string
  /** In milliseconds since 1970. */
  readonly receivedAt: number
  readonly body: string
}

export type InboxJob = Job<StoredNotification, void, string>
export type InboxQueue = Queue<StoredNotification, void, string>

/** The name of every job: what a body is about is read when it is handled. */
export const JOB_NAME = 'notification'

export function toStored(notification: SignedNotification): StoredNotification {
  const { deliveryId, clientId, receivedAt, rawBody } = notification
  const { buffer, byteOffset, byteLength } = rawBody
  return {
    deliveryId,
    clientId,
    receivedAt: receivedAt.getTime(),
    body: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  }
}

export function fromStored({
  deliveryId,
  clientId,
  receivedAt,
  body,
}: StoredNotification): SignedNotification {
  return { deliveryId, clientId, receivedAt: new Date(receivedAt), rawBody: Buffer.from(body, 'base64') }
}

/**
 * How many attempts have ended: those that failed or succeeded, which BullMQ counts as made, and those whose process
 * ended, which it counts as stalled; one that was cut off is in neither. When a job is given up because its last process
 * ended, BullMQ counts that, too, as an attempt made; hence the limit.
 */
export function attemptsOf(job: InboxJob): number {
  return Math.min(job.attemptsMade + job.stalledCounter, limitOf(job))
}

/** After how many attempts a job is given up. */
export function limitOf({ opts }: Pick<InboxJob, 'opts'>): number {
  return opts.attempts ?? 1
}

/** @param dueAt when a job that waits is handled at the earliest, if that is not at once */
export function toEntry(job: InboxJob, state: InboxState, dueAt?: Date): InboxEntry {
  const notification = fromStored(job.data)
  const finished = state === 'completed' || state === 'dead'
  return {
    ...notification,
    id: job.id ?? '',
    kind: kindOf(notification.rawBody),
    state,
    attempts: attemptsOf(job) + (state === 'active' ? 1 : 0),
    // BullMQ keeps the reason of an earlier attempt when a later one succeeds.
    error: state === 'completed' ? null : job.failedReason || null,
    dueAt: state === 'waiting' ? (dueAt ?? new Date(job.timestamp)) : null,
    finishedAt: finished && job.finishedOn ? new Date(job.finishedOn) : null,
  }
}
