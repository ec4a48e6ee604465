import type { DatabaseSync } from 'node:sqlite'
import type { RunHandlers } from '../../../src/index.ts'

/** @param db a connection for this alone: what others write with it would be rolled back with a handler that fails */
export function createTransaction(db: DatabaseSync) {
  db.exec('pragma synchronous = full') // not better-sqlite3's default in WAL mode
  const insert = db.prepare('insert into webhook_receipts (key) values (?) on conflict do nothing')
  let last: Promise<unknown> = Promise.resolve()

  async function inTransaction(run: RunHandlers) {
    db.exec('begin immediate')
    try {
      const ran = await run(db, (key) => insert.run(key).changes > 0)
      db.exec('commit')
      return ran
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  // A connection has one transaction at a time, so the next one waits.
  return (run: RunHandlers) => {
    const next = last.then(() => inTransaction(run))
    last = next.catch(() => {})
    return next
  }
}
