import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { toStored } from '../../../src/inbox/stored-notification.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  insertAll,
  type NewJob,
  NO_PAST,
  newJob,
  type PgBossEngine,
  type SqlRunner,
} from './engine.ts'
import { priorityOf } from './priorities.ts'
import type { JobRow } from './table.ts'

/** Entries that come from another inbox, or go to one. */
export function createImports(
  connection: PgBossConnection,
): Pick<InboxEngine, 'identity' | 'import' | 'remove'> {
  const { schema, queue, deadQueue } = connection.queues
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
      await connection.transact(async (db, engine) => {
        const known = new Set((await connection.table.lock(db, entries.map(idOf))).map(idOf))
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
      await connection.transact(async (db, engine) => {
        const rows = await connection.table.lock(db, ids.filter(isUuid))
        const idle = rows.filter(({ state }) => state !== 'active')
        await deleteEntries(engine, idle, db)
        return idle.length
      }),
  }
}

/** Deletes entries from the queues that they are in. */
export async function deleteEntries(
  engine: PgBossEngine,
  rows: readonly JobRow[],
  db: SqlRunner,
): Promise<void> {
  for (const [name, some] of Map.groupBy(rows, (row) => row.name))
    await deleteAll(engine, name, some.map(idOf), db)
}

function idOf({ id }: { readonly id: string }): string {
  return id
}

function toNewJob({ id, idempotencyKey, attempts, error, dueAt, ...notification }: InboxEntry): NewJob {
  const data = toStored(notification)
  const { repeats } = fromIdempotencyKey(idempotencyKey)
  if (attempts + repeats === 0) return newJob(id, data)
  const startAfter = dueAt ? Math.max(0, dueAt.getTime() - Date.now()) / 1_000 : 0
  const past = { ...NO_PAST, attempts, error, repeats }
  return newJob(id, { ...data, past }, { priority: priorityOf(0, startAfter), startAfter })
}
