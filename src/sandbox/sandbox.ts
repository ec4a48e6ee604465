import type { InvoiceStatus } from '../events/invoice-data.ts'
import type { EventKind } from '../events/kinds.ts'
import type { PaymentStatus } from '../events/payment-status.ts'
import type { Overrides, SampleObject } from '../testing/sample-data.ts'
import type { SandboxUser } from './accounts.ts'
import type { Delivery, DeliveryFilter } from './delivery.ts'
import type { Faults } from './faults.ts'
import type { RecordedRequest } from './recorded-requests.ts'

/** How a notification is sent. */
export interface NotifyOptions {
  /** Send `data` as an object, which some senders do, and not as a string. Default `false`. */
  readonly inline?: boolean | undefined
  /** Faults of these notifications, on top of those that `setFaults` set. */
  readonly faults?: Faults | undefined
}

/** Options of {@link Sandbox.trigger}. */
export interface TriggerOptions extends NotifyOptions {
  /** Notify the configurations of this account only. */
  readonly accountId?: string | undefined
}

/** Options of {@link StatusSequence.walk}. */
export interface WalkOptions extends NotifyOptions {
  /** Wait until the notifications of a status are settled before the next status. Default `false`. */
  readonly wait?: boolean | undefined
}

/** Something whose changes of status the two sides are notified of. */
export interface StatusSequence<Status extends string> {
  /** A decimal string. */
  readonly id: string
  /** A copy of the data as it is now. */
  readonly data: SampleObject
  /**
   * Changes the status, and the data beside it, and notifies the payer's and the payee's configurations. Resolves when each
   * delivery is settled.
   *
   * @throws TypeError for an empty status, and for options that do not exist or are out of range
   */
  setStatus(status: Status, changes?: Overrides, options?: NotifyOptions): Promise<Delivery[]>
  /** Goes through statuses, the usual ones by default. Resolves when each delivery is settled. */
  walk(statuses?: readonly Status[], options?: WalkOptions): Promise<Delivery[]>
}

/**
 * A payment (service.md 2.5, 3.1). The payer's account gets `OUTBOUND_PAYMENT_STATUS_UPDATED`, the payee's
 * `INBOUND_PAYMENT_STATUS_UPDATED`. Its usual way is Sent, PendingAuth, Authorized, InProgress, Complete.
 */
export type SandboxPayment = StatusSequence<PaymentStatus>

/**
 * An invoice (service.md 2.6, 3.2). The payee, who sends it, gets `OUTBOUND_INVOICE_STATUS_UPDATED`, the payer
 * `INBOUND_INVOICE_STATUS_UPDATED`. Its usual way is Claimed, MarkAsPaid.
 */
export type SandboxInvoice = StatusSequence<InvoiceStatus>

/** A local payments service, made by `createSandbox`. */
export interface Sandbox {
  /** Base address, such as `http://127.0.0.1:49152`. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** Who can log in on the authorize page. */
  readonly users: readonly SandboxUser[]
  /** The application's own account, a decimal string. */
  readonly accountId: string
  readonly redirectUris: readonly string[]
  /**
   * Has an event happen: every Active configuration of the kind is notified (service.md 6, rule 1). Resolves when each
   * delivery is settled, with what came of it.
   *
   * @param data changes to the sample data of the kind
   * @throws TypeError for a kind, data or options that do not exist or are out of range
   * @example
   * const [delivery] = await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { status: 'Sent' })
   * expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
   */
  trigger(kind: EventKind, data?: Overrides, options?: TriggerOptions): Promise<Delivery[]>
  /** Makes a payment, Drafted, of the application to the first user unless the data says otherwise. Nobody is notified yet. */
  createPayment(data?: Overrides): SandboxPayment
  /** Makes an invoice, Sent, of the application to the first user unless the data says otherwise. Nobody is notified yet. */
  createInvoice(data?: Overrides): SandboxInvoice
  /** Sets what goes wrong with every notification from now on; `undefined` is nothing. */
  setFaults(faults: Faults | undefined): void
  /** The deliveries as they are now, oldest first: those under way, and the last `maxRecords` settled ones. */
  deliveries(filter?: DeliveryFilter): Delivery[]
  /** The last `maxRecords` requests that clients made, oldest first. */
  requests(): RecordedRequest[]
  /** Calls the listener after every attempt and when a delivery is settled, until the function that it returns is called. */
  on(listener: (delivery: Delivery) => void): () => void
  /** Resolves when nothing is being delivered. */
  settled(): Promise<void>
  /** Has all access tokens that were given expire: 401 (service.md 7). They can be refreshed. */
  expireTokens(): void
  /** Makes all tokens that were given invalid, refresh tokens too: 404 on webhook operations (service.md 7). */
  revokeTokens(): void
  /**
   * Stops at once: attempts are aborted, what was not delivered is `cancelled`, all connections are closed; what is
   * triggered later is `cancelled` as well. May be called twice.
   */
  close(): Promise<void>
}
