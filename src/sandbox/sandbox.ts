import type { Body } from '../body-bytes.ts'
import type { InvoiceStatus } from '../events/invoice-status.ts'
import type { EventKind } from '../events/kinds.ts'
import type { PaymentStatus } from '../events/payment-status.ts'
import type { Overrides, SampleObject, SampleValue } from '../testing/sample-data.ts'
import type { Delivery, DeliveryFilter } from './delivery/delivery.ts'
import type { Faults } from './delivery/faults.ts'
import type { SandboxUser } from './service/accounts.ts'
import type { ApiFaults } from './service/api-faults.ts'
import type { RecordedRequest } from './service/recorded-requests.ts'

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
  /** The exact text or bytes to send, in place of data in an envelope. The signature is that of these bytes. */
  readonly body?: Body | undefined
  /** Value of the `Content-Type` header. Default `application/json`. */
  readonly contentType?: string | undefined
}

/** Options of {@link Sandbox.redeliver}: nothing, or one of the two. */
export interface RedeliverOptions {
  /** Data in place of the original's, sent inline or as a string as the original was. */
  readonly data?: Overrides | SampleValue | undefined
  /** The exact text or bytes to send in place of the original's. */
  readonly body?: Body | undefined
}

/** Faults of notifications, and of the API. */
export interface SandboxFaults extends Faults {
  readonly api?: ApiFaults | undefined
}

/** Options of {@link StatusSequence.walk}. */
export interface WalkOptions extends NotifyOptions {
  /** Wait until the notifications of a status are settled before the next status. Default `false`. */
  readonly wait?: boolean | undefined
  /** Time between two statuses, in milliseconds, from 0 to 24.8 days. Default 0. */
  readonly intervalMs?: number | undefined
}

/** Something whose changes of status the two sides are notified of. */
export interface StatusSequence<Status extends string> {
  /** A decimal string. */
  readonly id: string
  /** A copy of the current data. A number that JavaScript cannot hold is a decimal string. */
  readonly data: SampleObject
  /**
   * Changes the status, and the data beside it, and notifies the payer's and the payee's configurations.
   * Resolves when each delivery is settled.
   *
   * @throws TypeError for an empty status, for changes that JSON cannot express, and for options that do not
   *   exist or are out of range; the data stays as it was
   */
  setStatus(status: Status, changes?: Overrides, options?: NotifyOptions): Promise<Delivery[]>
  /**
   * Goes through statuses, the usual ones by default. Resolves when each delivery is settled.
   *
   * @throws TypeError for what is no list of statuses, and for options that do not exist or are out of range
   */
  walk(statuses?: readonly Status[], options?: WalkOptions): Promise<Delivery[]>
}

/**
 * A payment. The payer's account gets `OUTBOUND_PAYMENT_STATUS_UPDATED`, the payee's
 * `INBOUND_PAYMENT_STATUS_UPDATED`. Its usual way is Sent, PendingAuth, Authorized, InProgress, Complete.
 */
export type SandboxPayment = StatusSequence<PaymentStatus>

/**
 * An invoice. The payee, who sends it, gets `OUTBOUND_INVOICE_STATUS_UPDATED`, the payer
 * `INBOUND_INVOICE_STATUS_UPDATED`. Its usual way is Claimed, MarkAsPaid. It has a payment, which becomes Sent
 * when the invoice becomes Claimed, and Complete when it becomes MarkAsPaid, with the notifications of a
 * payment. A payment that the data names as `paymentId` is left as it is.
 */
export type SandboxInvoice = StatusSequence<InvoiceStatus>

