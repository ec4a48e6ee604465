import { InboxError } from '../../../src/errors.ts'
import { MAX_PAGE_BYTES } from '../../../src/inbox/entry-rules.ts'
import type { InboxCounts, InboxState } from '../../../src/inbox/inbox.ts'
import { createIfMissing } from './create-if-missing.ts'
import { codeOf, type JobData, type SqlRunner } from './engine.ts'

/** The same as the peer range; scripts/check-frameworks.ts tests both ends. */
const TESTED = 'pg-boss 12.35 to 12.38'
export interface Queues {
  readonly schema: string
  readonly queue: string
  /** Contains the dead entries, with the ids that they had in `queue`. */
  readonly deadQueue: string
  /** Whether to create what is missing, and to set the options of the queue. */
  readonly create: boolean
}

/** A job as the inbox reads it. Times are in seconds. */
export interface JobRow {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly data: JobData
  readonly output: object
  readonly retry_count: number
  readonly started: number | null
  readonly due: number
  readonly created: number
  readonly completed: number | null
}

type Explanation = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }

export const COLUMNS = `id, name, state::text, data, output, retry_count, extract(epoch from started_on)::float8 as started,
  extract(epoch from start_after)::float8 as due, extract(epoch from created_on)::float8 as created,
  extract(epoch from completed_on)::float8 as completed`
const STATES = '{created,retry,active,completed,cancelled,failed}'

/** The rows of a state, as pg-boss's partial indexes spell it: other rows are not read. */
export const IN_STATE = {
  waiting: "state < 'active' and not blocked",
  active: "state = 'active' and group_id is not null",
  completed: "state = 'completed'",
  dead: "state < 'active' and not blocked",
} satisfies Record<InboxState, string>

/** Others were cancelled or failed with pg-boss's own tools. */
const IS_ENTRY = "state not in ('failed', 'cancelled')"

/**
 * What the inbox's own index is on. pg-boss's queries, and those for active jobs, cannot mistake it for one of
 * theirs, as they could if it was on the column.
 */
const SUBJECT = 'left(group_id, 200)'

/** How many entries are locked at once, with their bodies. */
export const LOCKED_AT_ONCE = 100
/** The same without their bodies. */
export const PRUNED_AT_ONCE = 1_000
/** Up to this many completed entries are counted. */
const COUNTED_EXACTLY = 10_000
/** How often to look for an entry that exists, but was stored anew during every query. */
const MAX_LOOKS = 100

/**
 * What payhook reads of pg-boss's private table, because pg-boss has no call for it: pages in the order of
 * arrival, counts without a scan, an entry in either queue, and locks. These queries, and those of
 * `LeaseTable`, only read or lock rows. All changes go through pg-boss's own calls.
 */
export class JobTable {
  readonly #queues: Queues
  readonly #jobs: string

  constructor(queues: Queues) {
    this.#queues = queues
    this.#jobs = `${queues.schema}.job`
  }

  /** @throws InboxError `inbox_too_new` if the table lacks a column or a state that is used here */
  async check(db: SqlRunner): Promise<void> {
    const { schema } = this.#queues
    const text = `select ${COLUMNS}, priority, blocked, group_id, heartbeat_on from ${this.#jobs}
      where state = any('${STATES}'::${schema}.job_state[]) limit 0`
    try {
      await query(db, text, [])
    } catch (cause) {
      throw isUnknownShape(cause) ? unknownSchema(schema, { cause }) : cause
    }
  }

  /** Reads at most 10,000 completed rows; above that, `completed` is PostgreSQL's estimate. */
  async counts(db: SqlRunner): Promise<InboxCounts> {
    const { queue, deadQueue } = this.#queues
    const completed = `from ${this.#jobs} where name = $1 and ${IN_STATE.completed}`
    const count = (state: InboxState, name = '$1') =>
      `(select count(*)::int from ${this.#jobs} where name = ${name} and ${IN_STATE[state]}) as ${state}`
    const [counts] = await query<InboxCounts>(
      db,
      `select ${count('waiting')}, ${count('active')},
         (select count(*)::int from (select 1 ${completed} limit ${COUNTED_EXACTLY + 1}) found) as completed,
         ${count('dead', '$2')}`,
      [queue, deadQueue],
    )
    if (counts === undefined || counts.completed <= COUNTED_EXACTLY) return counts as InboxCounts
    return { ...counts, completed: Math.max(counts.completed, await this.estimate(db, 'completed')) }
  }

