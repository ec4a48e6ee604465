import type { EventKind } from '../../events/kinds.ts'
import type { Highlights } from '../../events/read-highlights.ts'
import type { CheckOptions } from '../../testing/check/check-options.ts'
import type { CheckReport } from '../../testing/check/check-report.ts'
import type { SignatureExplanation } from '../../testing/explain-signature.ts'
import type { Sandbox, TriggerOptions } from '../sandbox.ts'
import type { Configuration } from '../state/configurations.ts'
import type { Delivery, DeliveryAttempt } from '../state/delivery.ts'
import type { SandboxFaults } from '../state/faults.ts'
import type { RecordedRequest } from '../state/recorded-requests.ts'
import type { NotifyOptions, WalkOptions } from '../state/status-sequence.ts'

// The JSON of the control API: what it sends, and what the command line and the console read.

type JsonData = { readonly [field: string]: unknown }

/** Dates are ISO strings. */
type Json<Type> = { readonly [Name in keyof Type]: Type[Name] extends Date ? string : Type[Name] }

/** `GET credentials`. */
export interface CredentialsJson
  extends Pick<Sandbox, 'url' | 'clientId' | 'clientSecret' | 'accountId' | 'users' | 'redirectUris'> {
  /** The address of the authorize page, without a query. */
  readonly authorizeUrl: string
}

/** A request of `POST consent`. */
export interface ConsentRequestJson {
  /** The URL of the authorize page, with its query. */
  readonly url: string
  /** The e-mail of a user of the sandbox, or the user. The first one by default. */
  readonly user?: string | { readonly email: string; readonly [field: string]: unknown } | undefined
}

/** The response to `POST consent`. */
export interface ConsentJson {
  /** The redirect URL, with `code`, or with `error` if the authorize page would reject the request. */
  readonly redirectTo: string
}

/** A request of `POST configurations`. */
export interface ConfigurationRequestJson extends Pick<Configuration, 'event' | 'callbackUrl'> {
  /** The account of the application or of a user. The application's by default. */
  readonly accountId?: string | number | undefined
}

/** An exact body: at most one of the two. */
interface GivenBodyJson {
  /** The exact text. */
  readonly body?: string | undefined
  /** The exact bytes. */
  readonly bodyBase64?: string | undefined
}

/** A request of `POST trigger`. */
export interface TriggerRequestJson extends Omit<TriggerOptions, 'accountId' | 'body'>, GivenBodyJson {
  /** One of the ten kinds, or any other string. */
  readonly kind: EventKind | (string & {})
  /** Changes to the sample data of the kind. */
  readonly data?: unknown
  /** Notify only the configurations of this account. */
  readonly accountId?: string | number | undefined
}

/** A request of `POST deliveries/:id/redeliver`. Without a field, the same body is sent again. */
export interface RedeliverRequestJson extends GivenBodyJson {
  /** Replaces the original data. */
  readonly data?: unknown
}

/** All requests that send notifications. */
export interface DeliveriesJson {
  readonly deliveries: readonly DeliverySummaryJson[]
}

/** `GET deliveries`. */
export interface DeliveryListJson extends DeliveriesJson {
  /** How many there are, with those that the limit leaves out. */
  readonly total: number
}

/** A delivery without bodies, in lists and in the stream. */
export interface DeliverySummaryJson extends Json<Omit<Delivery, 'callbackUrl' | 'body' | 'attempts'>> {
  readonly url: string
  /** What it is about, such as `payment:48121`; `null` if that is unknown. */
  readonly subject: string | null
  readonly highlights: Highlights
  /** The length of the body, in bytes. */
  readonly size: number
  readonly attempts: readonly AttemptSummaryJson[]
}

export interface AttemptSummaryJson
  extends Json<Omit<DeliveryAttempt, 'headers' | 'responseHeaders' | 'responseBody'>> {
  /** Whether the receiver replied that it had received this notification before. */
  readonly duplicate?: true
}

/** `GET deliveries/:id`. */
export interface DeliveryDetailJson extends DeliverySummaryJson {
  /** The headers of the last attempt, or those of the first before it. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body. Invalid UTF-8 is replaced. */
  readonly body: string
  readonly bodyBase64: string
  readonly attempts: readonly AttemptJson[]
}

export interface AttemptJson extends AttemptSummaryJson, Json<DeliveryAttempt> {}

/** A request of `POST payments` and `POST invoices`. */
export interface ResourceRequestJson {
  /** Changes to the sample data. */
  readonly data?: JsonData | undefined
}

/** A request of `POST payments/:id/status`, and the same for invoices. */
export interface StatusRequestJson extends NotifyOptions {
  readonly status: string
  /** Other changes to the data. */
  readonly changes?: JsonData | undefined
}

/** A request of `POST payments/:id/walk`, and the same for invoices. */
export interface WalkRequestJson extends WalkOptions {
  /** The usual ones by default. */
  readonly statuses?: readonly string[] | undefined
}

/** `POST payments` and `POST invoices`. */
export interface ResourceJson {
  readonly id: string
  readonly data: { readonly [field: string]: unknown; readonly status: string }
}

/** A request of a client to the service. */
export type RequestJson = Json<RecordedRequest>

