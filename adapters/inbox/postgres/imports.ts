import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Database } from './database.ts'
import { toColumns } from './puts.ts'
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
      await query(
        `with given as (
           select g.* from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::text[], $9::int[], $10::int[], $12::smallint[], $13::int[], $14::int[], $15::float8[], $16::float8[],
             $17::text[]) as g (id, received_at, hex, client_id, subject, key, source, traceparent, start, length,
               state, attempts, repeats, due_in, finished_in, error)
         ), stored as (
           insert into ${schema}.notification
             (id, received_at, signature, client_id, subject, source, traceparent, body)
           select id, received_at, decode(hex, 'hex'), client_id, subject, source, traceparent,
             substring($11::bytea from start + 1 for length) from given order by id
           on conflict (id) do nothing returning id
         )
         insert into ${schema}.work (id, state, key, attempts, repeats, due_at, finished_at, error)
         select id, state, key, attempts, repeats, now() + due_in * interval '1 millisecond',
           now() + finished_in * interval '1 millisecond', error from stored join given using (id)`,
        [...toColumns(entries), ...toStates(entries)],
      )
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

/** The states of the entries, as one array for each column. Times are relative, as clocks differ. */
function toStates(entries: readonly InboxEntry[]): unknown[] {
  const now = Date.now()
  return [
    entries.map(stateOf),
    entries.map(({ attempts }) => attempts),
    entries.map(({ idempotencyKey }) => fromIdempotencyKey(idempotencyKey).repeats),
    entries.map(({ dueAt }) => (dueAt === null ? 0 : dueAt.getTime() - now)),
    entries.map(({ state, finishedAt, receivedAt }) =>
      state === 'dead' || state === 'completed' ? (finishedAt ?? receivedAt).getTime() - now : null,
    ),
    entries.map(({ error }) => error),
  ]
}

/** Without a failed attempt, the error is what a handler said that deferred the entry. */
function stateOf({ state, attempts, error }: InboxEntry): number {
  if (state === 'dead' || state === 'completed') return STATE[state]
  return attempts === 0 && error !== null ? STATE.deferred : STATE.waiting
}
