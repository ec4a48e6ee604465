import { Buffer } from 'node:buffer'
import { type Body, toBytes } from '../body-bytes.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { toIdentifier } from './identifier.ts'
import { readData, readEnvelope } from './read-envelope.ts'

/** What the `data.id` of a kind identifies. Both directions of a payment are one subject. */
const OBJECTS: ReadonlyMap<string, string> = new Map([
  ['ACCOUNT_STATUS_UPDATED', 'account'],
  ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'payment'],
  ['INBOUND_PAYMENT_STATUS_UPDATED', 'payment'],
  ['PAYMENT_STATUS_UPDATED', 'payment'],
  ['OUTBOUND_INVOICE_STATUS_UPDATED', 'invoice'],
  ['INBOUND_INVOICE_STATUS_UPDATED', 'invoice'],
])

const MAX_CHARACTERS = 200

/** A body as the service writes it: first the kind, then stringified data, which begins with the id. */
const BEGINNING = /^\{"type":"(\w+)","data":"\{\\"id\\":([1-9]\d{0,14}),/
const BEGINNING_BYTES = 100
const END = '}"}'

/** Whether a value can be a subject: 1 to 200 characters that every engine can store. */
export function isSubject(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_CHARACTERS &&
    value.isWellFormed() &&
    !value.includes('\0')
  )
}

/**
 * What an event is about, such as `payment:48121`; `null` if its kind is unknown or it has no id.
 *
 * @param data exact
 */
export function subjectOf(kind: string, data: JsonValue): string | null {
  const object = OBJECTS.get(kind)
  return object === undefined ? null : toSubject(object, data, data)
}

/**
 * The same for a body, `null` if it cannot be parsed. Never throws. If the body is as the service writes it,
 * only its beginning is read: parsing all of it would make a tenth of what it costs to receive and store a
 * notification.
 */
export function readSubject(body: Body): string | null {
  try {
    const bytes = toBytes(body)
    const [, type = '', first] = BEGINNING.exec(textAt(bytes, 0, BEGINNING_BYTES)) ?? []
    const known = OBJECTS.get(type)
    if (known !== undefined && textAt(bytes, -END.length) === END) return `${known}:${first}`
    const envelope = readEnvelope(body)
    const object = OBJECTS.get(envelope.kind)
    if (object === undefined) return null
    const { lossy, exact } = readData(envelope)
    return toSubject(object, lossy, exact)
  } catch {
    return null
  }
}

/** Of the bytes of ASCII. */
function textAt(bytes: Uint8Array, start: number, end?: number): string {
  const part = bytes.subarray(start, end)
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1')
}

function toSubject(object: string, lossy: JsonValue, exact: JsonValue): string | null {
  const id = toIdentifier(idIn(lossy), idIn(exact))
  if (id === undefined) return null
  const subject = `${object}:${id}`
  return isSubject(subject) ? subject : null
}

/** An empty text, which is not an identifier, if there is none. */
function idIn(data: JsonValue): string | number {
  const id = isJsonObject(data) ? data.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : ''
}
