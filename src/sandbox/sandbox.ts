import type { Body } from '../body-bytes.ts'
import type { EventKind } from '../events/kinds.ts'
import type { Overrides, SampleValue } from '../testing/sample-data.ts'
import type { SandboxUser } from './state/accounts.ts'
import type { Delivery, DeliveryFilter } from './state/delivery.ts'
import type { SandboxFaults } from './state/faults.ts'
import type { RecordedRequest } from './state/recorded-requests.ts'
import type { NotifyOptions, SandboxInvoice, SandboxPayment } from './state/status-sequence.ts'

/** Options of {@link Sandbox.trigger}. */
export interface TriggerOptions extends NotifyOptions {
  /** Notify only the configurations of this account. */
  readonly accountId?: string | undefined
  /** The exact text or bytes to sign and send, instead of an envelope with data. */
  readonly body?: Body | undefined
  /** The `Content-Type` header. @default `application/json` */
  readonly contentType?: string | undefined
}

/** Options of {@link Sandbox.redeliver}: at most one of the two. */
export interface RedeliverOptions {
  /** Replaces the original data. Sent inline or as a string, like the original. */
  readonly data?: Overrides | SampleValue | undefined
  /** Replaces the original body with this exact text or bytes. */
  readonly body?: Body | undefined
}

/** A local payments service, created by {@link createSandbox}. */
export interface Sandbox extends AsyncDisposable {
  /** Base address, such as `http://127.0.0.1:49152`. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** The users who can log in on the authorize page. */
  readonly users: readonly [SandboxUser, SandboxUser]
  /** The application's own account, a decimal string. */
  readonly accountId: string
  readonly redirectUris: readonly string[]
  /**
   * Triggers an event, which notifies every Active configuration of its kind. Resolves with the deliveries when
   * all are settled. The list is empty if there is no configuration for the kind.
   *
   * By default, the event is about the notified account: its own status, or a payment that it sent or received.
   * Different accounts may therefore get different data.
   *
   * @param kind one of the ten kinds, or any other string, which is sent with unchanged data to every callback
   *   URL
   * @param data changes to the sample data of the kind. A payment is Complete by default, an invoice Sent; both
   *   have the fields of their status. Unless you set an id, every event has a new one, so that none is a
   *   duplicate; only an account keeps its id. Decimal strings for ids and amounts are sent as numbers, with
   *   all their digits.
   * @throws TypeError if an option is unknown or out of range, or the data is not JSON
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
   * Signs a notification again and sends it to the current URL of its configuration.
   *
   * @param id the `id` of a delivery
   * @throws TypeError if the id is unknown, the configuration is Inactive, or the data is not JSON
   * @example
   * const [again] = await sandbox.redeliver(delivery.id, { body: delivery.body.replace('Sent', 'Closed') })
   */
  redeliver(id: string, options?: RedeliverOptions): Promise<Delivery[]>
  /**
   * Creates a payment without a notification. By default it is Drafted, from the first user to the application.
   *
   * @throws TypeError if the data is not JSON, or the id is not an integer
   */
  createPayment(data?: Overrides): SandboxPayment
  /**
   * Creates an invoice without a notification. By default it is Sent, from the application to the first user.
   *
   * @throws TypeError if the data is not JSON, or the id is not an integer
   */
  createInvoice(data?: Overrides): SandboxInvoice
  /**
   * Logs in and consents, like a user on the authorize page.
   *
   * @param authorizeUrl the URL from the client
   * @param user one of `users`. Default: the first
   * @returns the redirect URL, with `code` and the original `state`
   * @throws TypeError if the page would reject the URL
   * @example
   * const back = sandbox.consent(client.authorizeUrl({ redirectUri }))
   * await client.exchangeCode({ code: new URL(back).searchParams.get('code') ?? '', redirectUri })
   */
  consent(authorizeUrl: string, user?: SandboxUser): string
  /**
   * Sets the faults of all notifications and requests from now on. `undefined` removes them.
   *
   * @throws TypeError if a fault is unknown or out of range
   */
  setFaults(faults: SandboxFaults | undefined): void
  /** The current faults. */
  faults(): SandboxFaults
  /**
   * A snapshot of the pending deliveries and of the last settled ones, up to 64 MB, oldest first.
   *
   * A delivery keeps the URL that its configuration had at the event, even after a PATCH. If the configuration
   * is deleted, the delivery is `cancelled` before its next attempt.
   *
   * @throws TypeError if the state is unknown
   */
  deliveries(filter?: DeliveryFilter): Delivery[]
  /** The last requests of clients, up to 16 MB, oldest first. */
  requests(): RecordedRequest[]
  /**
   * Calls the listener after every attempt but the last, and when a delivery is settled. If the listener
   * throws, it causes an uncaught exception or an unhandled rejection, but does not affect deliveries. It is
   * not called for events after `close()`.
   *
   * @returns a function that removes the listener
   * @throws TypeError if the listener is not a function
   */
  onDelivery(listener: (delivery: Delivery) => void): () => void
  /** Resolves when no delivery is pending and no walk is running. */
  settled(): Promise<void>
  /** Expires all issued access tokens: 401. They can be refreshed. */
  expireTokens(): void
  /**
   * Revokes all issued tokens, including refresh tokens and authorization codes: 404 on webhook operations, 401
   * on hello.
   */
  revokeTokens(): void
  /**
   * Resets the sandbox to its initial state: no configurations, tokens, deliveries, requests, payments or
   * faults, and the first ids again. Pending deliveries are cancelled.
   */
  reset(): Promise<void>
  /**
   * Stops at once: aborts attempts, closes all connections, and cancels pending and later deliveries.
   * Idempotent.
   */
  close(): Promise<void>
}
