import type { Highlights } from '../../events/read-highlights.ts'
import type { SignatureExplanation } from '../../testing/explain-signature.ts'
import type { Delivery, DeliveryAttempt } from '../delivery/delivery.ts'
import type { Sandbox } from '../sandbox.ts'
import type { SandboxFaults } from '../service/api-faults.ts'
import type { Configuration } from '../state/configurations.ts'
import type { RecordedRequest } from '../state/recorded-requests.ts'

// The JSON of the control API: what it sends, and what the command line and the console read.

/** Dates are ISO strings. */
type Json<Type> = { readonly [Name in keyof Type]: Type[Name] extends Date ? string : Type[Name] }

/** `GET credentials`. */
export interface CredentialsJson
  extends Pick<Sandbox, 'url' | 'clientId' | 'clientSecret' | 'accountId' | 'users' | 'redirectUris'> {
  /** The address of the authorize page, without a query. */
  readonly authorizeUrl: string
}

/** `POST consent`. */
export interface ConsentJson {
  /** The redirect URL, with `code`, or with `error` if the authorize page would reject the request. */
  readonly redirectTo: string
}

/** `GET configurations`. */
export interface ConfigurationsJson {
  readonly configurations: readonly ConfigurationJson[]
}

/** A callback configuration of any account. Its id is a decimal string, unlike in the API of the service. */
export type ConfigurationJson = Configuration

/** `GET deliveries`, and all requests that send notifications. */
export interface DeliveriesJson {
  readonly deliveries: readonly DeliverySummaryJson[]
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
  extends Json<Omit<DeliveryAttempt, 'request' | 'responseHeaders' | 'responseBody'>> {
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

export interface AttemptJson
  extends AttemptSummaryJson,
    Pick<DeliveryAttempt, 'responseHeaders' | 'responseBody'> {
  /** The headers that were sent. */
  readonly headers: Readonly<Record<string, string>>
}

/** The path segment of payments or invoices. */
export type ResourceKind = 'payments' | 'invoices'

/** `POST payments`, `GET payments/:id`, and the same of invoices. */
export interface ResourceJson {
  readonly id: string
  readonly data: { readonly [field: string]: unknown; readonly status: string }
}

/** `GET faults`, `PUT faults`. */
export type FaultsJson = SandboxFaults

/** `GET requests`. */
export interface RequestsJson {
  readonly requests: readonly RequestJson[]
}

/** A request of a client to the service. */
export type RequestJson = Json<RecordedRequest>

/** `POST check-signature`. */
export type SignatureCheckJson = SignatureExplanation

/** The events of `GET stream`, by name. */
export interface StreamEvents {
  readonly delivery: DeliverySummaryJson
  readonly request: RequestJson
  readonly configuration: ConfigurationJson
  readonly faults: FaultsJson
  /** All lists have to be read again: the sandbox was reset, or events are missing. */
  readonly reset: Readonly<Record<string, never>>
}

/** A rejected request. */
export interface ErrorJson {
  readonly code: string
  readonly message: string
}
