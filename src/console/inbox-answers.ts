import type { InboxCounts, InboxState } from '../inbox/inbox.ts'

/** An entry as the list shows it. Dates are ISO 8601. */
export interface EntrySummary {
  readonly id: string
  readonly kind: string | null
  readonly state: InboxState
  readonly deliveryId: string
  readonly receivedAt: string
  readonly attempts: number
  readonly error: string | null
  readonly dueAt: string | null
  readonly finishedAt: string | null
  /** Length of the body in bytes. */
  readonly size: number
}

/** One entry with its exact bytes, and what they say. */
export interface EntryDetail extends EntrySummary {
  readonly clientId: string
  readonly bodyBase64: string
  /** The event as `parse` gives it, as JSON, or why it gives none. */
  readonly event: { readonly json: string } | { readonly error: string }
}

/** What each call of the page is answered with. */
export interface InboxAnswers {
  counts: { readonly counts: InboxCounts }
  /** `after` names the next page; it is `null` on the last one. */
  list: { readonly entries: readonly EntrySummary[]; readonly after: string | null }
  entry: EntryDetail
  replay: {
    readonly replayed: number
    readonly failed: readonly { readonly id: string; readonly message: string }[]
  }
  'replay-dead': { readonly replayed: number }
  prune: { readonly pruned: number }
}

/** A call that could not be answered. */
export interface Refusal {
  readonly code: string
  readonly message: string
}
