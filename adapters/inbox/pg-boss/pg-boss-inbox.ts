import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { checkInboxOptions, INBOX_OPTIONS, type InboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import { assertOptions } from '../../../src/option-checks.ts'
import { borrowPgBoss, connectPgBoss, type PgBossConnection } from './connection.ts'
import type { PgBossEngine } from './engine.ts'
import { createPgBossEntries } from './entries.ts'
import { createLeaseStore } from './leases.ts'
import { createPgBossPuts } from './puts.ts'
import { createRecentDeliveries } from './recent.ts'
import { createJobTable, type JobTable, type PgBossPlace } from './table.ts'

export type { Inbox, InboxCounts, InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
export type { PgBossEngine } from './engine.ts'

/** Options of {@link createPgBossInbox}: those of every inbox, and where PostgreSQL is. */
export interface PgBossInboxOptions extends InboxOptions {
  /** PostgreSQL's URL, for a PgBoss that the inbox makes, starts and stops. Either this or `boss`. */
  readonly connectionString?: string | undefined
  /**
   * A PgBoss of yours, started by you and stopped by you, after the inbox is closed. Either this or
   * `connectionString`.
   */
  readonly boss?: PgBossEngine | undefined
  /** pg-boss's schema; with `boss`, the one that it was given. Default `pgboss`. */
  readonly schema?: string | undefined
  /** The queue's name: letters, digits and `_ - . /`. The dead go to `<queueName>_dead`. Default `payhook`. */
  readonly queueName?: string | undefined
}

const OPTIONS = [...INBOX_OPTIONS, 'connectionString', 'boss', 'schema', 'queueName']
const SCHEMA = /^(?:[A-Za-z_]\w{0,49}|"[^"'%$.\\\p{Cc}]{1,50}")$/u
const DEAD = '_dead'
/** How often completed notifications that have been kept long enough are deleted. */
const TIDY_INTERVAL_MS = 60_000
const QUEUE_NAME = /^[\w.\-/]{1,200}$/

/**
 * Makes an inbox in PostgreSQL, on pg-boss 12: for many receivers and many workers on many machines. pg-boss's
 * own tables are made where they are missing; beside them lies `payhook_recent_delivery`, which tells
 * duplicates. Give all processes the same options: pg-boss keeps those of the queue, and the process that came
 * last sets them.
 *
 * `put` resolves after PostgreSQL's commit. Puts that come while one is under way travel together in the next,
 * so that it does not get slower with their number. It rejects at once when PostgreSQL refuses, and after about
 * 3 seconds when it does not answer. A process that is not started stores and handles nothing. A started one
 * works with one connection at a time, which fetches what is due, stores what came of it, and leaves the others
 * to `put`.
 *
 * What is particular to this engine:
 * - What a process was handling when it died is handed over again after 12 to 20 seconds and the wait of a
 *   failed attempt. A handler is not interrupted before 24 hours, which is the longest that pg-boss knows.
 * - A crash of PostgreSQL may hand over again what had been completed in the last second. What was stored is
 *   kept.
 * - `keepCompletedSeconds` is kept to the minute, and to the hour above one; 0 means 1. pg-boss's own copy of a
 *   dead notification goes after the same time; the dead in `<queueName>_dead` stay until they are replayed or
 *   pruned.
 * - A notification is taken within a quarter of a second, and at once when the process that stored it handles,
 *   too.
 * - What is tried again is stored anew: pg-boss's own tools show it as created, to be started later, with no
 *   retries.
 * - Jobs that somebody cancels with pg-boss's own tools are in no state.
 *
 * With a `boss` of yours: start it first, stop it after the inbox, listen to its `error` events, leave
 * `supervise` on, as it deletes what is completed every `maintenanceIntervalSeconds`, a day by default.
 *
 * @throws TypeError for options that cannot be, also a `boss` whose `db` has no transactions. The methods
 * reject with InboxError `inbox_unavailable` while PostgreSQL is out of reach, and `inbox_too_new` when the
 * schema is not one of pg-boss 12.35 to 12.38.
 *
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
  let tidying: NodeJS.Timeout | undefined

  // The worker reports an outage, and what is deleted later does no harm.
  const tidy = () => void connection.tidy().catch(() => {})

  return createInbox({
    ...entries,
    put: puts.put,
    async start(consumer) {
      await worker.start(consumer)
      tidying = setInterval(tidy, TIDY_INTERVAL_MS).unref()
      tidy()
    },
    async stop() {
      clearInterval(tidying)
      tidying = undefined
      await worker.stop()
    },
    async close() {
      await puts.settled()
      await connection.close()
    },
  })
}

function checkPlace({ schema = 'pgboss', queueName = 'payhook' }: PgBossInboxOptions): PgBossPlace {
  if (typeof schema !== 'string' || !SCHEMA.test(schema)) {
    throw new TypeError('"schema" option must be the name of a schema, as pg-boss takes it')
  }
  if (typeof queueName !== 'string' || !QUEUE_NAME.test(queueName)) {
    throw new TypeError('"queueName" option must be letters, digits, "_", "-", "." and "/"')
  }
  if (queueName.endsWith(DEAD)) {
    throw new TypeError(`"queueName" option must not end in "${DEAD}", as the queues of the dead do`)
  }
  return { schema, queue: queueName, deadQueue: `${queueName}${DEAD}` }
}

function connect(
  { connectionString, boss }: PgBossInboxOptions,
  place: PgBossPlace,
  table: JobTable,
  options: ReturnType<typeof checkInboxOptions>,
): PgBossConnection {
  if ((connectionString === undefined) === (boss === undefined)) {
    throw new TypeError('options must have either "connectionString" or "boss"')
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
      'the db of "boss" has no beginTransaction(): give it one, or give "connectionString" instead',
    )
  }
  return borrowPgBoss(boss, place, table, options)
}
