import { InboxError } from '../../../src/errors.ts'
import { SUSPECT_DEATHS } from '../../../src/inbox/isolation.ts'
import { MAX_PAGE_BYTES } from '../../../src/inbox/recovery.ts'
import type { JobAttempt, JobData, SqlRunner } from './engine.ts'

/** As the peer range has it; scripts/check-frameworks.ts tries both ends. */
const TESTED = 'pg-boss 12.35 to 12.38'
/** Suspects have a priority below all others, which keeps them out of their fetches. */
export const SUSPECT_PRIORITY = -1

/** Where the jobs lie. */
export interface PgBossPlace {
  readonly schema: string
  readonly queue: string
  readonly deadQueue: string
}

/** A row of pg-boss's table, as far as it is read. */
export interface JobRow {
  /**
   * The entry's id is that of the first job: pg-boss makes a new one when a job dies, and again when it is
   * replayed.
   */
  readonly id: string
  readonly job_id: string
  readonly name: string
  readonly state: string
  readonly data: JobData
  readonly output: unknown
  readonly source_id: string | null
  readonly source_output: unknown
  readonly source_retry_count: number | null
  readonly retry_count: number
  readonly started: boolean
  readonly due: number
  readonly created: number
  readonly completed: number | null
}

const COLUMNS = `coalesce(source_root_id, id) as id, id as job_id, name, state::text, data, output,
  source_id, source_output, source_retry_count, retry_count, started_on is not null as started,
  extract(epoch from start_after)::float8 as due, extract(epoch from created_on)::float8 as created,
  extract(epoch from completed_on)::float8 as completed`
const STATES = '{created,retry,active,completed,cancelled,failed}'

/**
 * What pg-boss has no call for, asked of its table. Everything here reads or locks rows; they are changed by
 * pg-boss's own calls alone.
 */
export interface JobTable {
  /** @throws InboxError `inbox_too_new` unless the table has what is read here */
  check(db: SqlRunner): Promise<void>
  counts(db: SqlRunner): Promise<{ name: string; state: string; count: number }[]>
  /** In the order of their ids: as many as a page has in bytes, and one at least. */
  page(db: SqlRunner, name: string, states: string[], after: string, limit: number): Promise<JobRow[]>
  find(db: SqlRunner, id: string): Promise<JobRow | undefined>
  /** Locks the job of an entry that is waiting or completed. */
  lockRestartable(db: SqlRunner, id: string): Promise<JobRow | undefined>
  /** Locks the jobs in the dead letter queue of those entries that are dead. */
  lockDead(db: SqlRunner, ids: readonly string[]): Promise<string[]>
  /** Locks some that were finished long ago, in the order of their ids. */
  lockFinished(
    db: SqlRunner,
    name: string,
    states: string[],
    olderThan: Date,
    after: string,
  ): Promise<{ id: string; source_id: string | null }[]>
  /** Locks those attempts that are still under way. */
  lockHeld(db: SqlRunner, attempts: readonly (JobAttempt & { restored: number })[]): Promise<string[]>
  /**
   * Locks some jobs whose process has not been heard of for a while.
   *
   * @param everywhere also those without a group, which an older payhook stored; that reads the whole table
   */
  lockAbandoned(db: SqlRunner, afterSeconds: number, everywhere: boolean): Promise<JobRow[]>
  isSuspectDue(db: SqlRunner): Promise<boolean>
}

/** How many rows are locked at once. */
export const LOCKED_AT_ONCE = 1_000
/** How many abandoned ones, as their bodies are read. */
const ABANDONED_AT_ONCE = 100