/** A request of `POST check-signature`, with one of the two bodies. */
export interface SignatureCheckRequestJson extends GivenBodyJson {
  /** The value of the `ACCESS-SIGNATURE` header. */
  readonly signature?: string | undefined
  /** The client id of the receiver. The sandbox's by default. */
  readonly clientId?: string | undefined
}

/** `POST checks`. */
export interface CheckRequestJson
  extends Pick<CheckOptions, 'url' | 'kinds' | 'only' | 'timeoutMs' | 'allowRemote'> {
  /** The client id that the receiver verifies with. @default that of the sandbox */
  readonly clientId?: string
}

/** `POST checks`, `GET checks/:id`: the results so far, and the rest of the report once the check is done. */
export interface CheckJson extends Pick<CheckReport, 'results'>, Partial<Omit<CheckReport, 'results'>> {
  readonly id: string
  readonly state: 'running' | 'done' | 'stopped'
  /** The number of cases. */
  readonly total: number
}

/**
 * The operations of the control API: the parameters in the query, and the JSON of the request, which may be
 * missing if it is optional, and of the response. Their comments are the texts of the OpenAPI document.
 */
export interface ControlOperations {
  /** The client id, the client secret and the users */
  readonly 'GET credentials': { response: CredentialsJson }
  /** Trigger an event */
  readonly 'POST trigger': { query: 'wait'; request: TriggerRequestJson; response: DeliveriesJson }
  /** Create the payment without a notification */
  readonly 'POST payments': { request?: ResourceRequestJson; response: ResourceJson }
  /** Change the status of one payment, and notify both sides */
  readonly 'POST payments/:id/status': { query: 'wait'; request: StatusRequestJson; response: DeliveriesJson }
  /** Take one payment through several statuses */
  readonly 'POST payments/:id/walk': { query: 'wait'; request?: WalkRequestJson; response: DeliveriesJson }
  /** Create the invoice without a notification */
  readonly 'POST invoices': { request?: ResourceRequestJson; response: ResourceJson }
  /** Change the status of one invoice, and notify both sides */
  readonly 'POST invoices/:id/status': { query: 'wait'; request: StatusRequestJson; response: DeliveriesJson }
  /** Take one invoice through several statuses */
  readonly 'POST invoices/:id/walk': { query: 'wait'; request?: WalkRequestJson; response: DeliveriesJson }
  /** The configurations of all accounts */
  readonly 'GET configurations': { response: { readonly configurations: readonly Configuration[] } }
  /** Create a configuration */
  readonly 'POST configurations': {
    request: ConfigurationRequestJson
    response: Configuration
    status: 201
  }
  /** Make a configuration Inactive */
  readonly 'DELETE configurations/:id': { response: Configuration }
  /** The deliveries, newest first */
  readonly 'GET deliveries': {
    query: 'kind' | 'state' | 'search' | 'limit' | 'after'
    response: DeliveryListJson
  }
  /** Delete the settled deliveries */
  readonly 'DELETE deliveries': { response: object }
  /** A delivery with its bodies */
  readonly 'GET deliveries/:id': { response: DeliveryDetailJson }
  /** Sign a notification again and send it */
  readonly 'POST deliveries/:id/redeliver': {
    query: 'wait'
    request?: RedeliverRequestJson
    response: DeliveriesJson
  }
  /** The current faults */
  readonly 'GET faults': { response: SandboxFaults }
  /** Set the faults; none removes them */
  readonly 'PUT faults': { request?: SandboxFaults; response: SandboxFaults }
  /** The requests of clients, newest first, with their secrets masked */
  readonly 'GET requests': { query: 'limit'; response: { readonly requests: readonly RequestJson[] } }
  /** Log in and consent, like a user on the authorize page */
  readonly 'POST consent': { request: ConsentRequestJson; response: ConsentJson }
  /** Expire all access tokens */
  readonly 'POST tokens/expire': { response: object }
  /** Revoke all tokens */
  readonly 'POST tokens/revoke': { response: object }
  /** Restore the initial state */
  readonly 'POST reset': { response: object }
  /** Explain why a signature does not verify */
  readonly 'POST check-signature': { request: SignatureCheckRequestJson; response: SignatureExplanation }
  /**
   * Check a receiver in any language
   *
   * Sends it what the service sends, and forgeries. The last 20 checks are kept.
   */
  readonly 'POST checks': { query: 'wait'; request: CheckRequestJson; response: CheckJson }
  /** The results of a check so far */
  readonly 'GET checks/:id': { response: CheckJson }
  /** Stop a check */
  readonly 'DELETE checks/:id': { response: object }
}

/** All that the OpenAPI document describes. */
export type ControlRoutes = ControlOperations & {
  /**
   * Follow what happens
   *
   * Server-sent events. `event` is the name of one of the properties of the schema, `data` is its JSON. With
   * `Last-Event-ID`, the stream goes on after that event.
   */
  readonly 'GET stream': { response: StreamEvents }
}

/** The events of `GET stream`, by name. */
export interface StreamEvents {
  readonly delivery: DeliverySummaryJson
  readonly request: RequestJson
  readonly configuration: Configuration
  readonly faults: SandboxFaults
  /** All lists have to be read again: the sandbox was reset, or events are missing. */
  readonly reset: Readonly<Record<string, never>>
}

/** A rejected request. */
export interface ErrorJson {
  readonly code: string
  readonly message: string
}
