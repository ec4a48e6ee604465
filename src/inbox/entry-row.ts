import { readKind } from '../events/read-envelope.ts'
import type { InboxNotification } from '../receiver/receiver-inbox.ts'
import { toIdempotencyKey } from './entry-ids.ts'
import type { InboxEntry, InboxState } from './inbox.ts'
import type { Lease } from './lease-store.ts'

/** What the engines with tables read of a notification. Times are in milliseconds since 1970. */
interface NotificationRow {
  readonly id: string
  readonly received_at: number
  readonly signature: string
  readonly client_id: string
  readonly subject: string | null
  /** The concurrency key; `null` if the entry is not limited. */
  readonly key: string | null
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

/** By their number, which is the same in all schemas. Several others mean that an entry is waiting. */
const STATES: readonly InboxState[] = ['dead', 'completed', 'active']
export const STATES_OF: Readonly<Record<InboxState, readonly number[]>> = {
  dead: [0],
  completed: [1],
  active: [2],
  waiting: [3, 4, 5],
}

function read(
  row: NotificationRow,
  lastingId: string,
): InboxNotification & { readonly id: string; readonly idempotencyKey: string } {
  return {
    id: row.id,
    idempotencyKey: toIdempotencyKey(lastingId, row.repeats),
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

export function toLease(row: LeaseRow, lastingId = row.id): Lease {
  return { ...read(row, lastingId), attempt: row.attempts, crashes: row.crashes }
}

export function toEntry(row: EntryRow, lastingId = row.id): InboxEntry {
  const state = STATES[row.state] ?? 'waiting'
  return {
    ...read(row, lastingId),
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
