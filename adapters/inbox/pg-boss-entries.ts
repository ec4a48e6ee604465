import type { InboxEngine } from '../../src/inbox/create-inbox.ts'
import type { InboxCounts, InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { entryNotFound, kindOf } from '../../src/inbox/recovery.ts'
import type { DeadNotification } from '../../src/receiver-inbox.ts'
import type { PgBossPlace } from './pg-boss-connection.ts'
import type { JobData, SqlRunner } from './pg-boss-engine.ts'
import { fromJobData, fromJobOutput, isJobId } from './pg-boss-job.ts'

const PRUNE_BATCH = 1_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Which rows of pg-boss's table are in a state: those of one queue, in these states of its own. */
const ROWS = {
  waiting: { queue: 'queue', states: ['created', 'retry'] },
  active: { queue: 'queue', states: ['active'] },
  completed: { queue: 'queue', states: ['completed'] },
  // A job that died stays behind as "failed" until its time is up; what counts is its copy in the dead letter queue.
  dead: { queue: 'deadQueue', states: ['created', 'retry'] },
} as const

/** An entry's id is that of the first job: pg-boss makes a new one when a job dies, and again when it is replayed. */
const COLUMNS = `coalesce(source_root_id, id) as id, id as job_id, name, state::text, data, output, source_output,
  (retry_count + (started_on is not null)::int) as attempts, (source_retry_count + 1) as dead_attempts,
  extract(epoch from start_after)::float8 as due, extract(epoch from created_on)::float8 as created,
  extract(epoch from completed_on)::float8 as completed`

interface Row {
  readonly id: string
  readonly job_id: string
  readonly name: string
  readonly state: string
  readonly data: JobData | null
  readonly output: unknown
  readonly source_output: unknown
  readonly attempts: number
  readonly dead_attempts: number
  readonly due: number
  readonly created: number
  readonly completed: number | null
}

/** What pg-boss has no call for: it is asked of its table. */
export interface PgBossEntries extends Pick<InboxEngine, 'counts' | 'list' | 'get' | 'prune'> {
  /** Has an entry that is waiting or completed handled again; whether there was one. */
  restart(id: string): Promise<boolean>
  /** The dead that nobody has been told of: all of the last hour, or the one of that id. They count as told then. */
  takeUnreported(id?: string): Promise<DeadNotification[]>
  /** The id of an entry's job in the dead letter queue. */
  findDead(id: string): Promise<string | undefined>
}

export function createPgBossEntries(
  { schema, queue, deadQueue }: PgBossPlace,
  getDb: () => Promise<SqlRunner>,
): PgBossEntries {
  const table = `${schema}.job`
  const names = { queue, deadQueue }

  async function query<Result>(text: string, values: unknown[]): Promise<Result[]> {
    const { rows } = await (await getDb()).executeSql(text, values)
    return rows as Result[]
  }

  async function find(id: string): Promise<Row | undefined> {
    if (!isJobId(id)) return undefined
    const [row] = await query<Row>(
      `select ${COLUMNS} from ${table}
       where name = any($1) and state not in ('failed', 'cancelled')
         and ((id = $2 and source_root_id is null) or source_root_id = $2)`,
      [[queue, deadQueue], id],
    )
    return row
  }

  function toEntry(row: Row): InboxEntry {
    const notification = fromJobData(row.data)
    const state = row.name === deadQueue ? 'dead' : stateOf(row.state)
    const dead = state === 'dead'
    return {
      id: row.id,
      ...notification,
      kind: kindOf(notification.rawBody),
      state,
      attempts: dead ? row.dead_attempts : row.attempts,
      error: fromJobOutput(dead ? row.source_output : row.output),
      dueAt: state === 'waiting' ? toDate(row.due) : null,
      finishedAt: toDate(dead ? row.created : row.completed),
    }
  }

  return {
    async counts() {
      const rows = await query<{ name: string; state: string; count: number }>(
        `select name, state::text, count(*)::int as count from ${table} where name = any($1) group by 1, 2`,
        [[queue, deadQueue]],
      )
      const count = (state: InboxState) =>
        rows
          .filter((row) => row.name === names[ROWS[state].queue] && isOneOf(ROWS[state].states, row.state))
          .reduce((sum, row) => sum + row.count, 0)
      return {
        waiting: count('waiting'),
        active: count('active'),
        completed: count('completed'),
        dead: count('dead'),
      } satisfies InboxCounts
    },
    async list(state, limit, after = FIRST) {
      if (!isJobId(after)) throw entryNotFound(after)
      const { queue: name, states } = ROWS[state]
      const where = `name = $1 and state::text = any($2)`
      // Each half follows an index of pg-boss's in the order of the ids, so that a page costs the same as the one before.
      const rows = await query<Row>(
        `(select ${COLUMNS} from ${table} job where ${where} and source_root_id is null and job.id > $3
          order by job.id limit $4)
         union all
         (select ${COLUMNS} from ${table} where ${where} and source_root_id > $3
          order by source_root_id limit $4)
         order by 1 limit $4`,
        [names[name], states, after, limit],
      )
      return rows.map(toEntry)
    },
    async get(id) {
      const row = await find(id)
      return row && toEntry(row)
    },
    async restart(id) {
      if (!isJobId(id)) return false
      const rows = await query(
        `update ${table} set state = 'created', retry_count = 0, started_on = null, completed_on = null,
           output = null, start_after = now()
         where name = $1 and ((id = $2 and source_root_id is null) or source_root_id = $2)
           and state in ('created', 'retry', 'completed')
         returning 1`,
        [queue, id],
      )
      return rows.length > 0
    },
    async findDead(id) {
      const row = await find(id)
      return row?.name === deadQueue ? row.job_id : undefined
    },
    async takeUnreported(id) {
      const rows = await query<Row>(
        `update ${table} set output = '{"reported": true}'
         where name = $1 and id in (
           select id from ${table}
           where name = $1 and state = 'created' and not blocked and priority = 0 and output is null
             and created_on > now() - interval '1 hour' and ($2::uuid is null or source_root_id = $2)
           for update skip locked
         )
         returning ${COLUMNS}`,
        [deadQueue, id ?? null],
      )
      return rows.map((row) => toDead(toEntry(row)))
    },
    async prune(state, olderThan) {
      const { queue: name, states } = ROWS[state]
      const finished = state === 'dead' ? 'created_on' : 'completed_on'
      let pruned = 0
      let after: string | undefined = FIRST
      while (after !== undefined) {
        const rows: { id: string }[] = await query(
          `with old as (
             select id from ${table} job
             where name = $1 and state::text = any($2) and ${finished} < $3 and job.id > $4
             order by job.id limit ${PRUNE_BATCH} for update skip locked
           ), gone as (
             delete from ${table} where name = $1 and id in (select id from old) returning id, source_id
           ), sources as (
             delete from ${table} where name = $5 and state = 'failed' and id in (select source_id from gone)
           )
           select id from gone order by id`,
          [names[name], states, olderThan.toISOString(), after, queue],
        )
        pruned += rows.length
        after = rows.length === PRUNE_BATCH ? rows.at(-1)?.id : undefined
      }
      return pruned
    },
  }
}

function toDead({
  id,
  deliveryId,
  clientId,
  receivedAt,
  rawBody,
  attempts,
  error,
}: InboxEntry): DeadNotification {
  return { id, deliveryId, clientId, receivedAt, rawBody, attempts, error: error ?? 'unknown' }
}

function stateOf(state: string): InboxState {
  if (state === 'active' || state === 'completed') return state
  return 'waiting'
}

function isOneOf(states: readonly string[], state: string): boolean {
  return states.includes(state)
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(Math.floor(seconds * 1_000))
}
