import type { EngineHealth } from '../../../src/inbox/health.ts'
import { createIfMissing } from './create-if-missing.ts'
import type { SqlRunner } from './engine.ts'
import { selectLastStored } from './last-stored.ts'
import { IN_STATE, type JobTable, type Queues, query } from './table.ts'

const NAME = 'payhook_health'
/** Up to this many entries in a state are counted, which takes a few hundredths of a second. */
const COUNTED_EXACTLY = 100_000
/** A call must not wait for a migration, nor wait on in PostgreSQL once nobody waits for it. */
const LOCK_LIMIT_MS = 1_000

interface Row {
  readonly at: number
  readonly waiting: number
  readonly due: number | null
  readonly active: number
  readonly oldest: string | null
  readonly subject: string | null
  readonly started: number | null
  readonly dead: number
  readonly stored: number | null
}

/**
 * Creates a function in pg-boss's schema that tells how an inbox is doing. It reads the indexes of what waits
 * and what is active, never what is completed. Times are in milliseconds.
 */
export async function createHealthFunction(db: SqlRunner, schema: string): Promise<void> {
  const ms = (time: string) => `floor(extract(epoch from ${time}) * 1000)::float8`
  // Compiled plans would take longer than they save.
  const settings = `set enable_seqscan = off set enable_bitmapscan = off set jit = off
    set lock_timeout = ${LOCK_LIMIT_MS}`
  await createIfMissing(
    db,
    `${schema}.${NAME}`,
    `create or replace function ${schema}.${NAME}(
       queue_name text, dead_name text, out at float8, out waiting int, out due float8, out active int,
       out oldest uuid, out subject text, out started float8, out dead int, out stored float8
     ) language plpgsql ${settings} as $$
     begin
       at := ${ms('now()')};
       select count(*), ${ms('min(start_after) filter (where start_after <= now())')} into waiting, due from (
         select start_after from ${schema}.job where name = queue_name and ${IN_STATE.waiting}
         order by priority desc, created_on limit ${COUNTED_EXACTLY + 1}
       ) first;
       select count(*) into active from ${schema}.job where name = queue_name and ${IN_STATE.active};
       select id, nullif(group_id, id::text), ${ms('started_on')} into oldest, subject, started
         from ${schema}.job where name = queue_name and ${IN_STATE.active} order by started_on limit 1;
       select count(*) into dead from (
         select 1 from ${schema}.job where name = dead_name and ${IN_STATE.dead} limit ${COUNTED_EXACTLY + 1}
       ) first;
       stored := ${ms(`(${selectLastStored(schema, 'queue_name')})`)};
     end $$`,
  )
}

/**
 * Above 100,000, the number of waiting or dead entries is PostgreSQL's estimate. Counting a million may take
 * longer than a health check may, and would make it report the failure of an engine that only has much to do.
 */
export async function readHealth(db: SqlRunner, table: JobTable, queues: Queues): Promise<EngineHealth> {
  const { schema, queue, deadQueue } = queues
  const text = `select * from ${schema}.${NAME}($1, $2)`
  const [row] = await query<Row>(db, text, [queue, deadQueue])
  const { at, due, active, oldest, subject, started, stored, ...counted } = row as Row
  const count = async (state: 'waiting' | 'dead') =>
    counted[state] <= COUNTED_EXACTLY
      ? counted[state]
      : Math.max(counted[state], await table.estimate(db, state))
  return {
    now: at,
    waiting: { count: await count('waiting'), oldestDueAt: due ?? undefined },
    active: {
      count: active,
      oldest: oldest === null ? undefined : { id: oldest, subject, startedAt: started ?? at },
    },
    dead: { count: await count('dead') },
    lastStoredAt: stored ?? undefined,
  }
}