/** A local payments service, made by `createSandbox`. */
export interface Sandbox extends AsyncDisposable {
  /** Base address, such as `http://127.0.0.1:49152`. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** Who can log in on the authorize page. */
  readonly users: readonly [SandboxUser, SandboxUser]
  /** The application's own account, a decimal string. */
  readonly accountId: string
  readonly redirectUris: readonly string[]
  /**
   * Has an event happen: every Active configuration of the kind is notified. Resolves when each
   * delivery is settled, with what came of it; with an empty list where nobody registered a URL for the kind.
   *
   * Unless the data says otherwise, the event is one of the account that is notified: its own status, a payment
   * that it sent or received. So what is sent may differ from one account to the other.
   *
   * @param data changes to the sample data of the kind. A payment or an invoice has the fields of its status;
   *   by default a payment is Complete, an invoice Sent. Without an id among the changes, every event is about
   *   a new payment, invoice and so on, so that none is a duplicate; only an account keeps its id. Ids and
   *   amounts given as decimal strings are sent as numbers, with all their digits.
   * @param kind one of the ten, or another one, which is sent with the data as it is to every callback URL
   * @throws TypeError for options that do not exist or are out of range, and for data that JSON cannot express
   * @example
   * const [delivery] = await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { status: 'Sent' })
   * expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
   */
  trigger(
    kind: EventKind | (string & {}),
    data?: Overrides | SampleValue,
    options?: TriggerOptions,
  ): Promise<Delivery[]>
  /**
   * Sends a notification again, to where its configuration points now, signed anew.
   *
   * @param id of one of `deliveries()`
   * @throws TypeError for an id that is not known, a configuration that is Inactive, and for data that JSON
   *   cannot express
   * @example
   * const [again] = await sandbox.redeliver(delivery.id, { body: delivery.body.replace('Sent', 'Closed') })
   */
  redeliver(id: string, options?: RedeliverOptions): Promise<Delivery[]>
  /**
   * Makes a payment, Drafted, of the first user to the application unless the data says otherwise. Nobody is
   * notified yet.
   *
   * @throws TypeError for data that JSON cannot express, and for an id that is no integer
   */
  createPayment(data?: Overrides): SandboxPayment
  /**
   * Makes an invoice, Sent, of the application to the first user unless the data says otherwise. Nobody is
   * notified yet.
   *
   * @throws TypeError for data that JSON cannot express, and for an id that is no integer
   */
  createInvoice(data?: Overrides): SandboxInvoice
  /**
   * Does what a user does on the authorize page: logs in and consents.
   *
   * @param authorizeUrl as the client makes it
   * @param user one of `users`. Default the first
   * @returns where the browser is sent, with `code` and the `state` as it came
   * @throws TypeError for a URL that the page would refuse
   * @example
   * const back = sandbox.consent(client.authorizeUrl({ redirectUri }))
   * await client.exchangeCode({ code: new URL(back).searchParams.get('code') ?? '', redirectUri })
   */
  consent(authorizeUrl: string, user?: SandboxUser): string
  /**
   * Sets what goes wrong with every notification and every request from now on; `undefined` is nothing.
   *
   * @throws TypeError for a fault that does not exist or is out of range
   */
  setFaults(faults: SandboxFaults | undefined): void
  /** The faults that are set. */
  faults(): SandboxFaults
  /**
   * The deliveries as they are now, oldest first: those under way, and the last `maxRecords` settled ones.
   *
   * A delivery goes where its configuration pointed when the event happened; a PATCH between two attempts does
   * not change it. When the configuration is deleted, it is `cancelled` before the next attempt.
   *
   * @throws TypeError for a state that does not exist
   */
  deliveries(filter?: DeliveryFilter): Delivery[]
  /** The last `maxRecords` requests that clients made, oldest first. */
  requests(): RecordedRequest[]
  /**
   * Calls the listener after every attempt that is not the last, and when a delivery is settled, until the
   * function that it returns is called. A listener that throws disturbs no delivery: it becomes an uncaught
   * exception, and what an async one throws an unhandled rejection. Nobody is told of what is triggered after
   * `close()`.
   *
   * @throws TypeError unless the listener is a function
   */
  on(listener: (delivery: Delivery) => void): () => void
  /** Resolves when nothing is being delivered, and nothing walks. */
  settled(): Promise<void>
  /** Has all access tokens that were given expire: 401. They can be refreshed. */
  expireTokens(): void
  /**
   * Makes all tokens that were given invalid, refresh tokens and authorization codes too: 404 on webhook
   * operations.
   */
  revokeTokens(): void
  /**
   * Takes the sandbox back to its beginning: no registrations, tokens, deliveries, requests, payments or faults, and
   * the first ids again. What is under way is cancelled.
   */
  reset(): Promise<void>
  /**
   * Stops at once: attempts are aborted, what was not delivered is `cancelled`, all connections are closed;
   * what is triggered later is `cancelled` as well. May be called twice.
   */
  close(): Promise<void>
}
