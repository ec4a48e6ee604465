import { type Body, toBytes } from '../body-bytes.ts'
import { readIdentifier } from './identifier.ts'
import { KINDS, subjectTypeOf } from './kinds.ts'
import { readData, readEnvelope } from './read-envelope.ts'

const MAX_CHARACTERS = 200

/** How the service begins a body: the kind, then stringified data, which begins with the id. */
const BEGINNINGS = Object.entries(KINDS).flatMap(([kind, type]) => {
  return type === null
    ? []
    : { type, bytes: new TextEncoder().encode(`{"type":"${kind}","data":"{\\"id\\":`) }
})
const END = new TextEncoder().encode('}"}')
const MAX_DIGITS = 15
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COMMA = 0x2c

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

export function checkKey(option: string, key: unknown): string | null {
  if (key === null || isSubject(key)) return key
  // An async function may reject, which would end the process.
  if (typeof key === 'object') Promise.resolve(key).catch(() => {})
  throw new TypeError(
    `"${option}" option must return null, or 1 to 200 characters without NUL and lone surrogates`,
  )
}

/**
 * What the notification in a body is about, such as `payment:48121`; `null` if its kind is unknown, if it has
 * no id, or if it cannot be parsed. Never throws. If the body is as the service writes it, only its beginning
 * is read: parsing all of it would make a tenth of what it costs to receive and store a notification. So of an
 * id that is repeated, which the service never does, the first counts, though an event has the last.
 */
export function readSubject(body: Body): string | null {
  try {
    const beginning = readBeginning(toBytes(body))
    if (beginning !== undefined) return beginning
    const envelope = readEnvelope(body)
    const type = subjectTypeOf(envelope.kind)
    const id = type && readIdentifier(readData(envelope), 'id')
    const subject = `${type}:${id}`
    return id && isSubject(subject) ? subject : null
  } catch {
    return null
  }
}

/** The subject in a body as the service writes it, without decoding it. */
function readBeginning(bytes: Uint8Array): string | undefined {
  let found: (typeof BEGINNINGS)[0] | undefined
  for (const beginning of BEGINNINGS) if (hasAt(bytes, 0, beginning.bytes)) found = beginning
  if (found === undefined || !hasAt(bytes, bytes.length - END.length, END)) return undefined
  const start = found.bytes.length
  let id = 0
  let at = start
  for (; at < start + MAX_DIGITS; at++) {
    const code = bytes[at] as number
    if (!(code >= DIGIT_0 && code <= DIGIT_9)) break
    id = 10 * id + code - DIGIT_0
  }
  return bytes[start] !== DIGIT_0 && id > 0 && bytes[at] === COMMA ? `${found.type}:${id}` : undefined
}

function hasAt(bytes: Uint8Array, start: number, part: Uint8Array): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[start + at] !== part[at]) return false
  return true
}
