import { Buffer } from 'node:buffer'
import type { Body } from '../body-bytes.ts'
import { renameAliases } from '../events/account-data.ts'
import { parseEvent } from '../events/parse-event.ts'
import { readData, tryRead } from '../events/read-envelope.ts'
import { readSubject } from '../events/subject.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'

/** What the service's API says of one payment, invoice or account. */
export interface ReconcileItem {
  /** The kind of notification that it would have come with, such as `INBOUND_PAYMENT_STATUS_UPDATED`. */
  readonly kind: string
  /** What the `data` of that notification would be: parsed JSON, with numbers beyond 2^53 as strings. */
  readonly data: unknown
  /**
   * When it last changed, as a `Date` or a text with date and time such as `2026-11-23T09:30:00Z`. What changed
   * before `since` is skipped. For a list that cannot be asked for what has changed, only for what was created.
   */
  readonly updatedAt?: Date | string | undefined
}

export interface ListedNotification {
  readonly item: ReconcileItem
  readonly body: Buffer
  readonly subject: string
  /** As `readStatus` gives it. */
  readonly status: string
  /** Whether the status may come back, as that of an account, so that only the last entry counts. */
  readonly mayComeBack: boolean
}

/** @throws TypeError if an item says when it changed, but not in a form that can be compared */
export function readUpdatedAt(item: unknown, position: number): number | undefined {
  const { updatedAt } = Object(item)
  if (updatedAt === undefined || updatedAt === null) return undefined
  const time = updatedAt instanceof Date || isDateTime(updatedAt) ? new Date(updatedAt).getTime() : Number.NaN
  if (Number.isNaN(time))
    throw invalidItem(position, 'must have a valid Date, or a date and time with its zone, as updatedAt')
  return time
}

/** Without a zone, a time is another one on each machine. */
function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value)
}

function invalidItem(position: number, what: string, options?: ErrorOptions): TypeError {
  return new TypeError(`Item ${position} of "list" ${what}`, options)
}

const ACCOUNT = 'ACCOUNT_STATUS_UPDATED'

/**
 * @param position counted from 1, as the lines of a file
 * @throws TypeError if handlers would not recognize it, or the inbox could not be searched for it
 */
export function toListedNotification(item: unknown, position: number): ListedNotification {
  const invalid = (what: string, options?: ErrorOptions) => invalidItem(position, what, options)
  if (!isJsonObject(item) || typeof item.kind !== 'string')
    throw invalid('must be { kind, data }, with a string as kind')
  const { kind, data } = item
  let body: Buffer
  try {
    body = Buffer.from(JSON.stringify({ type: kind, data: JSON.stringify(data, withoutLostDigits) }))
  } catch (cause) {
    throw invalid('must have JSON as data, with all digits', { cause })
  }
  const event = parseEvent(body, new Map())
  const [issue] = event.type === 'UNRECOGNIZED' ? event.issues : []
  if (issue !== undefined)
    throw invalid(`would not be recognized: ${[...issue.path].join('.') || 'data'} ${issue.message}`)
  const [subject, status] = [readSubject(body), readStatus(body)]
  if (subject === null || status === undefined)
    throw invalid('is of a kind without a subject, so the inbox cannot be searched for it')
  return { item: item as unknown as ReconcileItem, body, subject, status, mayComeBack: kind === ACCOUNT }
}

/** A number that JSON.parse has rounded would be the id of another payment, or another amount. */
function withoutLostDigits(name: string, value: unknown): unknown {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new TypeError(`"${name}" is ${value}, which may have lost digits. Give it as a string.`)
  return value
}

/** The status in a body, of an account its two flags; `undefined` if there is none. */
export function readStatus(body: Body): string | undefined {
  return tryRead(body, (envelope) => {
    const { exact } = readData(envelope)
    if (!isJsonObject(exact)) return undefined
    const status = envelope.kind === ACCOUNT ? toAccountStatus(exact) : exact.status
    return typeof status === 'string' ? status : undefined
  })
}

function toAccountStatus(data: JsonObject): JsonValue {
  const { paymentReady, verified } = renameAliases({ ...data })
  return JSON.stringify({ paymentReady, verified })
}
