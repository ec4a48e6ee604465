import type { JsonValue } from '../json/json-value.ts'
import type { AccountData } from './account-data.ts'
import type { InvoiceData } from './invoice-data.ts'
import type { KindSchemas, NoKinds, SchemaOutput } from './kind-schemas.ts'
import type { KINDS, ParsedKind, SubjectType } from './kinds.ts'
import type { PaymentData } from './payment-data.ts'

interface SubjectData {
  account: AccountData
  payment: PaymentData
  invoice: InvoiceData
}

/** The data of each kind. The service documents no payload for the virtual account and card kinds. */
export type EventData = {
  [Kind in ParsedKind]: (typeof KINDS)[Kind] extends SubjectType
    ? SubjectData[(typeof KINDS)[Kind]]
    : JsonValue
}

/** An event of a kind that payhook knows. */
export type KnownEvent<Kind extends keyof EventData = keyof EventData> = {
  [K in Kind]: { readonly type: K; readonly data: EventData[K] }
}[Kind]

/** An event of one of your own kinds, with the output of its schema as `data`. */
export type OwnEvent<Kinds extends KindSchemas> = {
  [Kind in keyof Kinds & string]: { readonly type: Kind; readonly data: SchemaOutput<Kinds[Kind]> }
}[keyof Kinds & string]

/** One reason why an event was not recognized: `unknown_kind`, or an issue of the kind's schema. */
export interface Issue {
  /** The code that the schema library gives, or `custom`. */
  readonly code: string
  /** The path in `data`; `['type']` for an unknown kind. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * A verified notification of an unknown kind, or whose data does not match the schema of its kind. It is never
 * rejected, since the service adds kinds and fields over the years. With an inbox and without a handler for it,
 * one of a known kind is dead, and kept.
 */
export interface UnrecognizedEvent {
  readonly type: 'UNRECOGNIZED'
  /** The `type` as sent. */
  readonly kind: string
  /** The data as sent: parsed, the string itself if it is not JSON, or `null` if there is none. */
  readonly data: JsonValue
  readonly issues: readonly Issue[]
}

/** A parsed notification, discriminated by `type`. Your own kinds override known ones. */
export type WebhookEvent<Kinds extends KindSchemas = NoKinds> =
  | KnownEvent<Exclude<keyof EventData, keyof Kinds>>
  | OwnEvent<Kinds>
  | UnrecognizedEvent

/** Every value of `type`: the kinds that payhook knows, your own, and `UNRECOGNIZED`. */
export type WebhookEventType<Kinds extends KindSchemas = NoKinds> =
  | keyof EventData
  | (keyof Kinds & string)
  | 'UNRECOGNIZED'

/** The member of {@link WebhookEvent} with a given `type`. */
export type WebhookEventOf<
  Type extends WebhookEventType<Kinds>,
  Kinds extends KindSchemas = NoKinds,
> = Extract<WebhookEvent<Kinds>, { readonly type: Type }>