export function createJobTable({ schema, queue, deadQueue }: PgBossPlace): JobTable {
  const table = `${schema}.job`
  const inStates = `name = $1 and state = any($2::${schema}.job_state[])`

  async function query<Row>(db: SqlRunner, text: string, values: unknown[]): Promise<Row[]> {
    const { rows } = await db.executeSql(text, values)
    return rows as Row[]
  }

  return {
    async check(db) {
      try {
        await query(
          db,
          `select ${COLUMNS}, priority, blocked, group_id, heartbeat_on from ${table}
           where state = any('${STATES}'::${schema}.job_state[]) limit 0`,
          [],
        )
      } catch (cause) {
        throw isUnknownShape(cause) ? unknownSchema(schema, { cause }) : cause
      }
    },
    counts: (db) =>
      query(
        db,
        `select name, state::text, count(*)::int as count from ${table} where name = any($1) group by 1, 2`,
        [[queue, deadQueue]],
      ),
    page(db, name, states, after, limit) {
      // Each half follows an index of pg-boss's in the order of the ids, so that a page costs the same as the
      // one before. What PostgreSQL stores of a body, compressed or not, is cheaper to sum up than its length,
      // and never much more.
      return query(
        db,
        `with found as (
           (select ${COLUMNS}, coalesce(pg_column_size(data), 0) as stored from ${table} job
            where ${inStates} and source_root_id is null and job.id > $3 order by job.id limit $4)
           union all
           (select ${COLUMNS}, coalesce(pg_column_size(data), 0) from ${table}
            where ${inStates} and source_root_id > $3 order by source_root_id limit $4)
           order by 1 limit $4
         ), near as (
           select *, sum(stored) over (order by id) as stored_before, row_number() over (order by id) as place
           from found
         ), sized as (
           select *, sum(coalesce(octet_length(data->>'body'), 0) / 4 * 3 - 2) over (order by id) as bytes
           from near where place = 1 or stored_before <= ${MAX_PAGE_BYTES * 1.4} + 1024 * place
         )
         select * from sized where place = 1 or bytes <= ${MAX_PAGE_BYTES} order by id`,
        [name, states, after, limit],
      )
    },
    async find(db, id) {
      const [row] = await query<JobRow>(
        db,
        `select ${COLUMNS} from ${table}
         where name = any($1) and state not in ('failed', 'cancelled')
           and ((id = $2 and source_root_id is null) or source_root_id = $2)`,
        [[queue, deadQueue], id],
      )
      return row
    },
    async lockRestartable(db, id) {
      const [row] = await query<JobRow>(
        db,
        `select ${COLUMNS} from ${table}
         where name = $1 and ((id = $2 and source_root_id is null) or source_root_id = $2)
           and state in ('created', 'retry', 'completed')
         for update`,
        [queue, id],
      )
      return row
    },
    async lockDead(db, ids) {
      const rows = await query<{ id: string }>(
        db,
        `select id from ${table}
         where name = $1 and source_root_id = any($2::uuid[]) and source_name = $3 and state in ('created', 'retry')
         for update skip locked`,
        [deadQueue, ids, queue],
      )
      return rows.map(({ id }) => id)
    },
    lockFinished: (db, name, states, olderThan, after) =>
      query(
        db,
        `select id, source_id from ${table}
         where ${inStates} and coalesce(completed_on, created_on) < $3 and id > $4
         order by id limit ${LOCKED_AT_ONCE} for update skip locked`,
        [name, states, olderThan.toISOString(), after],
      ),
    async lockHeld(db, attempts) {
      const rows = await query<{ id: string }>(
        db,
        `select id from ${table}
         where name = $1 and id = any($2::uuid[]) and state = 'active'
           and concat(id, ' ', retry_count, ' ', coalesce(data->'past'->>'restored', '0')) = any($3::text[])
         order by id for update`,
        [
          queue,
          attempts.map(({ id }) => id),
          attempts.map(({ id, retryCount, restored }) => `${id} ${retryCount} ${restored}`),
        ],
      )
      return rows.map(({ id }) => id)
    },
    lockAbandoned: (db, afterSeconds, everywhere) =>
      query(
        db,
        `select ${COLUMNS} from ${table}
         where name = $1 and state = 'active' ${everywhere ? '' : 'and group_id is not null'}
           and heartbeat_on < now() - $2 * interval '1 second'
         limit ${ABANDONED_AT_ONCE} for update skip locked`,
        [queue, afterSeconds],
      ),
    async isSuspectDue(db) {
      const rows = await query(
        db,
        `select 1 from ${table} where name = $1 and priority <= ${SUSPECT_PRIORITY} and state < 'active'
           and not blocked and start_after <= now() limit 1`,
        [queue],
      )
      return rows.length > 0
    },
  }
}

/** The priority of a job whose process died that often in a row while it handled it. */
export function priorityAfter(deaths: number): number {
  return deaths < SUSPECT_DEATHS ? 0 : SUSPECT_PRIORITY
}

export function unknownSchema(schema: string, options?: ErrorOptions): InboxError {
  return new InboxError(
    'inbox_too_new',
    `The schema ${schema} was made by a pg-boss that this payhook does not know: it was tested with ${TESTED}.`,
    options,
  )
}

/** Whether PostgreSQL misses a table, a column or a type, or one is of another kind. */
function isUnknownShape(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return ['42P01', '42703', '42704', '42804', '42883', '22P02'].includes(String(code))
}
