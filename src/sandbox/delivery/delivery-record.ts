import { randomUUID } from 'node:crypto'
import { sign } from '../../verification/signature.ts'
import type { Configuration } from '../service/configurations.ts'
import type { Delivery, DeliveryAttempt, DeliveryState } from './delivery.ts'
import type { Faults } from './faults.ts'

/** A notification for one configuration. */
export interface DeliveryOrder {
  readonly configuration: Configuration
  readonly body: string
  readonly faults: Faults
}

/** A delivery as it is kept; what others get of it is a snapshot. */
export interface DeliveryRecord extends Omit<Delivery, 'state' | 'attempts'> {
  state: DeliveryState
  readonly attempts: DeliveryAttempt[]
  readonly signature: string | undefined
}

export function createDeliveryRecord(order: DeliveryOrder, clientId: string): DeliveryRecord {
  const { configuration, body, faults } = order
  const deliveryId = sign({ body, clientId })
  return {
    id: randomUUID(),
    kind: configuration.event,
    configurationId: configuration.id,
    callbackUrl: configuration.callbackUrl,
    body,
    deliveryId,
    createdAt: new Date(),
    state: 'pending',
    faults,
    attempts: [],
    signature: toHeader(faults.signature, body, clientId, deliveryId),
  }
}

/**
 * A copy: dates, which cannot be frozen, are copied, and all the rest that it shares with the record is frozen.
 */
export function toSnapshot({ signature: _signature, ...record }: DeliveryRecord): Delivery {
  const attempts = record.attempts.map((attempt) =>
    Object.freeze({ ...attempt, startedAt: new Date(attempt.startedAt) }),
  )
  return { ...record, createdAt: new Date(record.createdAt), attempts }
}

function toHeader(
  fault: Faults['signature'],
  body: string,
  clientId: string,
  signature: string,
): string | undefined {
  if (fault === 'missing') return undefined
  return fault === 'wrong' ? sign({ body, clientId: `not-${clientId}` }) : signature
}
