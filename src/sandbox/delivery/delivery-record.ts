import { Buffer } from 'node:buffer'
import { readSubject } from '../../events/subject.ts'
import { sign } from '../../verification/signature.ts'
import type { Configuration } from '../state/configurations.ts'
import type { Delivery, DeliveryAttempt, DeliveryState } from './delivery.ts'
import type { NotificationFaults } from './faults.ts'

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

/** The key of a signature that a fault makes wrong. A check of such a signature names it. */
export function wrongClientId(clientId: string): string {
  return `not-${clientId}`
}

export function toSignatureHeader(
  body: SignedBody,
  fault: NotificationFaults['signature'],
  clientId: string,
): string | undefined {
  if (fault === 'missing') return undefined
  if (fault === 'wrong') return sign({ body: toBodyBytes(body), clientId: wrongClientId(clientId) })
  return body.signature
}
