import type { InvoiceStatus } from '../../events/invoice-status.ts'
import type { PaymentStatus } from '../../events/payment-status.ts'
import type { Overrides, SampleObject } from '../../testing/sample-data.ts'
import type { Delivery } from './delivery.ts'
import type { Faults } from './faults.ts'

/** How a notification is sent. */
export interface NotifyOptions {
  /** Send `data` as an object, as some senders do, instead of a string. @default `false` */
  readonly inline?: boolean | undefined
  /** Faults of these notifications, in addition to those of `setFaults`. */
  readonly faults?: Faults | undefined
}

/** Options of {@link StatusSequence.walk}. */
export interface WalkOptions extends NotifyOptions {
  /** Wait until the notifications of a status are settled before the next status. @default `false` */
  readonly wait?: boolean | undefined
  /** Time between two statuses, in milliseconds, from 0 to 24.8 days. @default 0 */
  readonly intervalMs?: number | undefined
}

/** A resource whose status changes notify both sides. */
export interface StatusSequence<Status extends string> {
  /** A decimal string. */
  readonly id: string
  /** A copy of the current data. A number that JavaScript cannot hold is a decimal string. */
  readonly data: SampleObject
  /**
   * Changes the status and other data, and notifies the payer's and the payee's configurations. Resolves when
   * all deliveries are settled.
   *
   * @throws TypeError if the status is empty, the changes are not JSON, or an option is unknown or out of
   *   range. The data is not changed then.
   */
  setStatus(status: Status, changes?: Overrides, options?: NotifyOptions): Promise<Delivery[]>
  /**
   * Goes through a list of statuses. Default: the usual ones. Resolves when all deliveries are settled.
   *
   * @throws TypeError if `statuses` is not a list of statuses, or an option is unknown or out of range
   */
  walk(statuses?: readonly Status[], options?: WalkOptions): Promise<Delivery[]>
}

/**
 * A payment. The payer's account gets `OUTBOUND_PAYMENT_STATUS_UPDATED`, the payee's
 * `INBOUND_PAYMENT_STATUS_UPDATED`. Its usual statuses are Sent, PendingAuth, Authorized, InProgress, Complete.
 */
export type SandboxPayment = StatusSequence<PaymentStatus>

/**
 * An invoice. The payee, who sends it, gets `OUTBOUND_INVOICE_STATUS_UPDATED`, the payer
 * `INBOUND_INVOICE_STATUS_UPDATED`. Its usual statuses are Claimed and MarkAsPaid. It has a payment, which
 * becomes Sent when the invoice is Claimed, and Complete when it is MarkAsPaid, with the notifications of a
 * payment. If you set `paymentId` in the data, no payment is created.
 */
export type SandboxInvoice = StatusSequence<InvoiceStatus>
