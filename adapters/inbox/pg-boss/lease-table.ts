import { SETTINGS, type SqlRunner } from './engine.ts'
import { selectAbandoned, selectForgotten } from './look-function.ts'
import { parkedPriority } from './priorities.ts'
import { examineSubjects } from './subject-function.ts'
import { COLUMNS, IN_STATE, type JobRow, LOCKED_AT_ONCE, type Queues, query } from './table.ts'

/** How many due jobs to search for others to park. */
const AHEAD = 1_000
const PARKED_AT_ONCE = 500

type LockedJob = Pick<JobRow, 'id' | 'retry_count' | 'created'>

/** What a worker reads of pg-boss's private table: leases, and what is parked until another lease ends. */
export class LeaseTable {
  readonly #queues: Queues
  readonly #jobs: string

  constructor(queues: Queues) {
    this.#queues = queues
    this.#jobs = `${queues.schema}.job`
  }

  /**
   * Makes the settings, and locks those of the jobs that are active, without reading their bodies.
   *
   * @returns also those of the keys that have parked jobs
   */
  async lockActive(
    db: SqlRunner,
    ids: readonly string[],
    keys: readonly number[],
  ): Promise<{ active: Map<string, LockedJob>; parked: number[] }> {
    const rows = await query<LockedJob & { parked: number[] | null }>(
      db,
      `with locked as (
         select id, retry_count, extract(epoch from created_on)::float8 as created from ${this.#jobs}
         where name = $1 and id = any($2::uuid[]) and state = 'active' order by id for update
       )
       select locked.*, ${SETTINGS},
         (select array_agg(key) from ${examineSubjects(this.#queues.schema, { freed: '$3' })}) as parked
       from (select 1) one left join locked on true`,
      [this.#queues.queue, ids, keys],
    )
    return { active: new Map(rows.map((row) => [row.id, row])), parked: rows[0]?.parked ?? [] }
  }

  /** Locks some jobs whose process has sent no heartbeat for a while. */
  lockAbandoned(db: SqlRunner, afterSeconds: number, except: readonly string[]): Promise<JobRow[]> {
    return query(
      db,
      `${selectAbandoned(
        this.#queues.schema,
        { queue: '$1', lease: "$2 * interval '1 second'", held: '$3::uuid[]' },
        COLUMNS,
      )}
       limit ${LOCKED_AT_ONCE} for update skip locked`,
      [this.#queues.queue, afterSeconds, except],
    )
  }

  /**
   * Locks the keys of the subjects and `freed` until the end of the transaction.
   *
   * @param except jobs that do not count as active
   * @returns those of the subjects that have an active job, and those of `freed` that have a parked one
   */
  async examine(
    db: SqlRunner,
    subjects: readonly string[],
    except: readonly string[],
    freed: readonly number[],
  ): Promise<{ busy: string[]; parked: number[] }> {
    // All transactions lock in the same order.
    const keys = [...subjects.map(parkedPriority), ...freed].sort((a, b) => a - b)
    const found = examineSubjects(this.#queues.schema, {
      locked: '$2',
      subjects: '$3',
      except: '$4',
      freed: '$5',
    })
    const rows = await query<{ subject: string | null; key: number | null }>(db, `select * from ${found}`, [
      this.#queues.queue,
      keys,
      subjects,
      except,
      freed,
    ])
    return {
      busy: rows.flatMap(({ subject }) => subject ?? []),
      parked: rows.flatMap(({ key }) => key ?? []),
    }
  }

  /** Locks the oldest parked job with each of the keys, unless it is locked. */
  lockParked(db: SqlRunner, keys: readonly number[]): Promise<JobRow[]> {
    const parked = `from ${this.#jobs} where name = $1 and ${IN_STATE.waiting}`
    return query(
      db,
      // The time first, which the index is in the order of: a key may have any number of jobs, but few of one
      // time.
      `select parked.* from unnest($2::int[]) as key, lateral (
         select created_on ${parked} and priority = key order by created_on limit 1
       ) oldest, lateral (
         select id ${parked} and priority = key and created_on = oldest.created_on
         order by id limit 1 for update skip locked
       ) first, lateral (select ${COLUMNS} ${parked} and id = first.id) parked`,
      [this.#queues.queue, keys],
    )
  }

  /** Locks some of the next due jobs about the subjects. */
  lockNext(db: SqlRunner, subjects: readonly string[]): Promise<JobRow[]> {
    return query(
      db,
      `select ${COLUMNS} from ${this.#jobs} where name = $1 and ${IN_STATE.waiting} and id in (
         select id from (
           select id, group_id from ${this.#jobs}
           where name = $1 and ${IN_STATE.waiting} and priority >= 0 and start_after <= now()
           order by priority desc, created_on limit ${AHEAD}
         ) next where group_id = any($2)
       ) limit ${PARKED_AT_ONCE} for update skip locked`,
      [this.#queues.queue, subjects],
    )
  }

  /** Finds the keys of parked jobs whose subject is not busy. */
  async findForgotten(db: SqlRunner): Promise<number[]> {
    const { schema, queue } = this.#queues
    const rows = await query<{ key: number }>(db, selectForgotten(schema, '$1'), [queue])
    return rows.map(({ key }) => key)
  }
}
