import { isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { entryActive, entryNotFound, kindOf } from '../../../src/inbox/recovery.ts'
import type { PgBossConnection } from './connection.ts'
import { GROUP, insertAll, inTransaction } from './engine.ts'
import { fromJobData, fromJobOutput, pastOf } from './job.ts'
import { type JobRow, type JobTable, LOCKED_AT_ONCE, type PgBossPlace } from './table.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'

/** The queue and pg-boss's own states for each state of an entry. */
const ROWS = {
  waiting: { queue: 'queue', states: ['created', 'retry'] },
  active: { queue: 'queue', states: ['active'] },
  completed: { queue: 'queue', states: ['completed'] },
  // pg-boss keeps a dead job as "failed" for a while. The entry is its copy in the dead letter queue.
  dead: { queue: 'deadQueue', states: ['created', 'retry'] },
} as const

type Entries = Pick<
  InboxEngine,
  'counts' | 'list' | 'get' | 'replay' | 'replayDead' | 'replayAllDead' | 'prune'
>

/** @param onReplayed called when entries have become due */
export function createPgBossEntries(
  connection: PgBossConnection,
  place: PgBossPlace,
  table: JobTable,
  onReplayed: () => void,
): Required<Entries> {
  const { queue, deadQueue } = place

  function rowsOf(state: InboxState): { name: string; states: string[] } {
    const { queue: name, states } = ROWS[state]
    return { name: place[name], states: [...states] }
  }

  async function getDb() {
    return (await connection.ready()).getDb()
  }

  async function get(id: string): Promise<InboxEntry | undefined> {
    const row = isUuid(id) ? await table.find(await getDb(), id) : undefined
    return row && toEntry(row, row.name === deadQueue ? 'dead' : stateOf(row.state))
  }

  /**
   * Stores a waiting or completed entry anew.
   *
   * @returns whether there was one
   */
  async function restart(id: string): Promise<boolean> {
    if (!isUuid(id)) return false
    const engine = await connection.ready()
    return await inTransaction(engine, 'durable', async (db) => {
      const row = await table.lockRestartable(db, id)
      if (row === undefined) return false
      // The new job gets the id of the original one, which pg-boss keeps as failed if this is a replay.
      await engine.deleteJob(queue, [row.job_id, row.id], { db })
      await insertAll(
        engine,
        queue,
        [{ id: row.id, data: { ...row.data, past: undefined }, group: GROUP }],
        db,
      )
      return true
    })
  }

  async function replayAllDead(ids: readonly string[]): Promise<number> {
    const engine = await connection.ready()
    const known = ids.filter(isUuid)
    let replayed = 0
    for (let at = 0; at < known.length; at += LOCKED_AT_ONCE) {
      const some = known.slice(at, at + LOCKED_AT_ONCE)
      replayed += await inTransaction(engine, 'durable', async (db) => {
        const jobs = await table.lockDead(db, some)
        return jobs.length === 0 ? 0 : await engine.redrive(deadQueue, { ids: jobs, limit: jobs.length, db })
      })
      onReplayed()
    }
    return replayed
  }

  return {
    get,
    replayAllDead,
    replayDead: async (id) => (await replayAllDead([id])) > 0,
    async counts() {
      const rows = await table.counts(await getDb())
      const count = (state: InboxState) => {
        const { name, states } = rowsOf(state)
        const counted = rows.filter((row) => row.name === name && states.includes(row.state))
        return counted.reduce((sum, row) => sum + row.count, 0)
      }
      return {
        waiting: count('waiting'),
        active: count('active'),
        completed: count('completed'),
        dead: count('dead'),
      }
    },
    async list(state, limit, after = FIRST) {
      if (!isUuid(after)) throw entryNotFound(after)
      const { name, states } = rowsOf(state)
      const rows = await table.page(await getDb(), name, states, after, limit)
      return rows.map((row) => toEntry(row, state))
    },
    async replay(id) {
      if (await restart(id)) onReplayed()
      else if ((await replayAllDead([id])) === 0) {
        throw (await get(id))?.state === 'active' ? entryActive(id) : entryNotFound(id)
      }
    },
    async prune(state, olderThan) {
      const engine = await connection.ready()
      const { name, states } = rowsOf(state)
      let pruned = 0
      let after: string | undefined = FIRST
      while (after !== undefined) {
        const from = after
        const gone = await inTransaction(engine, 'durable', async (db) => {
          const old = await table.lockFinished(db, name, states, olderThan, from)
          if (old.length > 0) {
            await engine.deleteJob(
              name,
              old.map(({ id }) => id),
              { db },
            )
          }
          // Also delete the failed jobs of dead entries.
          const sources = old.flatMap(({ source_id }) => source_id ?? [])
          if (sources.length > 0) await engine.deleteJob(queue, sources, { db })
          return old
        })
        pruned += gone.length
        after = gone.length === LOCKED_AT_ONCE ? gone.at(-1)?.id : undefined
      }
      return pruned
    },
  }
}

function toEntry(row: JobRow, state: InboxState): InboxEntry {
  const notification = fromJobData(row.data)
  const isDead = state === 'dead'
  return {
    id: row.id,
    ...notification,
    kind: kindOf(notification.rawBody),
    state,
    attempts: isDead ? deadAttempts(row) : pastOf(row.data).attempts + row.retry_count + Number(row.started),
    error: errorOf(row, state),
    dueAt: state === 'waiting' ? toDate(row.due) : null,
    finishedAt: toDate(isDead ? row.created : row.completed),
  }
}

function deadAttempts({ source_output, source_retry_count }: JobRow): number {
  const attempts = (source_output as { attempts?: unknown } | null)?.attempts
  // Without our own count: pg-boss counts retries, from 0 again after a job was stored anew.
  return typeof attempts === 'number' ? attempts : Number(source_retry_count) + 1
}

function errorOf({ data, output, source_output }: JobRow, state: InboxState): string | null {
  if (state === 'completed') return null
  return state === 'dead' ? fromJobOutput(source_output) : (fromJobOutput(output) ?? pastOf(data).error)
}

function stateOf(state: string): InboxState {
  return state === 'active' || state === 'completed' ? state : 'waiting'
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(Math.floor(seconds * 1_000))
}
