import type { EventKind } from '../../events/kinds.ts'
import type { NotificationFaults } from './faults.ts'

/**
 * `pending` until it is settled: `delivered` with a 2xx answer, `failed` after the last attempt, `dropped` by a
 * fault, `cancelled` when its configuration was deleted or the sandbox was closed.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped', 'cancelled'] as const

/** One attempt to deliver a notification, and what came of it. */
export interface DeliveryAttempt {
  readonly number: 1 | 2 | 3
  readonly startedAt: Date
  readonly durationMs: number
  /**
   * What was sent: all headers, by the names that they were sent with, and the body, half of it where it was
   * truncated.
   */
  readonly request: {
    readonly method: 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Status of the answer, where one came. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The first 4 KiB of the answer's body, or what came of it before the connection broke. */
  readonly responseBody?: string
  /** Why there is no answer, or not all of it. */
  readonly error?: string
}

/** A notification on its way to one configuration, as it was when you asked. */
export interface Delivery {
  readonly id: string
  readonly kind: EventKind | (string & {})
  readonly configurationId: string
  readonly callbackUrl: string
  /** The exact body; as text, where it is not UTF-8. */
  readonly body: string
  readonly contentType: string
  /** The signature of the body, which receivers know the delivery by. */
  readonly deliveryId: string
  readonly createdAt: Date
  readonly state: DeliveryState
  readonly faults: NotificationFaults
  readonly attempts: readonly DeliveryAttempt[]
  /** Id of the delivery that this one repeats. */
  readonly redeliveryOf?: string
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  readonly kind?: EventKind | (string & {}) | undefined
  readonly state?: DeliveryState | undefined
}
