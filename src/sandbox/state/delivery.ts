import { Buffer } from 'node:buffer'
import type { EventKind } from '../../events/kinds.ts'
import { readSubject } from '../../events/subject.ts'
import { sign } from '../../verification/signature.ts'
import type { Configuration } from './configurations.ts'
import type { NotificationFaults } from './faults.ts'

/**
 * `pending` until it is settled: `delivered` after a 2xx response, `failed` after the last attempt, `dropped`
 * by a fault, `cancelled` because the configuration was deleted or the sandbox closed.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped', 'cancelled'] as const

/** One delivery attempt and its result. */
export interface DeliveryAttempt {
  readonly number: 1 | 2 | 3
  readonly startedAt: Date
  readonly durationMs: number
  /** All headers that were sent, with their original names. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the response, if there is one. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The first 4 KiB of the response body, or the part that arrived before the connection broke. */
  readonly responseBody?: string
  /** Why there is no complete response. */
  readonly error?: string
}

/** A snapshot of the delivery of a notification to one configuration. */
export interface Delivery {
  readonly id: string
  readonly kind: EventKind | (string & {})
  readonly configurationId: string
  readonly callbackUrl: string
  /** The exact body. Invalid UTF-8 is replaced. */
  readonly body: string
  readonly contentType: string
  /** The signature of the body. Deliveries of the same body share it. */
  readonly signature: string
  readonly createdAt: Date
  readonly state: DeliveryState
  readonly faults: NotificationFaults
  readonly attempts: readonly DeliveryAttempt[]
  /** The id of the original delivery, if this one is a redelivery. */
  readonly redeliveryOf?: string
}

/** Filter of `Sandbox.deliveries`. */
export interface DeliveryFilter {
  readonly kind?: EventKind | (string & {}) | undefined
  readonly state?: DeliveryState | undefined
}

/** The exact bytes of a notification. All deliveries of these bytes share it. */
export interface SignedBody {
  readonly text: string
  /** The bytes of a body that is not UTF-8. */
  readonly bytes?: Uint8Array
  readonly size: number
  readonly signature: string
  /** What it is about, such as `payment:48121`. */
  readonly subject: string | null
}

export interface DeliveryOrder {
  readonly kind: string
  readonly configuration: Configuration
  readonly body: SignedBody
  readonly contentType: string
  readonly faults: NotificationFaults
  readonly redeliveryOf?: string
}

/** The mutable record of a delivery. Users get snapshots. */
export interface DeliveryRecord extends Omit<Delivery, 'state' | 'attempts' | 'body' | 'signature'> {
  state: DeliveryState
  readonly body: SignedBody
  readonly attempts: DeliveryAttempt[]
  readonly number: number
  /** The bytes that are freed with the record. The first delivery of a body counts it. */
  memory: number
}

export function createSignedBody(body: string | Uint8Array, clientId: string): SignedBody {
  const signature = sign({ body, clientId })
  const subject = readSubject(body)
  if (typeof body === 'string') return { text: body, size: Buffer.byteLength(body), signature, subject }
  const text = Buffer.from(body).toString()
  const isText = Buffer.from(text).equals(body)
  return { text, size: body.length, signature, subject, ...(!isText && { bytes: body }) }
}

export function toBodyBytes({ text, bytes }: SignedBody): Buffer {
  return Buffer.from(bytes ?? text)
}

/** A copy for users, whose changes have no effect. */
export function toSnapshot({ body, number: _number, memory: _memory, ...record }: DeliveryRecord): Delivery {
  return { ...structuredClone(record), body: body.text, signature: body.signature }
}
