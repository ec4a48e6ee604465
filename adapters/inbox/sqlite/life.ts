import { randomUUID } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MARK = '-worker-'
const STARTING = '-starting-'
/** A start takes no longer; what is older was left behind by a process that died in it. */
const STARTING_MS = 60_000
/** Nothing is ever written, so no journal is needed, nor a file for it. */
const LOCK = 'pragma journal_mode = memory; begin exclusive'

/** The life of a worker, which others can see. */
export interface Life {
  /** What its leases are held under. */
  readonly worker: string
  /** Ends it, so that others may take what it holds. */
  end(): void
}

/**
 * Begins the life of a worker: a file beside the database that it keeps locked. The operating system lets go of
 * the lock when the process ends, however it ends, and not before: neither a handler that blocks the event loop
 * nor a machine that slept can have a lease run out, and what a dead process held is free at once.
 */
export function beginLife(path: string): Life {
  clearAway(path)
  const worker = randomUUID()
  const file = `${path}${STARTING}${worker}`
  closeSync(openSync(file, 'wx', 0o600))
  giveToOwner(file, path)
  const lock = new DatabaseSync(file)
  try {
    lock.exec(LOCK)
    // Under its name only when it is locked: others take one that is not for a dead worker's.
    renameSync(file, lockFile(path, worker))
  } catch (error) {
    lock.close()
    removeQuietly(file)
    throw error
  }
  return {
    worker,
    end() {
      removeQuietly(lockFile(path, worker))
      lock.close()
    },
  }
}

/**
 * Whether a worker lives; what is left of one that does not is removed. One whose file cannot be opened, as it
 * belongs to another user, may live.
 */
export function isAlive(path: string, worker: string): boolean {
  const file = lockFile(path, worker)
  if (!existsSync(file)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec(LOCK)
    removeQuietly(file)
    return false
  } catch {
    return true
  } finally {
    lock?.close()
  }
}

/** The application that owns the database must be able to open what root leaves behind. */
function giveToOwner(file: string, path: string): void {
  const { uid, gid } = statSync(path)
  try {
    chownSync(file, uid, gid)
  } catch {
    // Only root may, and only root needs to.
  }
}

/** Removes the files of workers that held nothing when they died. */
function clearAway(path: string): void {
  const [worker, starting] = [`${basename(path)}${MARK}`, `${basename(path)}${STARTING}`]
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name)
    if (name.startsWith(worker)) isAlive(path, name.slice(worker.length))
    else if (name.startsWith(starting) && isOld(file)) removeQuietly(file)
  }
}

function isOld(file: string): boolean {
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY }
  return mtimeMs < Date.now() - STARTING_MS
}

function lockFile(path: string, worker: string): string {
  return `${path}${MARK}${worker}`
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Not every system removes a file that is open, and one that is left behind does no harm.
  }
}
