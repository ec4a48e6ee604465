import { isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { PgBossConnection } from './connection.ts'
import { GROUP, insertAll, inTransaction, type NewJob } from './engine.ts'
import { toJobData } from './job.ts'
import type { JobTable, PgBossPlace } from './table.ts'

/** States of jobs that are no entries. */
const LEFTOVER: ReadonlySet<string> = new Set(['failed', 'cancelled'])

/** Entries that come from another inbox, or go to one. */
export function createPgBossImports(
  connection: PgBossConnection,
  { schema, queue }: PgBossPlace,
  table: JobTable,
): Pick<InboxEngine, 'identity' | 'import' | 'remove'> {
  return {
    async identity() {
      // The address of the server would differ if it has several.
      const { rows } = await (await connection.ready()).getDb().executeSql(
        `select pg_postmaster_start_time()::text as server, oid::text as database from pg_database
         where datname = current_database()`,
      )
      return JSON.stringify([rows[0], schema, queue])
    },
    async import(entries) {
      const engine = await connection.ready()
      const byId = new Map(entries.map((entry) => [entry.id, entry]))
      await inTransaction(engine, 'durable', async (db) => {
        const jobs = await table.lockEntries(db, [...byId.keys()])
        for (const { id, state } of jobs) if (!LEFTOVER.has(state)) byId.delete(id)
        const leftovers = jobs.filter(({ id }) => byId.has(id)).map(({ job_id }) => job_id)
        if (leftovers.length > 0) await engine.deleteJob(queue, leftovers, { db })
        await insertAll(engine, queue, [...byId].map(toNewJob), db)
        const completed = [...byId].filter(([, { state }]) => state === 'completed').map(([id]) => id)
        if (completed.length > 0)
          await engine.complete(queue, completed, undefined, { db, includeQueued: true })
        for (const [id, { state, error, attempts }] of byId) {
          if (state === 'dead') await engine.fail(queue, [id], { error, attempts }, { db })
        }
      })
    },
    async remove(ids) {
      const engine = await connection.ready()
      return await inTransaction(engine, 'durable', async (db) => {
        const jobs = await table.lockEntries(db, ids.filter(isUuid))
        const busy = new Set(jobs.filter(({ state }) => state === 'active').map(({ id }) => id))
        const idle = jobs.filter(({ id }) => !busy.has(id))
        for (const [name, some] of Map.groupBy(idle, (job) => job.name)) {
          const jobIds = some.map(({ job_id }) => job_id)
          await engine.deleteJob(name, jobIds, { db })
        }
        return new Set(idle.map(({ id }) => id)).size
      })
    },
  }
}

function toNewJob([id, entry]: [string, InboxEntry]): NewJob {
  const { state, attempts, error, dueAt } = entry
  const data = toJobData(entry)
  const base = { id, group: GROUP, data }
  // Without a retry left it dies when it fails; its attempts and its error are kept with that.
  if (state === 'dead') return { ...base, retryLimit: 0 }
  if (attempts === 0) return base
  const past = { attempts, restored: 1, deaths: 0, cutOffs: 0, error }
  const waitMs = state === 'waiting' && dueAt ? Math.max(0, dueAt.getTime() - Date.now()) : 0
  return { ...base, startAfter: waitMs / 1_000, data: { ...data, past } }
}
