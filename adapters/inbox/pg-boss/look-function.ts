import type { Outlook } from '../../../src/inbox/lease-store.ts'
import { createIfMissing } from './create-if-missing.ts'
import type { SqlRunner } from './engine.ts'
import { PARKED_PRIORITIES, priorityIn, SUSPECT_PRIORITY } from './priorities.ts'
import { IN_STATE, type Queues, query } from './table.ts'

const NAME = 'payhook_look'

/** What a worker finds in pg-boss's table. */
export interface Found extends Outlook {
  /** Whether a retry that waited long is due. */
  readonly isOverdue: boolean
}

/**
 * Creates a function in pg-boss's schema that looks for what a worker has to do, in one statement outside a
 * transaction, as an idle worker does little else. PostgreSQL plans its queries once for each connection.
 */
export async function createLookFunction(db: SqlRunner, schema: string): Promise<void> {
  const isDue = (priorities: string) =>
    `exists (
       select 1 from ${schema}.job
       where name = queue and ${IN_STATE.waiting} and priority ${priorities} and start_after <= now()
     )`
  await createIfMissing(
    db,
    `${schema}.${NAME}`,
    `create or replace function ${schema}.${NAME}(
       queue text, earliest int, held uuid[], lease interval,
       out is_due boolean, out is_overdue boolean, out is_suspect_due boolean, out may_recover boolean
     ) language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
     begin
       is_due := ${isDue('>= 0')};
       is_overdue := ${isDue('between earliest and -1')};
       is_suspect_due := ${isDue(`<= ${SUSPECT_PRIORITY}`)};
       may_recover := held is not null and (
         exists (${selectAbandoned(schema, { queue: 'queue', lease: 'lease', held: 'held' })})
         or exists (${selectForgotten(schema, 'queue')})
       );
     end $$`,
  )
}

/** @param held what this process holds, if it is time to look for what others no longer hold */
export async function look(
  db: SqlRunner,
  { schema, queue }: Queues,
  leaseSeconds: number,
  held: readonly string[] | undefined,
): Promise<Found> {
  const rows = await query<Found>(
    db,
    `select is_due or is_overdue as "isDue", is_overdue as "isOverdue", is_suspect_due as "isSuspectDue",
       may_recover as "mayRecover"
     from ${schema}.${NAME}($1, $2, $3::uuid[], $4 * interval '1 second')`,
    [queue, priorityIn(), held ?? null, leaseSeconds],
  )
  return rows[0] as Found
}

/** Active jobs whose process has sent no heartbeat for a while. */
export function selectAbandoned(
  schema: string,
  { queue, lease, held }: Record<'queue' | 'lease' | 'held', string>,
  columns = '1',
): string {
  return `select ${columns} from ${schema}.job
    where name = ${queue} and ${IN_STATE.active} and heartbeat_on < now() - ${lease} and id <> all(${held})`
}

/** The keys of parked jobs whose subject is not busy. Looks once at each key, not at each job. */
export function selectForgotten(schema: string, queue: string): string {
  const { from, to } = PARKED_PRIORITIES
  const nextKey = (below: string) =>
    `select priority from ${schema}.job where name = ${queue} and ${IN_STATE.waiting}
       and priority >= ${from} and priority < ${below} order by priority desc limit 1`
  return `with recursive keys(key) as (
      (${nextKey(String(to))}) union all select (${nextKey('key')}) from keys where key is not null
    )
    select keys.key from keys, lateral (
      select group_id from ${schema}.job where name = ${queue} and ${IN_STATE.waiting} and priority = keys.key
      order by created_on limit 1
    ) parked where not exists (
      select 1 from ${schema}.job where name = ${queue} and ${IN_STATE.active} and group_id = parked.group_id
    )`
}
