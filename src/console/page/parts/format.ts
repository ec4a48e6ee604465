import type { Highlights } from '../../../events/read-highlights.ts'

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

export function shortTime(iso: string): string {
  const date = new Date(iso)
  const now = new Date()
  if (now.toDateString() === date.toDateString()) return clock.format(date)
  const format = now.getFullYear() === date.getFullYear() ? day : dayOfYear
  return `${format.format(date)} ${clock.format(date)}`
}

export function exactTime(iso: string): string {
  const date = new Date(iso)
  return `${shortTime(iso)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

/** How long something has taken, roughly, so that it does not change all the time. */
export function age(ms: number): string {
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} days`
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`
  return count < 1_048_576 ? `${(count / 1_024).toFixed(1)} KiB` : `${(count / 1_048_576).toFixed(1)} MiB`
}

/** A kind as a person reads it: Inbound payment, Account status. */
export function kindLabel(kind: string): string {
  if (!/^[A-Z_\d]+$/.test(kind)) return kind
  const words = kind
    .replace(/^VBA/, 'VIRTUAL_ACCOUNT')
    .replace(/(ACCOUNT|APPLICATION)_STATUS_UPDATED$/, '$1_status')
    .replace(/(?:_STATUS)?_UPDATED$/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A notification as a list shows it. */
export interface Listed {
  readonly subject: string | null
  readonly highlights: Highlights
}

/** What a notification is about: payment:48121 99.50 EUR. */
export function subjectLine({ subject, highlights: { id, amount } }: Listed): string {
  return [subject ?? id, amount].filter(Boolean).join(' ')
}

/** "1 notification", "2 notifications". */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}
