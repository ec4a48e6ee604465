import { Buffer } from 'node:buffer'
import type { Body } from '../body-bytes.ts'
import { renameAliases } from '../events/account-data.ts'
import { parseEvent } from '../events/parse-event.ts'
import { readData, readEnvelope } from '../events/read-envelope.ts'
import { subjectOf } from '../events/subject.ts'
import type { WebhookEvent } from '../events/webhook-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'

/** What the service's API says of one payment, invoice or account. */
export interface ReconcileItem {
  /** The kind of notification that it would have come with, such as `INBOUND_PAYMENT_STATUS_UPDATED`. */
  readonly kind: string
  /** What the `data` of that notification would be: parsed JSON, with numbers beyond 2^53 as strings. */
  readonly data: unknown
}

/** That an object, such as `payment:48121`, has a status. */
export interface News {
  readonly object: string
  readonly status: string
  /** Whether the object may come back to a status, so that only the last news counts. */
  readonly comesBack: boolean
}

/** An item of the list as a notification. */
export interface ListedNotification {
  readonly item: ReconcileItem
  readonly body: Buffer
  readonly event: WebhookEvent
  readonly news: News
}

/**
 * Makes the notification of an item, in the form in which the service sends it.
 *
 * @param position counted from 1, as the lines of a file
 * @throws TypeError if handlers would not recognize it, or the inbox could not be searched for it
 */
export function toListedNotification(item: unknown, position: number): ListedNotification {
  const invalid = (what: string, options?: ErrorOptions) =>
    new TypeError(`Item ${position} of "list" ${what}`, options)
  if (!isJsonObject(item) || typeof item.kind !== 'string')
    throw invalid('must be { kind, data }, with a string as kind')
  const { kind, data } = item
  let body: Buffer
  try {
    body = Buffer.from(JSON.stringify({ type: kind, data: JSON.stringify(data) }))
  } catch (cause) {
    throw invalid('must have JSON as data', { cause })
  }
  const news = readNews(body)
  const event = parseEvent(body, new Map())
  const [issue] = event.type === 'UNRECOGNIZED' ? event.issues : []
  if (issue !== undefined)
    throw invalid(`would not be recognized: ${[...issue.path].join('.') || 'data'} ${issue.message}`)
  if (news === undefined)
    throw invalid('is of a kind without a subject, so the inbox cannot be searched for it')
  return { item: item as unknown as ReconcileItem, body, event, news }
}

/** The news in a body; `undefined` if it has none or cannot be parsed. */
export function readNews(body: Body): News | undefined {
  try {
    const envelope = readEnvelope(body)
    const { exact } = readData(envelope)
    const object = subjectOf(envelope.kind, exact)
    if (object === null || !isJsonObject(exact)) return undefined
    const isAccount = envelope.kind === 'ACCOUNT_STATUS_UPDATED'
    const status = isAccount ? toAccountStatus(exact) : exact.status
    return typeof status === 'string' ? { object, status, comesBack: isAccount } : undefined
  } catch {
    return undefined
  }
}

/** An account has no status, but two flags. */
function toAccountStatus(data: JsonObject): JsonValue {
  const { paymentReady, verified } = renameAliases({ ...data })
  return JSON.stringify({ paymentReady, verified })
}
