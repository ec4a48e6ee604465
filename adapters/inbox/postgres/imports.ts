import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Database } from './database.ts'
import { toArguments } from './puts.ts'
import { STATE } from './schema.ts'

/**
 * Entries that come from another inbox, or go to one.
 *
 * @param onDue called when an entry may have become due
 */
export function createImports(
  { schema, query }: Database,
  onDue: () => void,
): Pick<InboxEngine, 'import' | 'remove'> {
  return {
    async import(entries) {
      await query(`select from ${schema}.put(null, null, $1, $2)`, toArguments(entries, toState))
      onDue()
    },
    async remove(ids) {
      const [row] = await query<{ removed: number }>(`select ${schema}.remove($1) as removed`, [
        ids.filter(isUuid),
      ])
      return row?.removed ?? 0
    },
  }
}

/** Times are relative, as clocks differ. */
function toState({
  state,
  attempts,
  error,
  idempotencyKey,
  dueAt,
  finishedAt,
  receivedAt,
}: InboxEntry): object {
  const now = Date.now()
  const isFinished = state === 'dead' || state === 'completed'
  // Without a failed attempt, the error is what a handler said that deferred the entry.
  const isDeferred = attempts === 0 && error !== null
  return {
    state: isFinished ? STATE[state] : isDeferred ? STATE.deferred : STATE.waiting,
    attempts,
    error,
    repeats: fromIdempotencyKey(idempotencyKey).repeats,
    due_in: dueAt && dueAt.getTime() - now,
    finished_in: isFinished ? (finishedAt ?? receivedAt).getTime() - now : null,
  }
}
