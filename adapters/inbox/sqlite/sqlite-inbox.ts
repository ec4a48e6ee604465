import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { InboxError } from '../../../src/errors.ts'
import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { INBOX_OPTIONS, type InboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import { type Checks, callback, checkOptions, flag, text } from '../../../src/option-checks.ts'
import { assertExists, openDatabase } from './database.ts'
import { createEntries } from './entries.ts'
import { createFind } from './find.ts'
import { createGroupCommit } from './group-commit.ts'
import { createHealthReader } from './health.ts'
import { createLeaseStore } from './leases.ts'
import { createRecentSignatures } from './recent-signatures.ts'

/** Options of {@link createSqliteInbox}. */
export interface SqliteInboxOptions extends InboxOptions {
  /**
   * The path of the file. It must be on a local disk, since processes share it with file locks. SQLite keeps a
   * few files beside it.
   */
  readonly path: string
  /**
   * Whether to create the file if it does not exist. In a script, false guards against a mistyped path.
   * @default true
   */
  readonly create?: boolean | undefined
  /** The clock, in milliseconds since 1970. @default `Date.now` */
  readonly now?: (() => number) | undefined
}

const OPTIONS = {
  ...INBOX_OPTIONS,
  path: text(undefined, /^(?!:memory:$)./s, 'the path of a file'),
  create: flag(true),
  now: callback<() => number>(Date.now),
} satisfies Checks<SqliteInboxOptions>

/**
 * Creates an inbox in one file, with Node's built-in SQLite: nothing to install, and no server to run.
 *
 * What `put` has acknowledged survives a crash of the process and a loss of power, provided that the disk keeps
 * what it reports as written. Any number of processes on one machine may use the file.
 *
 * Never open, read or copy the file, or those beside it, in a process that has the inbox open: closing it drops
 * the locks. `docs/sqlite.md` has more.
 *
 * Needs Node 22.13 or newer, Bun or Deno.
 *
 * @throws TypeError if an option is missing, unknown or invalid
 * @throws InboxError `inbox_misconfigured` if the file cannot be opened, `inbox_too_new` if a newer payhook
 *   wrote it
 * @example
 * const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
 * const receiver = createReceiver({ clientId, callbackToken, inbox })
 * receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', (event) => console.log(event.data.id))
 * await receiver.start()
 */
export function createSqliteInbox(options: SqliteInboxOptions): Inbox {
  const checked = checkOptions('createSqliteInbox', options, OPTIONS)
  const { create, dedupeSeconds, keepCompletedSeconds, oneAtATime } = checked
  // Absolute, since SQLite treats a name that begins with file: as a URI, which may mean memory.
  const path = resolve(checked.path)
  const now = () => Math.floor(checked.now())

  if (!create) assertExists(path)
  const durable = openDatabase(path, 'full')
  // Does not wait for the disk, since what a loss of power undoes there is done again.
  const quick = openDatabase(path, 'normal')
  const assertInPlace = watchFiles(path)
  const recent = createRecentSignatures(durable, dedupeSeconds * 1_000, now)
  const log = { mayHaveHole: false }
  const write = createGroupCommit(durable, log, recent)
  const writeQuickly = createGroupCommit(quick, log)
  const entries = createEntries(durable, write, recent, () => worker.wake(), now)
  const leases = createLeaseStore(quick, writeQuickly, realpathSync(path), oneAtATime, now)
  const { find, index } = createFind(quick, writeQuickly)
  const readHealth = createHealthReader(quick, writeQuickly, now)
  const tidy = async () => {
    await entries.prune('completed', new Date(now() - keepCompletedSeconds * 1_000))
    await index()
  }
  const worker = createWorker(leases, { ...checked, now, tidy })

  return createInbox({
    ...entries,
    keepCompletedSeconds,
    oneAtATime,
    find,
    async health() {
      assertInPlace()
      return await readHealth()
    },
    ...worker,
    put(notification) {
      assertInPlace()
      return entries.put(notification)
    },
    async identity() {
      const { dev, ino } = statSync(path, { bigint: true })
      return `${dev} ${ino}`
    },
    async close() {
      quick.close()
      await entries.close()
    },
  })
}

const WATCH_MS = 1_000
const LOST = 'Stop the process, restore the file, and start again.'
/** An old log would damage the file. */
const LEFT = 'Close the inbox, which writes its log to the file, and start again. Do not put an old log back.'

/**
 * Detects that the file, its log or the file of its locks was deleted or replaced while SQLite has it open.
 * Anything written after that is lost when the process is killed, or written without regard to other processes.
 *
 * @returns a function that checks at most once a second, and throws InboxError `inbox_unavailable` from then on
 */
function watchFiles(path: string): () => void {
  const files = [path, `${realpathSync(path)}-wal`, `${realpathSync(path)}-shm`]
  const inodes = files.map(inodeOf)
  let lookedAt = performance.now()
  let missing: string | undefined
  return () => {
    if (missing === undefined && performance.now() - lookedAt >= WATCH_MS) {
      lookedAt = performance.now()
      missing = files.find((file, index) => inodeOf(file) !== inodes[index])
    }
    if (missing === undefined) return
    throw new InboxError(
      'inbox_unavailable',
      `${missing} was deleted, moved or replaced while it was open. ${missing === path ? LOST : LEFT}`,
    )
  }
}

/** The inode number, which no other file gets while this one is open. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}