  /** PostgreSQL's estimate of how many entries are in a state. */
  async estimate(db: SqlRunner, state: InboxState): Promise<number> {
    const text = `explain (format json) select 1 from ${this.#jobs} where name = $1 and ${IN_STATE[state]}`
    const plans = await query<Explanation>(db, text, [queueOf(this.#queues, state)])
    return plans[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0
  }

  /** Reads entries in the order of their ids, up to `MAX_PAGE_BYTES`, and at least one. */
  page(db: SqlRunner, state: InboxState, after: string, limit: number): Promise<JobRow[]> {
    return this.#page(db, after, limit, `name = $3 and ${IN_STATE[state]}`, [queueOf(this.#queues, state)])
  }

  /** The same for those about a subject. */
  pageAbout(
    db: SqlRunner,
    subject: string,
    state: InboxState | undefined,
    after: string,
    limit: number,
  ): Promise<JobRow[]> {
    const names = state === undefined ? namesOf(this.#queues) : [queueOf(this.#queues, state)]
    const inState = state === undefined ? IS_ENTRY : IN_STATE[state]
    return this.#page(db, after, limit, `name = any($3) and ${SUBJECT} = $4 and ${inState}`, [names, subject])
  }

  #page(
    db: SqlRunner,
    after: string,
    limit: number,
    condition: string,
    values: unknown[],
  ): Promise<JobRow[]> {
    // The stored size of a body is cheaper to read than its length, and never much larger.
    return query(
      db,
      `with found as (
         select ${COLUMNS}, coalesce(pg_column_size(data), 0) as stored from ${this.#jobs}
         where ${condition} and id > $1 order by id limit $2
       ), near as (
         select *, sum(stored) over (order by id) as stored_before, row_number() over (order by id) as number
         from found
       ), sized as (
         select *, sum(coalesce(octet_length(data->>'body'), 0) / 4 * 3 - 2) over (order by id) as bytes
         from near where number = 1 or stored_before <= ${MAX_PAGE_BYTES * 1.4} + 1024 * number
       )
       select * from sized where number = 1 or bytes <= ${MAX_PAGE_BYTES} order by id`,
      [after, limit, ...values],
    )
  }

  /** Finds entries in any state. */
  find(db: SqlRunner, ids: readonly string[], lock = ''): Promise<JobRow[]> {
    return query(
      db,
      `select ${COLUMNS} from ${this.#jobs}
       where name = any($1) and id = any($2::uuid[]) and ${IS_ENTRY} ${lock}`,
      [namesOf(this.#queues), ids],
    )
  }

  /**
   * Locks entries, except active ones: a worker that locks several to end them must not wait for these locks.
   * One that another transaction stores anew during the query is only found by the next one.
   *
   * @returns all entries
   */
  async lock(db: SqlRunner, ids: readonly string[]): Promise<JobRow[]> {
    for (let looks = 1; ; looks++) {
      const idle = await this.find(db, ids, "and state <> 'active' order by id for update")
      if (idle.length === ids.length || looks === MAX_LOOKS) return idle
      const all = await this.find(db, ids)
      const active = all.filter(({ state }) => state === 'active')
      if (idle.length + active.length === all.length) return [...idle, ...active]
    }
  }

  /** Locks some old finished entries, in the order of their ids. */
  async lockFinished(db: SqlRunner, state: InboxState, olderThan: Date, after: string): Promise<string[]> {
    const rows = await query<{ id: string }>(
      db,
      `select id from ${this.#jobs}
       where name = $1 and ${IN_STATE[state]} and coalesce(completed_on, created_on) < $2 and id > $3
       order by id limit ${PRUNED_AT_ONCE} for update skip locked`,
      [queueOf(this.#queues, state), olderThan.toISOString(), after],
    )
    return rows.map(({ id }) => id)
  }
}

export async function query<Row>(db: SqlRunner, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await db.executeSql(text, values)
  return rows as Row[]
}

/**
 * Creates the index that finds the entries about a subject, in any state and in the order of their ids. An
 * index costs a put less than a table of the inbox would, and is pruned with its rows.
 */
export async function createSubjectIndex(db: SqlRunner, schema: string): Promise<void> {
  await createIfMissing(
    db,
    `${schema}.payhook_subject`,
    `create index if not exists payhook_subject on ${schema}.job (${SUBJECT}, id) where group_id is not null`,
  )
}

function namesOf({ queue, deadQueue }: Queues): string[] {
  return [queue, deadQueue]
}

export function queueOf({ queue, deadQueue }: Queues, state: InboxState): string {
  return state === 'dead' ? deadQueue : queue
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
  return ['42P01', '42703', '42704', '42804', '42883', '22P02'].includes(codeOf(error))
}
