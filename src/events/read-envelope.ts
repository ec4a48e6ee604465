import { type Body, toBytes } from '../body-bytes.ts'
import { PayloadError } from '../errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'
import { type ParsedJson, parseJson, parseJsonValue, toExact } from '../json/parse-json.ts'

/** The envelope of a notification. Its data has not been parsed. */
export interface Envelope {
  /** The `type` as sent. */
  readonly kind: string
  readonly text: string
  readonly members: JsonObject
}

/** @throws PayloadError if it is not UTF-8, not JSON, or not an object with a string `type` */
export function readEnvelope(body: Body): Envelope {
  return openEnvelope(decode(body))
}

/** Reads something of an envelope; `undefined` if the body is not a notification. */
export function tryRead<Value>(body: Body, read: (envelope: Envelope) => Value): Value | undefined {
  try {
    return read(readEnvelope(body))
  } catch {
    return undefined
  }
}

/** The kind of a body, or `null` if it is not a notification. */
export function readKind(body: Body): string | null {
  return tryRead(body, ({ kind }) => kind) ?? null
}

/** Parses the envelope in a text. Each call returns new objects. */
export function openEnvelope(text: string): Envelope {
  const members = parseMembers(text)
  if (!isJsonObject(members))
    throw new PayloadError(
      'envelope_invalid',
      `The body is JSON, but it is ${nameOf(members)}, not an object.`,
    )
  const kind = members.type
  if (typeof kind !== 'string')
    throw new PayloadError(
      'envelope_invalid',
      `The body has no kind: "type" is ${nameOf(kind)}, not a string.`,
    )
  return { kind, text, members }
}

/** Parses the data of an envelope. Stringified and inline data give the same result. */
export function readData({ members, text }: Envelope): ParsedJson {
  const data = members.data
  if (data === undefined) return { lossy: null, exact: null }
  if (typeof data === 'string') return parseText(data)
  return { lossy: data, exact: toExact(text, members).data as JsonValue }
}

function parseText(text: string): ParsedJson {
  try {
    return parseJson(text)
  } catch {
    return { lossy: text, exact: text }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const BYTE_ORDER_MARK = '\uFEFF'

function decode(body: Body): string {
  if (typeof body === 'string') {
    if (!body.isWellFormed()) throw notUtf8()
    return body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body
  }
  try {
    return utf8.decode(toBytes(body))
  } catch {
    throw notUtf8()
  }
}

function notUtf8(): PayloadError {
  return new PayloadError(
    'payload_not_utf8',
    'The body is not UTF-8, so it is not the JSON that the service sends.',
  )
}

function parseMembers(text: string): JsonValue {
  try {
    return parseJsonValue(text)
  } catch {
    // The parser's own error is left out, since its message quotes the body.
    throw new PayloadError(
      'payload_not_json',
      text === ''
        ? 'The body is empty. Was it read before payhook saw it?'
        : 'The body is not JSON. Does its length match what was sent, or was it cut off?',
    )
  }
}

function nameOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
