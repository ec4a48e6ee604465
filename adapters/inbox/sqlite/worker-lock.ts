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
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from './database.ts'

const MARK = '-worker-'
/** Nothing is written, so no journal file is needed. */
const LOCK = 'pragma journal_mode = memory; begin exclusive'

export type WorkerLock = ReturnType<typeof createWorkerLock>

/**
 * Locks a file beside the database. The operating system releases the lock when the process ends, however it
 * ends, and not before. So a lease never expires because a handler blocks the event loop or the machine sleeps,
 * and the leases of a dead process are free at once.
 *
 * @returns the name of a new worker, which holds leases until `release` is called
 */
export function createWorkerLock(path: string) {
  // Removes the files of workers that held nothing when they died.
  const start = `${basename(path)}${MARK}`
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(start)) isAlive(path, name.slice(start.length))
  const worker = randomUUID()
  const file = `${path}-starting-${worker}`
  closeSync(openSync(file, 'wx', 0o600))
  giveToOwner(file, path)
  const lock = openLock(file)
  try {
    lock.exec(LOCK)
    // Renamed once it is locked: an unlocked file counts as a dead worker's.
    renameSync(file, lockFile(path, worker))
  } catch (error) {
    lock.close()
    removeQuietly(file)
    throw error
  }
  return {
    worker,
    release(): void {
      removeQuietly(lockFile(path, worker))
      lock.close()
    },
  }
}

/** Removes the file of a dead worker. If it cannot be opened, as it is another user's, it counts as alive. */
export function isAlive(path: string, worker: string): boolean {
  const file = lockFile(path, worker)
  if (!existsSync(file)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = openLock(file)
    lock.exec(LOCK)
    removeQuietly(file)
    return false
  } catch {
    return true
  } finally {
    lock?.close()
  }
}

function openLock(file: string): DatabaseSync {
  return new (loadSqlite().DatabaseSync)(file, { timeout: 0 })
}

/** After an application ran as root by mistake, its owner's workers must be able to take over its leases. */
function giveToOwner(file: string, path: string): void {
  const { uid, gid } = statSync(path)
  try {
    chownSync(file, uid, gid)
  } catch {
    // Only root may do it, and only root needs to.
  }
}

function lockFile(path: string, worker: string): string {
  return `${path}${MARK}${worker}`
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Some systems cannot remove an open file. A leftover file does no harm.
  }
}
