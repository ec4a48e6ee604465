import type { InboxCounts, InboxState } from '../inbox/inbox.ts'

/** An entry as the list shows it. Dates are ISO 8601. */
export interface EntrySummary {
  readonly id: string
  /** At most 200 characters. */
  readonly kind: string | null
  readonly state: InboxState
  readonly signature: string
  readonly receivedAt: string
  readonly attempts: number
  /** At most 200 characters; the detail has all. */
  readonly error: string | null
  readonly dueAt: string | null
  readonly finishedAt: string | null
  /** What the notification is about, unless it is very long. */
  readonly subject: { readonly id?: string; readonly status?: string; readonly amount?: string }
}

/** One entry with its exact bytes and its event. */
export interface EntryDetail extends EntrySummary {
  readonly clientId: string
  readonly bodyBase64: string
  /** The event that `parse` returns, as JSON, or why it throws. */
  readonly event: { readonly json: string } | { readonly error: string }
}

/** Responses to the calls of the page. */
export interface InboxResponses {
  counts: { readonly counts: InboxCounts }
  /** `after` names the next page; it is `null` on the last one. */
  list: { readonly entries: readonly EntrySummary[]; readonly after: string | null }
  entry: EntryDetail
  replay: {
    readonly replayed: number
    readonly failed: readonly { readonly id: string; readonly message: string }[]
  }
  'replay-dead': { readonly replayed: number }
  delete: { readonly deleted: 1 }
  prune: { readonly pruned: number }
}
