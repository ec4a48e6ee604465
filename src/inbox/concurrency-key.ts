import type { InboxNotification } from '../receiver/receiver-inbox.ts'

/** Entries with the same key are handled one at a time; `null` if an entry is not limited. */
export function concurrencyKeyOf({
  subject,
  concurrencyKey = subject,
}: Pick<InboxNotification, 'subject' | 'concurrencyKey'>): string | null {
  return concurrencyKey
}
