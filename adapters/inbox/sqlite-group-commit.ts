import type { DatabaseSync } from 'node:sqlite'

/** Takes part in every transaction, beside the writes. */
export interface Participant {
  begun(): void
  committing(): void
  committed(): void
  rolledBack(): void
}

/** Runs the writes of one turn of the event loop in one transaction. */
export interface GroupCommit {
  /** Resolves with what `write` returns once that is committed, and rejects when the transaction fails. */
  write<Result>(write: () => Result): Promise<Result>
}

interface Pending {
  readonly run: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 1_000
/** How long to wait before a database that another process writes to is tried again. */
const BUSY_PAUSE_MS = 5
const SQLITE_BUSY = 5

/** @param busyLimitMs after which what waits for another process to end its transaction is rejected */
export function createGroupCommit(
  database: DatabaseSync,
  busyLimitMs: number,
  participant?: Participant,
): GroupCommit {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  let waiting: Pending[] = []
  let scheduled = false
  let busySince: number | undefined

  function schedule(pauseMs?: number): void {
    scheduled = true
    // Not a microtask: what arrives in the same turn is to come along.
    if (pauseMs === undefined) setImmediate(flush)
    else setTimeout(flush, pauseMs)
  }

  function flush(): void {
    scheduled = false
    const batch = waiting.slice(0, MAX_BATCH)
    waiting = waiting.slice(MAX_BATCH)
    try {
      const results = transact(batch)
      busySince = undefined
      batch.forEach(({ resolve }, index) => void resolve(results[index] as never))
    } catch (error) {
      if (isBusy(error) && !isTooLate()) {
        waiting = batch.concat(waiting)
        schedule(BUSY_PAUSE_MS)
      } else {
        busySince = undefined
        for (const { reject } of batch) reject(error)
      }
    }
    if (waiting.length > 0 && !scheduled) schedule()
  }

  function isTooLate(): boolean {
    busySince ??= performance.now()
    return performance.now() - busySince > busyLimitMs
  }

  function transact(batch: readonly Pending[]): unknown[] {
    begin.run()
    try {
      participant?.begun()
      const results = batch.map(({ run }) => run())
      participant?.committing()
      commit.run()
      participant?.committed()
      return results
    } catch (error) {
      participant?.rolledBack()
      rollback()
      throw error
    }
  }

  /** A full disk, say, has SQLite roll back by itself. */
  function rollback(): void {
    try {
      database.exec('rollback')
    } catch {
      // Nothing is left to undo.
    }
  }

  return {
    write(run) {
      return new Promise((resolve, reject) => {
        waiting.push({ run, resolve, reject })
        if (!scheduled) schedule()
      })
    },
  }
}

/** Whether a statement failed because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  // The primary result code is in the lowest byte.
  return (Number((error as { errcode?: unknown }).errcode) & 0xff) === SQLITE_BUSY
}
