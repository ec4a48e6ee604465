import { InboxError } from '../errors.ts'
import { isSubject } from '../events/subject.ts'
import { option, optional } from '../option-checks.ts'
import type { InboxNotification } from '../receiver/receiver-inbox.ts'
import type { InboxCounts, InboxState } from './inbox.ts'

/** The states, those that need attention first. */
export const STATES: readonly InboxState[] = ['dead', 'active', 'waiting', 'completed']
export const SUBJECT = optional(option<string>('a subject, such as "payment:48121"', isSubject))
/** The most bytes of bodies in a page, unless a single body is larger. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024

export function toCounts(count: (state: InboxState) => number): InboxCounts {
  return {
    waiting: count('waiting'),
    active: count('active'),
    completed: count('completed'),
    dead: count('dead'),
  }
}

/** Entries with the same key are handled one at a time; `null` if an entry is not limited. */
export function concurrencyKeyOf({
  subject,
  concurrencyKey = subject,
}: Pick<InboxNotification, 'subject' | 'concurrencyKey'>): string | null {
  return concurrencyKey
}

export function misconfigured(message: string, cause?: unknown): InboxError {
  return new InboxError('inbox_misconfigured', message, cause === undefined ? {} : { cause })
}

export function tooNew(what: string, version: number, supported: number): InboxError {
  const message = `${what} has version ${version}, but this payhook supports at most ${supported}.`
  return new InboxError('inbox_too_new', `${message} Update payhook.`)
}

export function entryNotFound(id: string): InboxError {
  return new InboxError('entry_not_found', `The inbox has no entry ${JSON.stringify(id)}.`)
}

export function entryActive(id: string): InboxError {
  return new InboxError(
    'entry_active',
    `The entry ${JSON.stringify(id)} is being handled; try again afterwards.`,
  )
}
