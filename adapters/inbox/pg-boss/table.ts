import { InboxError } from '../../../src/errors.ts'
import { SUSPECT_DEATHS } from '../../../src/inbox/isolation.ts'
import { MAX_PAGE_BYTES } from '../../../src/inbox/recovery.ts'
import type { JobAttempt, JobData, SqlRunner } from './engine.ts'

/** The same as the peer range; scripts/check-frameworks.ts tests both ends. */
const TESTED = 'pg-boss 12.35 to 12.38'
/** Below the priority of all other jobs, so that fetching those excludes suspects. */
export const SUSPECT_PRIORITY = -1

export interface PgBossPlace {
  readonly schema: string
  readonly queue: string
  readonly deadQueue: string
  /** Whether to create the schema and the queue. */
  readonly create: boolean
}

/** The columns of pg-boss's table that the inbox reads. */
export interface JobRow {
  /** The id of the original job. pg-boss creates a new one for a dead job, and another for its replay. */
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
 * Queries for which pg-boss has no call. They only read or lock rows; all changes go through pg-boss's own
 * calls.
 */
export interface JobTable {
  /** @throws InboxError `inbox_too_new` if the table lacks a column or a state that is used here */
  check(db: SqlRunner): Promise<void>
  counts(db: SqlRunner): Promise<{ name: string; state: string; count: number }[]>
  /** In the order of their ids, up to `MAX_PAGE_BYTES`, and at least one. */
  page(db: SqlRunner, name: string, states: string[], after: string, limit: number): Promise<JobRow[]>
  find(db: SqlRunner, id: string): Promise<JobRow | undefined>
  /** Locks the job of a waiting or completed entry. */
  lockRestartable(db: SqlRunner, id: string): Promise<JobRow | undefined>
  /** Locks the jobs of dead entries, in the dead letter queue. */
  lockDead(db: SqlRunner, ids: readonly string[]): Promise<string[]>
  /** Locks all jobs of entries, whatever their state. */
  lockEntries(
    db: SqlRunner,
    ids: readonly string[],
  ): Promise<{ id: string; job_id: string; name: string; state: string }[]>
  /** Locks some old finished jobs, in the order of their ids. */
  lockFinished(
    db: SqlRunner,
    name: string,
    states: string[],
    olderThan: Date,
    after: string,
  ): Promise<{ id: string; source_id: string | null }[]>
  /** Locks the jobs whose attempt is still active. */
  lockHeld(db: SqlRunner, attempts: readonly (JobAttempt & { restored: number })[]): Promise<string[]>
  /**
   * Locks some jobs whose process has sent no heartbeat for a while.
   *
   * @param withOldJobs also jobs without a group, from older versions of payhook; reads the whole table
   */
  lockAbandoned(db: SqlRunner, afterSeconds: number, withOldJobs: boolean): Promise<JobRow[]>
  isSuspectDue(db: SqlRunner): Promise<boolean>
}

/** How many rows are locked at once. */
export const LOCKED_AT_ONCE = 1_000
/** Fewer for abandoned jobs, as their bodies are read. */
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
      // Each half of the union follows one of pg-boss's indexes in the order of the ids, so that every page
      // costs the same. The stored size of a body is cheaper to read than its length, and never much larger.
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
    lockEntries: (db, ids) =>
      query(
        db,
        `select coalesce(source_root_id, id) as id, id as job_id, name, state::text from ${table}
         where name = any($1) and (id = any($2::uuid[]) or source_root_id = any($2::uuid[])) for update`,
        [[queue, deadQueue], ids],
      ),
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
    lockAbandoned: (db, afterSeconds, withOldJobs) =>
      query(
        db,
        `select ${COLUMNS} from ${table}
         where name = $1 and state = 'active' ${withOldJobs ? '' : 'and group_id is not null'}
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

/** The priority of a job after that many crashes in a row. */
export function priorityAfter(deaths: number): number {
  return deaths < SUSPECT_DEATHS ? 0 : SUSPECT_PRIORITY
}

export function unknownSchema(schema: string, options?: ErrorOptions): InboxError {
  return new InboxError(
    'inbox_too_new',
    `The schema ${schema} was created by an unsupported version of pg-boss; this payhook supports ${TESTED}.`,
    options,
  )
}

/** Whether a table, a column or a type does not exist or has another type. */
function isUnknownShape(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return ['42P01', '42703', '42704', '42804', '42883', '22P02'].includes(String(code))
}
