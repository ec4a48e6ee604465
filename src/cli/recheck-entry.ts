import type { KindSchemas, SchemaMap } from '../events/kind-schemas.ts'
import { parseEvent } from '../events/parse-event.ts'
import { isSubject, readSubject } from '../events/subject.ts'
import type { Issue, WebhookEvent } from '../events/webhook-event.ts'
import { concurrencyKeyOf } from '../inbox/entry-rules.ts'
import type { InboxEntry } from '../inbox/inbox.ts'
import { toPlainDecimal } from '../json/decimal.ts'
import { ExactNumber, readJson } from '../json/exact-number.ts'

/** What a receiver has to say about how notifications are read. */
export interface Reading {
  readonly schemas: SchemaMap
  readonly concurrencyKey: ((event: WebhookEvent<KindSchemas>) => unknown) | undefined
}

/** What would be read differently of an entry. */
export type Difference =
  | {
      readonly what: 'subject' | 'concurrencyKey'
      readonly stored: string | null
      readonly read: string | null
    }
  /** A number of the data that would be rounded. */
  | {
      readonly what: 'digits'
      readonly path: readonly string[]
      readonly sent: string
      readonly read: string
    }
  | { readonly what: 'unrecognized'; readonly issues: readonly Issue[] }
  | { readonly what: 'unreadable'; readonly reason: string }
  /** It is dead because it could not be read, and can be read now. */
  | { readonly what: 'readable' }

export function recheckEntry(entry: InboxEntry, { schemas, concurrencyKey }: Reading): Difference[] {
  const { rawBody, error } = entry
  const wasUnreadable = error?.startsWith('PayloadError') === true
  const differences: Difference[] = []
  const subject = readSubject(rawBody)
  if (subject !== entry.subject) differences.push({ what: 'subject', stored: entry.subject, read: subject })
  let event: WebhookEvent
  try {
    event = parseEvent(rawBody, schemas)
  } catch (cause) {
    return wasUnreadable ? differences : [...differences, { what: 'unreadable', reason: String(cause) }]
  }
  const key = concurrencyKey === undefined ? undefined : keyOf(concurrencyKey, event, subject)
  const stored = concurrencyKeyOf(entry)
  if (key !== undefined && key !== stored) differences.push({ what: 'concurrencyKey', stored, read: key })
  if (event.type !== 'UNRECOGNIZED') {
    differences.push(...findLostDigits(rawBody, event.data))
    if (wasUnreadable) differences.push({ what: 'readable' })
  } else if (!wasUnreadable) differences.push({ what: 'unrecognized', issues: event.issues })
  return differences
}

/** As a receiver does it: if the option fails, the key is the subject. */
function keyOf(
  concurrencyKey: NonNullable<Reading['concurrencyKey']>,
  event: WebhookEvent,
  subject: string | null,
): string | null {
  try {
    const key = concurrencyKey(event)
    return key === null || isSubject(key) ? key : subject
  } catch {
    return subject
  }
}

/** A number with so many digits, or an exponent, that a double may not hold it. */
const MAY_LOSE_DIGITS = /[:[,]\s*-?[\d.]+(?:(?<=[\d.]{15})|[eE])/

/** Finds the numbers of a body that are rounded in what was read, by a reader of JSON that is not payhook's. */
function findLostDigits(rawBody: Uint8Array, read: unknown): Difference[] {
  const text = Buffer.from(rawBody).toString()
  const lost: Difference[] = []
  if (!MAY_LOSE_DIGITS.test(text)) return lost
  try {
    const { data } = readJson(text) as { data: unknown }
    compare(typeof data === 'string' ? readJson(data) : data, read, [])
  } catch {
    // Data that is a text, or is nested too deep for a reviver.
  }
  return lost

  function compare(sent: unknown, read: unknown, path: readonly string[]): void {
    if (sent instanceof ExactNumber) {
      const shown = String(read)
      if (typeof read !== 'object' && isRounded(sent.source, shown))
        lost.push({ what: 'digits', path, sent: sent.source, read: shown })
    } else if (typeof sent === 'object' && sent !== null && typeof read === 'object' && read !== null) {
      for (const [key, value] of Object.entries(sent))
        if (Object.hasOwn(read, key)) compare(value, (read as Record<string, unknown>)[key], [...path, key])
    }
  }
}

/** A schema may make another number of it, but none that is equal only as a double. */
function isRounded(sent: string, read: string): boolean {
  if (sent === read || Number(sent) !== Number(read)) return false
  return toPlainDecimal(sent) !== toPlainDecimal(read)
}
