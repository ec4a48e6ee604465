import type { EventKind } from '../../events/kinds.ts'
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
  /**
   * The request: all headers with their original names, and the body, of which a `truncate` fault only sends
   * half.
   */
  readonly request: {
    readonly method: 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
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
  /** The signature of the body, which identifies the delivery in receivers. */
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
