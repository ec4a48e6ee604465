import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { checkInboxOptions, INBOX_OPTIONS, type InboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import { assertOptions, booleanOption } from '../../../src/option-checks.ts'
import { borrowPgBoss, connectPgBoss, type PgBossConnection } from './connection.ts'
import type { PgBossEngine } from './engine.ts'
import { createPgBossEntries } from './entries.ts'
import { createPgBossImports } from './imports.ts'
import { createLeaseStore } from './leases.ts'
import { createPgBossPuts } from './puts.ts'
import { createRecentDeliveries } from './recent.ts'
import { createJobTable, type JobTable, type PgBossPlace } from './table.ts'

export type {
  EntriesOptions,
  Inbox,
  InboxCounts,
  InboxEntry,
  InboxState,
  ListOptions,
  PruneOptions,
  ReplayOptions,
} from '../../../src/inbox/inbox.ts'
export type { InboxOptions } from '../../../src/inbox/inbox-options.ts'
export type { PgBossEngine } from './engine.ts'

/** Options of {@link createPgBossInbox}. Either `connectionString` or `boss` is required. */
export interface PgBossInboxOptions extends InboxOptions {
  /** The URL of PostgreSQL. The inbox creates, starts and stops its own PgBoss. */
  readonly connectionString?: string | undefined
  /** Your own PgBoss. Start it before the inbox, and stop it after the inbox is closed. */
  readonly boss?: PgBossEngine | undefined
  /** pg-boss's schema. With `boss`, it must be the same as there. Default `pgboss`. */
  readonly schema?: string | undefined
  /**
   * The name of the queue: letters, digits and `_ - . /`. Dead notifications go to `<queueName>_dead`. Default
   * `payhook`.
   */
  readonly queueName?: string | undefined
  /**
   * Whether to create the schema and the queue if they are missing, and to set the queue's options. Use `false`
   * in scripts to detect a mistyped name. Default `true`.
   */
  readonly create?: boolean | undefined
}

const OPTIONS = [...Object.keys(INBOX_OPTIONS), 'connectionString', 'boss', 'schema', 'queueName', 'create']
const SCHEMA = /^(?:[A-Za-z_]\w{0,49}|"[^"'%$.\\\p{Cc}]{1,50}")$/u
const DEAD = '_dead'
const QUEUE_NAME = /^[\w.\-/]{1,200}$/

/**
 * Creates an inbox in PostgreSQL, based on pg-boss 12, for receivers and workers on many machines. It creates
 * pg-boss's tables if they are missing, and the table `payhook_recent_delivery`, which detects duplicates. Use
 * the same options in all processes: pg-boss stores those of the queue, and the last process to start sets
 * them.
 *
 * `put` resolves after PostgreSQL's commit. Concurrent puts share a transaction, so that each takes about as
 * long as one alone. `put` rejects at once if PostgreSQL refuses, and after about 3 seconds if it does not
 * answer. A process that is not started only stores notifications. A worker uses one connection at a time and
 * leaves the others to `put`.
 *
 * Particular to this engine:
 *
 * - If a process crashes, its notifications become due after 12 to 20 seconds, plus the delay of a failed
 *   attempt. A handler may run for 24 hours, pg-boss's limit.
 * - After a crash of PostgreSQL, notifications that were completed in the last second may be handled again. No
 *   stored notification is lost.
 * - `keepCompletedSeconds` is accurate to a minute, and to an hour if it is longer than an hour; 0 means 1.
 *   pg-boss's own failed job of a dead notification is deleted after the same time. The dead notification in
 *   `<queueName>_dead` stays until it is replayed or pruned.
 * - A notification is handled within a quarter of a second, and at once if the process that stored it is
 *   started.
 * - A retry is stored as a new job: pg-boss's own tools show it as created, with a start time and no retries.
 * - A job that is cancelled with pg-boss's own tools has no state in the inbox.
 *
 * With your own `boss`: start it first, stop it after the inbox, and listen to its `error` events. Leave
 * `supervise` on, as it deletes completed jobs, every `maintenanceIntervalSeconds` (a day by default).
 *
 * The methods reject with InboxError `inbox_unavailable` while PostgreSQL is unreachable, and `inbox_too_new`
 * if the schema is not from pg-boss 12.35 to 12.38.
 *
 * @throws TypeError if an option is invalid, or the `db` of `boss` has no transactions
 * @example
 * const inbox = createPgBossInbox({ connectionString: 'postgres://payhook@localhost/shop' })
 * const receiver = createReceiver({ clientId, inbox })
 * await receiver.start()
 */
export function createPgBossInbox(options: PgBossInboxOptions): Inbox {
  assertOptions(options, OPTIONS)
  const place = checkPlace(options)
  const checked = checkInboxOptions(options)
  const table = createJobTable(place)
  const connection = connect(options, place, table, checked)
  const { dedupeSeconds } = checked
  const recent =
    dedupeSeconds > 0 ? createRecentDeliveries(place.schema, place.queue, dedupeSeconds) : undefined
  const worker = createWorker(createLeaseStore(connection, place, table), { ...checked, now: Date.now })
  const puts = createPgBossPuts(connection, place, recent, worker.wake)
  const entries = createPgBossEntries(connection, place, table, worker.wake)
  return createInbox({
    ...entries,
    ...worker,
    ...createPgBossImports(connection, place, table),
    put: puts.put,
    async close() {
      await puts.settled()
      await connection.close()
    },
  })
}

function checkPlace({ schema = 'pgboss', queueName = 'payhook', create }: PgBossInboxOptions): PgBossPlace {
  if (typeof schema !== 'string' || !SCHEMA.test(schema)) {
    throw new TypeError('"schema" option must be a schema name that pg-boss accepts')
  }
  if (typeof queueName !== 'string' || !QUEUE_NAME.test(queueName)) {
    throw new TypeError('"queueName" option must be 1 to 200 letters, digits, "_", "-", "." or "/"')
  }
  if (queueName.endsWith(DEAD)) {
    throw new TypeError(`"queueName" option must not end in "${DEAD}", as dead letter queues do`)
  }
  return {
    schema,
    queue: queueName,
    deadQueue: `${queueName}${DEAD}`,
    create: booleanOption('create', create, true),
  }
}

function connect(
  { connectionString, boss }: PgBossInboxOptions,
  place: PgBossPlace,
  table: JobTable,
  options: ReturnType<typeof checkInboxOptions>,
): PgBossConnection {
  if ((connectionString === undefined) === (boss === undefined)) {
    throw new TypeError('options must have exactly one of "connectionString" and "boss"')
  }
  if (boss === undefined) {
    if (typeof connectionString === 'string' && connectionString !== '')
      return connectPgBoss(connectionString, place, table, options)
    throw new TypeError('"connectionString" option must be the URL of a PostgreSQL database')
  }
  if (typeof boss?.getDb !== 'function' || typeof boss.fetch !== 'function') {
    throw new TypeError('"boss" option must be a PgBoss of pg-boss 12')
  }
  if (boss.getDb().beginTransaction === undefined) {
    throw new TypeError(
      'the "db" of "boss" must have beginTransaction(); add it, or use "connectionString" instead',
    )
  }
  return borrowPgBoss(boss, place, table, options)
}
