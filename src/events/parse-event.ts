import type * as z from 'zod/mini'
import type { JsonValue } from '../json/json-value.ts'
import { type Envelope, openEnvelope, readData } from '../read-envelope.ts'
import { accountDataSchema } from './account-data.ts'
import { compileDataSchema, type FitData } from './compile-data-schema.ts'
import { invoiceDataSchema } from './invoice-data.ts'
import { EVENT_KINDS, type EventKind } from './kinds.ts'
import { paymentDataSchema } from './payment-data.ts'
import type { Issue, KnownEvent, UnrecognizedEvent, WebhookEvent } from './webhook-event.ts'

type DataSchema = typeof accountDataSchema | typeof invoiceDataSchema | typeof paymentDataSchema

/** What is known of a kind: its schema where service.md states a payload, and the schema's compiled form. */
interface KnownKind {
  readonly kind: EventKind
  readonly schema: DataSchema | undefined
  fit: FitData | undefined
}

const SCHEMAS: Partial<Record<EventKind, DataSchema>> = {
  ACCOUNT_STATUS_UPDATED: accountDataSchema,
  OUTBOUND_PAYMENT_STATUS_UPDATED: paymentDataSchema,
  INBOUND_PAYMENT_STATUS_UPDATED: paymentDataSchema,
  OUTBOUND_INVOICE_STATUS_UPDATED: invoiceDataSchema,
  INBOUND_INVOICE_STATUS_UPDATED: invoiceDataSchema,
}

const KINDS: ReadonlyMap<string, KnownKind> = new Map(
  EVENT_KINDS.map((kind) => [kind, { kind, schema: SCHEMAS[kind], fit: undefined }]),
)

/** Makes the event of an envelope. It never refuses: what fits no schema is an {@link UnrecognizedEvent}. */
export function parseEvent(envelope: Envelope): WebhookEvent {
  const known = KINDS.get(envelope.kind)
  if (known === undefined) return unrecognized(envelope, [unknownKind()])
  const { kind, schema } = known
  const parsed = readData(envelope)
  if (schema !== undefined) {
    // Compiled at the first event of its kind, which takes about a millisecond, and not while the module loads.
    known.fit ??= compileDataSchema(schema)
    // Data that does not fit has been changed halfway: the issues are found in it, but what was sent is read again.
    if (!known.fit(parsed))
      return unrecognized(openEnvelope(envelope.text), toIssues(schema.safeParse(parsed.lossy)))
  }
  return { type: kind, data: parsed.exact } as KnownEvent
}

function unrecognized(envelope: Envelope, issues: readonly Issue[]): UnrecognizedEvent {
  const data: JsonValue = readData(envelope).exact
  return { type: 'UNRECOGNIZED', kind: envelope.kind, data, issues }
}

function unknownKind(): Issue {
  return {
    code: 'unknown_kind',
    path: ['type'],
    message: 'is a kind that this version of payhook does not know',
  }
}

function toIssues(result: z.core.util.SafeParseResult<unknown>): Issue[] {
  return (result.error?.issues ?? []).map(({ code, path, message }) => ({
    code: code ?? 'custom',
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
  }))
}
