import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { RecentSignatures } from './recent-signatures.ts'

/** The state of a write-ahead log, shared by the connections of a process to one file. */
export interface LogState {
  /**
   * Whether part of the log may never reach the disk. If a sync fails, Linux still marks the pages as clean:
   * later syncs succeed without them, and a loss of power then loses everything that follows them in the log.
   */
  mayHaveHole: boolean
}

export type Write = ReturnType<typeof createGroupCommit>

interface Size {
  readonly bytes: number
}

interface Pending {
  readonly size: Size
  readonly run: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** The maximum size of a transaction in bytes, since it blocks the event loop and other processes. */
export const MAX_BYTES = 4 * 1024 * 1024
/** Other writes cost about as much as a small body. */
const SMALL: Size = { bytes: 4 * 1024 }
/** How long a write may wait for another process to end its transaction before it fails. */
const BUSY_LIMIT_MS = 2_000
/** About as long as a transaction of another process. Writes that arrive in the meantime join the batch. */
const BUSY_PAUSE_MS = 1
const SQLITE_BUSY = 5
const SQLITE_IOERR = 10

/** Runs the writes of one turn of the event loop in one transaction. */
export function createGroupCommit(database: DatabaseSync, log: LogState, recent?: RecentSignatures) {
  const transact = createTransactions(database, log, recent)
  let waiting: Pending[] = []
  let isWriting = false

  async function writeWaiting(): Promise<void> {
    isWriting = true
    let busySince: number | undefined
    // Not a microtask, so that writes of the same turn join the batch.
    for (await nextTurn(); waiting.length > 0; await nextTurn()) {
      const batch = takeBatch()
      try {
        const results = transact(batch)
        busySince = undefined
        batch.forEach(({ resolve }, index) => void resolve(results[index] as never))
      } catch (error) {
        if (primaryCode(error) === SQLITE_IOERR) log.mayHaveHole = true
        busySince ??= performance.now()
        if (isBusy(error) && performance.now() - busySince <= BUSY_LIMIT_MS) {
          waiting = batch.concat(waiting)
          await delay(BUSY_PAUSE_MS)
        } else {
          busySince = undefined
          for (const { reject } of batch) reject(error)
        }
      }
    }
    isWriting = false
  }

  function takeBatch(): Pending[] {
    let length = 0
    let bytes = 0
    for (const { size } of waiting) {
      bytes += size.bytes
      if (length > 0 && bytes > MAX_BYTES) break
      length += 1
    }
    return waiting.splice(0, length)
  }

  /**
   * Resolves with the result of `run` once it is committed. Rejects if the transaction fails.
   *
   * @param size how much it writes, if that is a lot. It may grow until `run` is called.
   */
  return function write<Result>(run: () => Result, size: Size = SMALL): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ run, size, resolve, reject })
      if (!isWriting) void writeWaiting()
    })
  }
}

function createTransactions(database: DatabaseSync, log: LogState, recent: RecentSignatures | undefined) {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')

  function transact(batch: readonly Pending[]): unknown[] {
    if (log.mayHaveHole) emptyLog()
    recent?.beginning()
    begin.run()
    try {
      recent?.begun()
      const results = batch.map(({ run }) => run())
      recent?.committing()
      commit.run()
      recent?.committed()
      return results
    } catch (error) {
      recent?.rolledBack()
      rollback()
      throw error
    }
  }

  /** Moves the whole log into the database, and syncs it. */
  function emptyLog(): void {
    const result = database.prepare('pragma wal_checkpoint(truncate)').get()
    if (result?.busy !== 0)
      throw Object.assign(new Error('another process prevents the log from being emptied'), {
        errcode: SQLITE_BUSY,
      })
    log.mayHaveHole = false
  }

  /** SQLite may have rolled back by itself, for instance if the disk is full. */
  function rollback(): void {
    try {
      database.exec('rollback')
    } catch {
      // There is nothing left to undo.
    }
  }

  return transact
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY
}

/** SQLite's primary result code, which is in the lowest byte. */
function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff
}
