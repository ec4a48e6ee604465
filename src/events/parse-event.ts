import type { Body } from '../body-bytes.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import type { JsonValue } from '../json/json-value.ts'
import { accountDataSchema } from './account-data.ts'
import { type ConvertData, compileDataSchema } from './compile-data-schema.ts'
import { onExactData } from './identifier.ts'
import { invoiceDataSchema } from './invoice-data.ts'
import type { SchemaMap, StandardIssue, StandardSchema } from './kind-schemas.ts'
import { type SubjectType, subjectTypeOf } from './kinds.ts'
import { paymentDataSchema } from './payment-data.ts'
import { type Envelope, openEnvelope, readData, readEnvelope } from './read-envelope.ts'
import type { Issue, KnownEvent, UnrecognizedEvent, WebhookEvent } from './webhook-event.ts'

type DataSchema = typeof accountDataSchema | typeof invoiceDataSchema | typeof paymentDataSchema

/** The schemas of the payloads that docs/protocol.md defines. */
const SCHEMAS: Record<SubjectType, DataSchema> = {
  account: accountDataSchema,
  payment: paymentDataSchema,
  invoice: invoiceDataSchema,
}

const compiled = new Map<DataSchema, ConvertData>()

/** Compiling takes about a millisecond, so it is done at the first event that needs the schema. */
function toConverter(schema: DataSchema): ConvertData {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = compileDataSchema(schema)
  compiled.set(schema, made)
  return made
}

/**
 * Parses the event in a body. Throws only if the body is not an envelope: data that does not match its schema
 * becomes an {@link UnrecognizedEvent}.
 *
 * @param ownSchemas the schemas of the `kinds` option, which take precedence over payhook's
 * @throws PayloadError if the body is not UTF-8, not JSON, or not an object with a string `type`
 * @throws TypeError if a schema of the `kinds` option is asynchronous
 */
export function parseEvent(body: Body, ownSchemas: SchemaMap): WebhookEvent {
  const envelope = readEnvelope(body)
  const ownSchema = ownSchemas.get(envelope.kind)
  if (ownSchema !== undefined) return parseOwnKind(envelope, ownSchema)
  const subjectType = subjectTypeOf(envelope.kind)
  if (subjectType === undefined) return unrecognized(envelope, [UNKNOWN_KIND])
  const schema = subjectType === null ? undefined : SCHEMAS[subjectType]
  const parsed = readData(envelope)
  // Invalid data has been half converted: the issues are found in it, and the data as sent is read again.
  if (schema !== undefined && !toConverter(schema)(parsed))
    return unrecognized(openEnvelope(envelope.text), schema.safeParse(parsed.lossy).error?.issues ?? [])
  return { type: envelope.kind, data: parsed.exact } as KnownEvent
}

export function kindOfEvent(event: WebhookEvent): string {
  return event.type === 'UNRECOGNIZED' ? event.kind : event.type
}

function parseOwnKind(envelope: Envelope, schema: StandardSchema): WebhookEvent {
  const result = onExactData(() => validate(envelope, schema))
  if ('then' in result) {
    result.then(undefined, () => {})
    throw new TypeError(
      `The schema for ${envelope.kind} in the "kinds" option returned a promise: it is asynchronous, or a function in ` +
        'a zod schema threw. Use a synchronous schema, and await other checks in a handler.',
    )
  }
  // The schema may have changed its input, so the data as sent is read again.
  if (result.issues !== undefined) return unrecognized(openEnvelope(envelope.text), result.issues)
  return { type: envelope.kind, data: result.value } as KnownEvent
}

function validate(envelope: Envelope, schema: StandardSchema) {
  try {
    return schema['~standard'].validate(readData(envelope).exact)
  } catch (error) {
    // An error of payhook would count as the sender's fault, and nothing at all would hang Koa.
    if (error != null && !isPayhookError(error)) throw error
    throw new TypeError(`The schema for ${envelope.kind} in the "kinds" option threw an error.`, {
      cause: error,
    })
  }
}

const UNKNOWN_KIND: StandardIssue = {
  code: 'unknown_kind',
  path: ['type'],
  message: 'is a kind that this version of payhook does not know',
}

function unrecognized(envelope: Envelope, issues: readonly StandardIssue[]): UnrecognizedEvent {
  const data: JsonValue = readData(envelope).exact
  // Array.from, since some libraries have their own array class for issues, which map() would keep.
  return { type: 'UNRECOGNIZED', kind: envelope.kind, data, issues: Array.from(issues, toIssue) }
}

function toIssue({ code, path = [], message }: StandardIssue): Issue {
  return { code: typeof code === 'string' ? code : 'custom', path: Array.from(path, toStep), message }
}

function toStep(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === 'object' ? step.key : step
  return typeof key === 'symbol' ? String(key) : key
}
