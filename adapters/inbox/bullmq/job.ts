import { Buffer } from 'node:buffer'
import type { Job, Queue } from 'bullmq'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import { kindOf } from '../../../src/inbox/recovery.ts'
import type { SignedNotification } from '../../../src/notification/signed-notification.ts'
import { attemptsOf, type Imported } from './attempts.ts'

/** The data of a job. */
export interface StoredNotification {
  readonly signature: string
  readonly clientId: string
  /** Unix time in milliseconds. */
  readonly receivedAt: number
  /** Base64, as the exact bytes need not be UTF-8. */
  readonly body: string
  readonly imported?: Imported | undefined
}

export type InboxJob = Job<StoredNotification, void, string>
export type InboxQueue = Queue<StoredNotification, void, string>

/** The name of every job. The kind is unknown until the body is parsed. */
export const JOB_NAME = 'notification'

/** The defaults of a user's queue must not apply: the worker decides about retries and retention. */
export function withoutDefaults({ opts }: Pick<InboxQueue, 'opts'>): object {
  return Object.fromEntries(Object.keys(opts.defaultJobOptions ?? {}).map((name) => [name, undefined]))
}

export function toStored(notification: SignedNotification): StoredNotification {
  const { signature, clientId, receivedAt, rawBody } = notification
  const { buffer, byteOffset, byteLength } = rawBody
  return {
    signature,
    clientId,
    receivedAt: receivedAt.getTime(),
    body: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  }
}

/** Reads leniently: a job that another program added can be listed, and ends up dead. */
export function fromStored(data: Partial<StoredNotification> | null): SignedNotification {
  const { signature = '', clientId = '', receivedAt = 0, body = '' } = data ?? {}
  return {
    signature: String(signature),
    clientId: String(clientId),
    receivedAt: new Date(Number(receivedAt) || 0),
    rawBody: Buffer.from(String(body), 'base64'),
  }
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
