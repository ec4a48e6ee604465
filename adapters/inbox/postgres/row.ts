import { readKind } from '../../../src/events/read-envelope.ts'
import { isUuid, toIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import { entryNotFound } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { Lease } from '../../../src/inbox/lease-store.ts'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { STATE, toMs } from './schema.ts'

/** What is read of a notification. Times are in milliseconds since 1970. */
interface NotificationRow {
  readonly id: string
  readonly repeats: number
  readonly received_at: number
  readonly signature: string
  readonly client_id: string
  readonly subject: string | null
  readonly key: string | null
  readonly source: string | null
  readonly traceparent: string | null
  readonly body: Buffer
}

export interface LeaseRow extends NotificationRow {
  readonly attempts: number
  readonly crashes: number
  readonly cut_offs: number
}

export interface EntryRow extends NotificationRow {
  readonly state: number
  readonly attempts: number
  readonly error: string | null
  readonly due_at: number
  readonly started_at: number | null
  readonly finished_at: number | null
}

/** The columns that an entry is read from: of a notification `n` and its work `w`. */
export const ENTRY = `w.id, w.repeats, n.received_at::float8 as received_at, encode(n.signature, 'hex') as signature,
  n.client_id, n.subject, w.key, n.source, n.traceparent, n.body, w.state, w.attempts, w.error,
  ${toMs('w.due_at')} as due_at, ${toMs('w.started_at')} as started_at, ${toMs('w.finished_at')} as finished_at`

const NAMES: Readonly<Record<number, InboxState>> = {
  [STATE.dead]: 'dead',
  [STATE.completed]: 'completed',
  [STATE.active]: 'active',
}

function read(
  row: NotificationRow,
): InboxNotification & { readonly id: string; readonly idempotencyKey: string } {
  return {
    id: row.id,
    idempotencyKey: toIdempotencyKey(row.id, row.repeats),
    signature: row.signature,
    clientId: row.client_id,
    receivedAt: new Date(row.received_at),
    rawBody: row.body,
    subject: row.subject,
    ...(row.key !== row.subject && { concurrencyKey: row.key }),
    source: row.source === 'reconcile' ? 'reconcile' : 'service',
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  }
}

export function toLease(row: LeaseRow): Lease {
  return { ...read(row), attempt: row.attempts, crashes: row.crashes, cutOffs: row.cut_offs }
}

export function toEntry(row: EntryRow): InboxEntry {
  const state = NAMES[row.state] ?? 'waiting'
  return {
    ...read(row),
    kind: readKind(row.body),
    state,
    attempts: row.attempts,
    error: row.error,
    dueAt: state === 'waiting' ? toDate(row.due_at) : null,
    startedAt: state === 'active' ? toDate(row.started_at) : null,
    finishedAt: toDate(row.finished_at),
  }
}

/**
 * The entry that a page starts after.
 *
 * @throws InboxError `entry_not_found` if no entry can have the id
 */
export function toStart(after: string | undefined): string {
  if (after === undefined) return '00000000-0000-0000-0000-000000000000'
  if (!isUuid(after)) throw entryNotFound(after)
  return after
}

const toDate = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds))
