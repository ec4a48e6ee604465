import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { sign } from '../../verification/signature.ts'
import type { Configuration } from '../state/configurations.ts'
import type { Delivery, DeliveryAttempt, DeliveryState } from './delivery.ts'
import type { NotificationFaults } from './faults.ts'

/** A notification for one configuration. */
export interface DeliveryOrder {
  readonly kind: string
  readonly configuration: Configuration
  readonly body: string | Uint8Array
  readonly contentType: string
  readonly faults: NotificationFaults
  /** The id of the original delivery. */
  readonly redeliveryOf?: string
}

/** The mutable record of a delivery. Users get snapshots. */
export interface DeliveryRecord extends Omit<Delivery, 'state' | 'attempts'> {
  state: DeliveryState
  readonly attempts: DeliveryAttempt[]
  /** The sequence number of the delivery. */
  readonly number: number
  /** The bytes of a body that is not UTF-8. */
  readonly bytes?: Uint8Array
}

export function createDeliveryRecord(order: DeliveryOrder, number: number, clientId: string): DeliveryRecord {
  const { kind, configuration, body, contentType, faults, redeliveryOf } = order
  const text = typeof body === 'string' ? body : Buffer.from(body).toString()
  return {
    id: randomUUID(),
    number,
    kind,
    configurationId: configuration.id,
    callbackUrl: configuration.callbackUrl,
    body: text,
    contentType,
    signature: sign({ body, clientId }),
    createdAt: new Date(),
    state: 'pending',
    faults,
    attempts: [],
    ...(redeliveryOf === undefined ? {} : { redeliveryOf }),
    ...(typeof body === 'string' || Buffer.from(text).equals(body) ? {} : { bytes: body }),
  }
}

/** The exact bytes of the body. */
export function toBodyBytes({ body, bytes }: DeliveryRecord): Buffer {
  return bytes === undefined ? Buffer.from(body) : Buffer.from(bytes)
}

/**
 * A snapshot. Dates cannot be frozen, so they are copied; all other shared values are frozen.
 */
export function toSnapshot({ bytes: _bytes, number: _number, ...record }: DeliveryRecord): Delivery {
  const attempts = record.attempts.map((attempt) =>
    Object.freeze({ ...attempt, startedAt: new Date(attempt.startedAt) }),
  )
  return { ...record, createdAt: new Date(record.createdAt), attempts }
}

/** The key of a signature that a fault makes wrong. A check of such a signature names it. */
export function wrongClientId(clientId: string): string {
  return `not-${clientId}`
}

/** The value of the `ACCESS-SIGNATURE` header; `undefined` for none. */
export function toSignatureHeader(
  record: DeliveryRecord,
  fault: NotificationFaults['signature'],
  clientId: string,
): string | undefined {
  if (fault === 'missing') return undefined
  if (fault === 'wrong') return sign({ body: toBodyBytes(record), clientId: wrongClientId(clientId) })
  return record.signature
}
