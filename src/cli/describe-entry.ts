import type { InboxEntry } from '../inbox/inbox.ts'

export type EntryWithoutBody = Omit<InboxEntry, 'rawBody'> & { readonly bytes: number }

export function describeEntry({ rawBody, ...entry }: InboxEntry): EntryWithoutBody {
  return { ...entry, bytes: rawBody.length }
}
