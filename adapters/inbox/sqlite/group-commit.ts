import type { DatabaseSync } from 'node:sqlite'

/** Takes part in every transaction, beside the writes. */
export interface Participant {
  /**
   * Called before each transaction, while other processes can still write.
   *
   * @param contended whether another process has kept the transaction waiting
   */
  beginning(contended: boolean): void
  begun(): void
  committing(): void
  committed(): void
  rolledBack(): void
}

/** What the connections of a process to one file know of its write-ahead log. */
export interface LogState {
  /**
   * Whether part of the log may never reach the disk. When a sync fails, Linux marks the pages as clean
   * nevertheless: later syncs succeed without them, and a loss of power then loses everything that follows them
   * in the log.
   */
  mayHaveHole: boolean
}

/** Runs the writes of one turn of the event loop in one transaction. */
export interface GroupCommit {
  /**
   * Resolves with what `write` returns once that is committed, and rejects when the transaction fails.
   *
   * @param size how much it writes, if it is much. It may grow until `write` is called.
   */
  write<Result>(write: () => Result, size?: Size): Promise<Result>
}

interface Size {
  readonly bytes: number
}

interface Pending {
  readonly size: Size
  readonly run: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** How much a transaction takes at most, as it holds up the event loop and other processes. */
export const MAX_BYTES = 4 * 1024 * 1024
/** Writes of other kinds cost about as much as a small body. */
const SMALL: Size = { bytes: 4 * 1024 }
/**
 * How long to wait before a database that another process writes to is tried again, which is about how long a
 * transaction takes. What arrives meanwhile comes along.
 */
const BUSY_PAUSE_MS = 1
const SQLITE_BUSY = 5
const SQLITE_IOERR = 10

/** @param busyLimitMs after which what waits for another process to end its transaction is rejected */
export function createGroupCommit(
  database: DatabaseSync,
  log: LogState,
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
    const batch = takeBatch()
    try {
      const results = transact(batch)
      busySince = undefined
      batch.forEach(({ resolve }, index) => void resolve(results[index] as never))
    } catch (error) {
      if (primaryCode(error) === SQLITE_IOERR) log.mayHaveHole = true
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

  function isTooLate(): boolean {
    busySince ??= performance.now()
    return performance.now() - busySince > busyLimitMs
  }

  function transact(batch: readonly Pending[]): unknown[] {
    if (log.mayHaveHole) emptyLog()
    participant?.beginning(busySince !== undefined)
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

  /** Moves all of the log into the database, and syncs that. */
  function emptyLog(): void {
    const answer = database.prepare('pragma wal_checkpoint(truncate)').get()
    if (answer?.busy !== 0) {
      throw Object.assign(new Error('another process keeps the log from being emptied'), {
        errcode: SQLITE_BUSY,
      })
    }
    log.mayHaveHole = false
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
    write(run, size = SMALL) {
      return new Promise((resolve, reject) => {
        waiting.push({ run, size, resolve, reject })
        if (!scheduled) schedule()
      })
    },
  }
}

/** Whether a statement failed because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY
}

/** SQLite's primary result code, which is in the lowest byte. */
function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff
}
