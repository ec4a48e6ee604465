import type { EventKind } from '../events/kinds.ts'
import { toEnvelope } from '../testing/create-notification.ts'
import type { SampleObject, SampleValue } from '../testing/sample-data.ts'

/** What names the thing that an event is about. */
export const ID_FIELDS = ['id', 'cardId']

/** The bodies of an event: one, or as many different ones as a burst asks for (service.md 2.3). */
export function toNotificationBodies(
  kind: EventKind,
  data: SampleObject,
  { inline = false, burst = 1 }: { inline?: boolean | undefined; burst?: number | undefined },
): string[] {
  return Array.from({ length: burst }, (_, index) => toEnvelope(kind, countUp(data, index), inline))
}

/** The same data with another id. */
export function countUp(data: SampleObject, by: number): SampleObject {
  if (by === 0) return data
  const name = ID_FIELDS.find((field) => isInteger(data[field])) ?? 'id'
  const value = data[name]
  const next = (isInteger(value) ? BigInt(value) : 0n) + BigInt(by)
  return { ...data, [name]: typeof value === 'string' ? String(next) : next }
}

function isInteger(value: SampleValue | undefined): value is number | bigint | string {
  return (
    typeof value === 'bigint' ||
    Number.isSafeInteger(value) ||
    (typeof value === 'string' && /^\d{1,1000}$/.test(value))
  )
}
