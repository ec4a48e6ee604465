import { isUuid } from '../../../src/inbox/entry-ids.ts'
import * as rows from '../../../src/inbox/entry-row.ts'
import { entryNotFound } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { Lease } from '../../../src/inbox/lease-store.ts'
import { toMs } from './schema.ts'

interface Identified {
  readonly id: string
  readonly subject: string | null
  readonly key: string | null
}

export type LeaseRow = rows.LeaseRow & Identified
export type EntryRow = rows.EntryRow & Identified

/** The columns that an entry is read from: of a notification `n` and its work `w`. */
export const ENTRY = `w.id, w.repeats, n.received_at, encode(n.signature, 'hex') as signature,
  n.client_id, n.subject, w.key, n.source, n.traceparent, n.body, w.state, w.attempts, w.error,
  ${toMs('w.due_at')} as due_at, ${toMs('w.started_at')} as started_at, ${toMs('w.finished_at')} as finished_at`

export function toLease(row: LeaseRow): Lease {
  return rows.toLease(row, identify(row))
}

export function toEntry(row: EntryRow): InboxEntry {
  return rows.toEntry(row, identify(row))
}

function identify({ id, subject, key }: Identified) {
  return { id, lastingId: id, ...(key !== subject && { concurrencyKey: key }) }
}

/** @throws InboxError `entry_not_found` if no entry can have the id */
export function toStart(after: string | undefined): string {
  if (after === undefined) return '00000000-0000-0000-0000-000000000000'
  if (!isUuid(after)) throw entryNotFound(after)
  return after
}
