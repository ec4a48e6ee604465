import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { InboxError } from '../../../src/errors.ts'
import { misconfigured, tooNew } from '../../../src/inbox/entry-rules.ts'
import { isBusy } from './group-commit.ts'
import { SCHEMA, VERSION } from './schema.ts'

/** Marks the files of this package: "phib", in SQLite's header. */
const APPLICATION_ID = 0x70686962
/** How long opening a file may wait for another process that is creating it. */
const OPEN_TIMEOUT_MS = 5_000
/** How long a statement may block the event loop for another process. Longer waits are asynchronous. */
const BUSY_TIMEOUT_MS = 2
/** The size that the log may keep on disk after a burst, in bytes. */
const LOG_SIZE_LIMIT = 64 * 1024 * 1024

/**
 * @param synchronous with `full`, a commit survives a loss of power; with `normal`, a crash of the process
 * @throws InboxError `inbox_misconfigured` if it cannot be opened, or this Node has no SQLite;
 *   `inbox_unavailable` if another process locks it; `inbox_too_new` if a newer payhook wrote it
 */
export function openDatabase(path: string, synchronous: 'full' | 'normal'): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  let database: DatabaseSync | undefined
  try {
    ensureFile(path)
    database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS })
    prepareWhenFree(database, path)
    database.exec(`
      pragma synchronous = ${synchronous};
      pragma fullfsync = on;
      pragma checkpoint_fullfsync = on;
      pragma journal_size_limit = ${LOG_SIZE_LIMIT};
      pragma busy_timeout = ${BUSY_TIMEOUT_MS};
    `)
    // An earlier process may have left a log with a hole, if its disk failed (see LogState).
    database.exec('pragma wal_checkpoint(truncate)')
    return database
  } catch (error) {
    database?.close()
    throw error instanceof InboxError ? error : cannotOpen(path, error)
  }
}

/** Not with an import: that of a missing module would fail without a frame of the application. */
export function loadSqlite(): typeof import('node:sqlite') {
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  if (sqlite !== undefined) return sqlite
  throw misconfigured(`payhook/sqlite needs Node 22.13 or later, but this is Node ${process.versions.node}.`)
}

export function assertExists(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size) return
  throw misconfigured(`There is no inbox at ${path}.`)
}

/**
 * Creates the file for its owner only; SQLite gives the files beside it the same mode. An existing file must be
 * writable, which SQLite would only check at the first write. It is not opened for this check: closing it would
 * drop the locks that SQLite may hold on it elsewhere in this process.
 */
function ensureFile(path: string): void {
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  accessSync(path, constants.R_OK | constants.W_OK)
}

function prepare(database: DatabaseSync, path: string): void {
  // Without a lock, for which it would wait while others write.
  if (pragma(database, 'application_id') !== APPLICATION_ID) create(database, path)
  database.exec('pragma journal_mode = wal')
  const version = pragma(database, 'user_version')
  if (version > VERSION) throw tooNew(path, version, VERSION)
}

function create(database: DatabaseSync, path: string): void {
  // Another process may be creating the file. An exclusive transaction never waits for readers to commit.
  database.exec('begin exclusive')
  const isEmpty = database.prepare('select 1 from sqlite_schema limit 1').get() === undefined
  const mark = pragma(database, 'application_id')
  if (mark === 0 && isEmpty)
    database.exec(`${SCHEMA} pragma user_version = ${VERSION}; pragma application_id = ${APPLICATION_ID};`)
  else if (mark !== APPLICATION_ID) throw misconfigured(`${path} belongs to another program.`)
  database.exec('commit')
}

/** SQLite does not wait for every lock that opening takes. */
function prepareWhenFree(database: DatabaseSync, path: string): void {
  const end = Date.now() + OPEN_TIMEOUT_MS
  for (;;) {
    try {
      prepare(database, path)
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_TIMEOUT_MS)
    }
  }
}

function pragma(database: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name])
}

function cannotOpen(path: string, cause: unknown): InboxError {
  if (isBusy(cause)) return new InboxError('inbox_unavailable', `Another process locks ${path}.`, { cause })
  return misconfigured(
    `${path} cannot be opened as an inbox. Does the folder exist, may this process write to it, and is it on a local disk with space left?`,
    cause,
  )
}
