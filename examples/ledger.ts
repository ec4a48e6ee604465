import type { RunHandlers } from '../src/index.ts'

/**
 * What the handlers of one notification write: lines, which are in the ledger once the transaction is
 * committed.
 */
export type LedgerTransaction = string[]

export type Ledger = Awaited<ReturnType<typeof openLedger>>

/**
 * The application's own data: a ledger in SQLite, which has a line for each notification that was handled. A
 * connection has one transaction at a time, so lines are kept until their handler has ended: others are handled
 * meanwhile.
 */
export async function openLedger(path: string) {
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path)
  db.exec('create table line (text text not null); create table receipt (key text primary key)')
  const count = db.prepare('select count(*) as lines from line where text = ?')
  const hasReceipt = db.prepare('select 1 from receipt where key = ?')
  const insertReceipt = db.prepare('insert into receipt values (?)')
  const insertLine = db.prepare('insert into line values (?)')
  let crashes = 0

  /** Writes the receipt and the lines, or neither. */
  function commit(key: string, lines: LedgerTransaction): void {
    db.exec('begin')
    try {
      // Fails if another attempt has committed the same key.
      insertReceipt.run(key)
      for (const line of lines) insertLine.run(line)
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }

  return {
    /** For the `transaction` option of a receiver. */
    async transaction(run: RunHandlers) {
      const lines: LedgerTransaction = []
      let receipt: string | undefined
      const ran = await run(lines, (key) => {
        if (hasReceipt.get(key) !== undefined) return false
        receipt = key
        return true
      })
      if (receipt !== undefined) commit(receipt, lines)
      if (crashes > 0) {
        crashes -= 1
        throw new Error('The process ends here: the inbox never knows of the commit')
      }
      return ran
    },
    /** Fails after the next commit, as if the process had been killed. */
    crashOnce() {
      crashes += 1
    },
    /** How often a line was written. */
    count: (line: string) => Number(count.get(line)?.lines),
    close: () => db.close(),
  }
}
