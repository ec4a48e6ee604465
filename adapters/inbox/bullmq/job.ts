import { Buffer } from 'node:buffer'
import type { Job, Queue } from 'bullmq'
import { readKind } from '../../../src/events/read-envelope.ts'
import { isSubject } from '../../../src/events/subject.ts'
import { toIdempotencyKey, toLastingId } from '../../../src/inbox/entry-ids.ts'
import { MAX_PAGE_BYTES } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import { isTraceparent } from '../../../src/notification/signed-notification.ts'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { attemptsOf, dueAtOf, hasError, type Imported, repeatsOf } from './attempts.ts'

export interface JobData {
  readonly signature: string
  readonly clientId: string
  /** Unix time in milliseconds. */
  readonly receivedAt: number
  /** Base64, as the exact bytes need not be UTF-8. */
  readonly body: string
  /** Absent if it is unknown. */
  readonly subject?: string
  /** Absent if it is the subject. */
  readonly concurrencyKey?: string | null
  /** Absent if the service sent it. */
  readonly source?: 'reconcile'
  /** Absent if no sampled span stored it. */
  readonly traceparent?: string
  readonly imported?: Imported | undefined
}

export function toStored(notification: InboxNotification): JobData {
  const { signature, clientId, receivedAt, rawBody, subject, concurrencyKey, source, traceparent } =
    notification
  const { buffer, byteOffset, byteLength } = rawBody
  return {
    signature,
    clientId,
    receivedAt: receivedAt.getTime(),
    body: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
    ...(subject !== null && { subject }),
    ...(concurrencyKey !== undefined && { concurrencyKey }),
    ...(source !== 'service' && { source }),
    ...(traceparent !== undefined && { traceparent }),
  }
}

/** Reads leniently: a job that another program added can be listed, and ends up dead. */
export function fromStored(data: Partial<JobData> | null): Omit<InboxNotification, 'id'> {
  const { signature, clientId, receivedAt, body, subject, concurrencyKey, source, traceparent } = data ?? {}
  const time = new Date(typeof receivedAt === 'number' ? receivedAt : 0)
  return {
    signature: toText(signature),
    clientId: toText(clientId),
    receivedAt: Number.isNaN(time.getTime()) ? new Date(0) : time,
    rawBody: Buffer.from(toText(body), 'base64'),
    subject: isSubject(subject) ? subject : null,
    ...((concurrencyKey === null || isSubject(concurrencyKey)) && { concurrencyKey }),
    source: source === 'reconcile' ? source : 'service',
    ...(isTraceparent(traceparent) && { traceparent }),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A completed job returns what the inbox notes of it. */
export type InboxJob = Job<JobData, string | undefined, string>
export type InboxQueue = Queue<JobData, string | undefined, string>

/** The name of every job. The kind is unknown until the body is parsed. */
export const JOB_NAME = 'notification'

/** The score of a delayed job is its time in milliseconds, times this. */
export const DELAYED_SCORES_PER_MS = 0x1000

/** How many jobs are read at once. Their sizes are not known before. */
const READ_AT_ONCE = 8

/** @param score of a delayed job; one with a priority only waits for another job of its subject */
export async function readEntry(
  queue: InboxQueue,
  id: string,
  state: InboxState,
  score: string | number | null,
): Promise<InboxEntry | undefined> {
  const job = await queue.getJob(id)
  if (job === undefined) return undefined
  const notification = fromStored(job.data)
  const finished = state === 'completed' || state === 'dead'
  const attempts = attemptsOf(job)
  const dueAt = !score || job.priority > 0 ? dueAtOf(job) : Math.floor(Number(score) / DELAYED_SCORES_PER_MS)
  return {
    ...notification,
    id,
    idempotencyKey: idempotencyKeyOf(job, notification),
    kind: readKind(notification.rawBody),
    state,
    attempts: attempts + (state === 'active' ? 1 : 0),
    error: errorOf(job, state),
    dueAt: state === 'waiting' ? new Date(dueAt) : null,
    startedAt: state === 'active' && job.processedOn ? new Date(job.processedOn) : null,
    finishedAt: finished && job.finishedOn ? new Date(job.finishedOn) : null,
  }
}

/** Adds entries, unless their job is gone. @returns whether the page has as many bytes as it may have */
export async function readJobs<Place>(
  page: InboxEntry[],
  places: readonly Place[],
  read: (place: Place) => Promise<InboxEntry | undefined>,
): Promise<boolean> {
  let bytes = page.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
  for (let at = 0; at < places.length; at += READ_AT_ONCE) {
    for (const entry of await Promise.all(places.slice(at, at + READ_AT_ONCE).map(read))) {
      if (entry === undefined) continue
      bytes += entry.rawBody.length
      if (bytes > MAX_PAGE_BYTES && page.length > 0) return true
      page.push(entry)
    }
  }
  return false
}

function errorOf(job: InboxJob, state: InboxState): string | null {
  if (state === 'completed') return typeof job.returnvalue === 'string' ? job.returnvalue : null
  if (!hasError(job)) return null
  return job.failedReason || job.data?.imported?.error || null
}

export function idempotencyKeyOf(job: InboxJob, notification: Omit<InboxNotification, 'id'>): string {
  return toIdempotencyKey(toLastingId({ ...notification, id: job.id ?? '' }), repeatsOf(job))
}

/** `null` if the job is not limited. */
export function concurrencyKeyOfJob({ data }: Pick<InboxJob, 'data'>): string | null {
  const key = data?.concurrencyKey
  return key === null || isSubject(key) ? key : subjectOf({ data })
}

/** `null` if there is none, or if another program has added the job. */
export function subjectOf({ data }: Pick<InboxJob, 'data'>): string | null {
  const subject = data?.subject
  return isSubject(subject) ? subject : null
}
