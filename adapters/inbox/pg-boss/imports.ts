import { toImportId } from '../../../src/inbox/import-id.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { PgBossConnection } from './connection.ts'
import { GROUP, insertAll, inTransaction, type NewJob } from './engine.ts'
import { isJobId, toJobData } from './job.ts'
import type { JobTable, PgBossPlace } from './table.ts'

/** Entries that come from another inbox, or go to one. */
export function createPgBossImports(
  connection: PgBossConnection,
  { queue }: PgBossPlace,
  table: JobTable,
): Pick<InboxEngine, 'import' | 'remove'> {
  return {
    async import(entries) {
      const engine = await connection.ready()
      const byId = new Map(entries.map((entry) => [toImportId(entry), entry]))
      await inTransaction(engine, 'durable', async (db) => {
        for (const { id } of await table.lockEntries(db, [...byId.keys()])) byId.delete(id)
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
        const jobs = await table.lockEntries(db, ids.filter(isJobId))
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
