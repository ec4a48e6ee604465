import { Buffer } from 'node:buffer'
import { isSubject } from '../events/subject.ts'
import { isTraceparent } from '../notification/signed-notification.ts'
import type { InboxNotification } from '../receiver/receiver-inbox.ts'

/** A notification as JSON, for engines that store JSON. */
export interface StoredNotification {
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
}

export function toStored(notification: InboxNotification): StoredNotification {
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
export function fromStored(data: Partial<StoredNotification> | null): Omit<InboxNotification, 'id'> {
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
