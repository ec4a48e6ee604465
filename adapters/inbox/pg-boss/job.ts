import { Buffer } from 'node:buffer'
import type { SignedNotification } from '../../../src/notification/signed-notification.ts'
import type { JobData, JobPast } from './engine.ts'

const NO_PAST: JobPast = { attempts: 0, restored: 0, deaths: 0, cutOffs: 0, error: null }
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether PostgreSQL takes it as a uuid, in the one spelling that an entry's id has. */
export function isJobId(id: string): boolean {
  return UUID.test(id)
}

/**
 * Makes ids that sort as they were made (UUID version 7, RFC 9562): time, counter, random bits. Lists are paged
 * by them, so that no page needs an index of ours over pg-boss's table.
 */
export function createJobIds(): () => string {
  let time = 0
  let counter = 0
  return () => {
    const now = Date.now()
    if (now > time) {
      time = now
      counter = 0
    } else if (++counter > 0xfff) {
      time += 1
      counter = 0
    }
    const hex = time.toString(16).padStart(12, '0')
    const count = counter.toString(16).padStart(3, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count}-${crypto.randomUUID().slice(19)}`
  }
}

/** @throws RangeError for a date that is none */
export function toJobData({ deliveryId, clientId, receivedAt, rawBody }: SignedNotification): JobData {
  const bytes = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  return { deliveryId, clientId, receivedAt: receivedAt.toISOString(), body: bytes.toString('base64') }
}

/** Reads it leniently: a job that somebody else put into the queue is to die, and not to break a list. */
export function fromJobData(data: Partial<JobData> | null): SignedNotification {
  const { deliveryId = '', clientId = '', receivedAt = 0, body = '' } = data ?? {}
  return {
    deliveryId: String(deliveryId),
    clientId: String(clientId),
    receivedAt: new Date(Number.isNaN(Date.parse(String(receivedAt))) ? 0 : receivedAt),
    rawBody: new Uint8Array(Buffer.from(String(body), 'base64')),
  }
}

export function pastOf(data: Pick<JobData, 'past'> | null): JobPast {
  return data?.past ?? NO_PAST
}

/** The error in what a job kept: our text, or the reason for which pg-boss gave the attempt up. */
export function fromJobOutput(output: unknown): string | null {
  if (output === null || typeof output !== 'object') return null
  const { error, value, message } = output as { error?: unknown; value?: unknown; message?: unknown }
  if (typeof error === 'string') return error
  const reason = (value as { message?: unknown } | null | undefined)?.message ?? value ?? message
  return `pg-boss: ${typeof reason === 'string' ? reason : JSON.stringify(output)}`
}
