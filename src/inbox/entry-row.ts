import { readKind } from '../events/read-envelope.ts'
import type { InboxNotification } from '../receiver/receiver-inbox.ts'
import { toIdempotencyKey } from './entry-ids.ts'
import type { InboxEntry, InboxState } from './inbox.ts'
import type { Lease } from './lease-store.ts'

/** What the engines with tables read of a notification. Times are in milliseconds since 1970. */
interface NotificationRow {
  readonly received_at: number
  readonly signature: string
  readonly client_id: string
  readonly subject: string | null
  readonly source: string | null
  readonly traceparent: string | null
  readonly body: Uint8Array
  readonly repeats: number
  readonly attempts: number
}

export interface LeaseRow extends NotificationRow {
  readonly crashes: number
}

export interface EntryRow extends NotificationRow {
  readonly state: number
  readonly error: string | null
  readonly due_at: number | null
  readonly started_at: number | null
  readonly finished_at: number | null
}

/** What the engines store in different ways. */
interface Identity {
  readonly id: string
  readonly lastingId: string
  /** Absent if it is the subject. */
  readonly concurrencyKey?: string | null
}

/** By their number, which is the same in all schemas. Several others mean that an entry is waiting. */
const STATES: readonly InboxState[] = ['dead', 'completed', 'active']

function read(
  row: NotificationRow,
  { lastingId, ...identity }: Identity,
): InboxNotification & { readonly id: string; readonly idempotencyKey: string } {
  return {
    ...identity,
    idempotencyKey: toIdempotencyKey(lastingId, row.repeats),
    signature: row.signature,
    clientId: row.client_id,
    receivedAt: new Date(row.received_at),
    rawBody: row.body,
    subject: row.subject,
    source: row.source === 'reconcile' ? 'reconcile' : 'service',
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  }
}

export function toLease(row: LeaseRow, identity: Identity): Lease {
  return { ...read(row, identity), attempt: row.attempts, crashes: row.crashes }
}

export function toEntry(row: EntryRow, identity: Identity): InboxEntry {
  const state = STATES[row.state] ?? 'waiting'
  return {
    ...read(row, identity),
    kind: readKind(row.body),
    state,
    attempts: row.attempts,
    error: row.error,
    dueAt: state === 'waiting' ? toDate(row.due_at ?? row.received_at) : null,
    startedAt: state === 'active' ? toDate(row.started_at) : null,
    finishedAt: toDate(row.finished_at),
  }
}

const toDate = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds))
