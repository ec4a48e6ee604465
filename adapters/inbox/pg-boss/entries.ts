import { isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { entryActive, entryNotFound, kindOf } from '../../../src/inbox/recovery.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  GROUP,
  insertAll,
  inTransaction,
  type NewJob,
  type PgBossEngine,
  type SqlRunner,
} from './engine.ts'
import { fromJobData, fromJobOutput, pastOf, toJobData } from './job.ts'
import { type JobRow, type JobTable, LOCKED_AT_ONCE, PRUNED_AT_ONCE, type QueueNames } from './table.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
/** How often to look for an entry that exists, but was stored anew during every query. */
const MAX_LOOKS = 100

type Entries = Omit<InboxEngine, 'put' | 'start' | 'stop' | 'close'>

/** @param onReplayed called when entries have become due */
export function createEntries(
  connection: PgBossConnection,
  { schema, queue, deadQueue }: QueueNames,
  table: JobTable,
  onReplayed: () => void,
): Entries {
  async function getDb(): Promise<SqlRunner> {
    return (await connection.ready()).getDb()
  }

  async function change<Result>(
    work: (db: SqlRunner, engine: PgBossEngine) => Promise<Result>,
  ): Promise<Result> {
    const engine = await connection.ready()
    return await inTransaction(engine, (db) => work(db, engine))
  }

  /** Locks entries. One that another transaction stores anew during the query is only found by the next one. */
  async function lock(db: SqlRunner, ids: readonly string[]): Promise<JobRow[]> {
    for (let looks = 1; ; looks++) {
      const rows = await table.lock(db, ids)
      if (rows.length === ids.length || looks === MAX_LOOKS) return rows
      if ((await table.find(db, ids)).length === rows.length) return rows
    }
  }

  async function deleteEntries(engine: PgBossEngine, rows: readonly JobRow[], db: SqlRunner): Promise<void> {
    for (const [name, some] of Map.groupBy(rows, (row) => row.name))
      await deleteAll(engine, name, some.map(idOf), db)
  }

  /** Stores entries anew, except active ones and those that `accepts` rejects. Returns all. */
  async function restart(ids: readonly string[], accepts: (row: JobRow) => boolean): Promise<JobRow[]> {
    const rows = await change(async (db, engine) => {
      const found = await lock(db, ids)
      const idle = found.filter((row) => row.state !== 'active' && accepts(row))
      await deleteEntries(engine, idle, db)
      const jobs = idle.map(({ id, data }) => ({ id, group: GROUP, data: { ...data, past: undefined } }))
      await insertAll(engine, queue, jobs, db)
      return found
    })
    onReplayed()
    return rows
  }

  async function replayAllDead(ids: readonly string[]): Promise<number> {
    const known = ids.filter(isUuid)
    const isDead = (row: JobRow) => row.name === deadQueue
    let replayed = 0
    for (let at = 0; at < known.length; at += LOCKED_AT_ONCE)
      replayed += (await restart(known.slice(at, at + LOCKED_AT_ONCE), isDead)).filter(isDead).length
    return replayed
  }

  return {
    counts: async () => await table.counts(await getDb()),
    async list(state, limit, after = FIRST) {
      if (!isUuid(after)) throw entryNotFound(after)
      const rows = await table.page(await getDb(), state, after, limit)
      return rows.map((row) => toEntry(row, state))
    },
    async get(id) {
      const [row] = isUuid(id) ? await table.find(await getDb(), [id]) : []
      return row && toEntry(row, row.name === deadQueue ? 'dead' : stateOf(row))
    },
    async replay(id) {
      const [row] = isUuid(id) ? await restart([id], () => true) : []
      if (row === undefined) throw entryNotFound(id)
      if (row.state === 'active') throw entryActive(id)
    },
    replayAllDead,
    replayDead: async (id) => (await replayAllDead([id])) > 0,
    async prune(state, olderThan) {
      let pruned = 0
      for (let after: string | undefined = FIRST; after !== undefined; ) {
        const from: string = after
        const ids = await change(async (db, engine) => {
          const old = await table.lockFinished(db, state, olderThan, from)
          await deleteAll(engine, state === 'dead' ? deadQueue : queue, old, db)
          return old
        })
        pruned += ids.length
        after = ids.length === PRUNED_AT_ONCE ? ids.at(-1) : undefined
      }
      return pruned
    },
    async identity() {
      // The address of the server would differ if it has several.
      const { rows } = await (await getDb()).executeSql(
        `select pg_postmaster_start_time()::text as server, oid::text as database from pg_database
         where datname = current_database()`,
      )
      return JSON.stringify([rows[0], schema, queue])
    },
    async import(entries) {
      await change(async (db, engine) => {
        const known = new Set((await lock(db, entries.map(idOf))).map(idOf))
        const missing = entries.filter(({ id }) => !known.has(id))
        // A job that was cancelled with pg-boss's own tools is no entry, and would be in the way.
        for (const name of [queue, deadQueue]) await deleteAll(engine, name, missing.map(idOf), db)
        const { dead = [], completed = [], waiting = [] } = Object.groupBy(missing, ({ state }) => state)
        await insertAll(engine, deadQueue, dead.map(toNewJob), db)
        await insertAll(engine, queue, [...waiting, ...completed].map(toNewJob), db)
        if (completed.length > 0) {
          await engine.complete(queue, completed.map(idOf), undefined, { db, includeQueued: true })
        }
      })
    },
    remove: async (ids) =>
      await change(async (db, engine) => {
        const idle = (await lock(db, ids.filter(isUuid))).filter(({ state }) => state !== 'active')
        await deleteEntries(engine, idle, db)
        return idle.length
      }),
  }
}

function toNewJob({ id, attempts, error, dueAt, ...notification }: InboxEntry): NewJob {
  const data = toJobData(notification)
  const base = { id, group: GROUP, data }
  if (attempts === 0) return base
  const startAfter = dueAt ? Math.max(0, dueAt.getTime() - Date.now()) / 1_000 : 0
  return { ...base, startAfter, data: { ...data, past: { attempts, deaths: 0, cutOffs: 0, error } } }
}

function toEntry(row: JobRow, state: InboxState): InboxEntry {
  const notification = fromJobData(row.data)
  const past = pastOf(row.data)
  return {
    id: row.id,
    ...notification,
    kind: kindOf(notification.rawBody),
    state,
    attempts: past.attempts + row.retry_count + Number(row.started),
    error: state === 'completed' ? null : (fromJobOutput(row.output) ?? past.error),
    dueAt: state === 'waiting' ? toDate(row.due) : null,
    finishedAt: toDate(state === 'dead' ? row.created : row.completed),
  }
}

function idOf({ id }: { readonly id: string }): string {
  return id
}

function stateOf({ state }: JobRow): InboxState {
  return state === 'active' || state === 'completed' ? state : 'waiting'
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(Math.floor(seconds * 1_000))
}
