import { createInbox } from '../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { checkInboxOptions, INBOX_OPTIONS, type InboxOptions } from '../../src/inbox/inbox-options.ts'
import { entryActive, entryNotFound } from '../../src/inbox/recovery.ts'
import { assertOptions } from '../../src/option-checks.ts'
import { borrowPgBoss, connectPgBoss, type PgBossConnection, type PgBossPlace } from './pg-boss-connection.ts'
import type { PgBossEngine } from './pg-boss-engine.ts'
import { createPgBossEntries } from './pg-boss-entries.ts'
import { createPgBossPuts } from './pg-boss-puts.ts'
import { createRecentDeliveries } from './pg-boss-recent.ts'
import { type PgBossRun, startPgBossRun } from './pg-boss-run.ts'

export type { Inbox, InboxCounts, InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
export type { PgBossEngine } from './pg-boss-engine.ts'

/** Options of {@link createPgBossInbox}: those of every inbox, and where PostgreSQL is. */
export interface PgBossInboxOptions extends InboxOptions {
  /** PostgreSQL's URL, for a PgBoss that the inbox makes, starts and stops. Either this or `boss`. */
  readonly connectionString?: string | undefined
  /** A PgBoss of yours, started by you and stopped by you, after the inbox is closed. Either this or `connectionString`. */
  readonly boss?: PgBossEngine | undefined
  /** pg-boss's schema; with `boss`, the one that it was given. Default `pgboss`. */
  readonly schema?: string | undefined
  /** The queue's name: letters, digits and `_ - . /`. The dead go to `<queueName>_dead`. Default `payhook`. */
  readonly queueName?: string | undefined
}

const OPTIONS = [...INBOX_OPTIONS, 'connectionString', 'boss', 'schema', 'queueName']
const SCHEMA = /^(?:[A-Za-z_]\w{0,49}|"[^"'%$.\\\p{Cc}]{1,50}")$/u
const DEAD = '_dead'
const QUEUE_NAME = /^[\w.\-/]{1,200}$/

/**
 * Makes an inbox in PostgreSQL, on pg-boss 12: for many receivers and many workers on many machines. pg-boss's own tables
 * are made where they are missing; beside them lies `payhook_recent_delivery`, which tells duplicates. Give all
 * processes the same options: pg-boss keeps those of the queue, and the process that came last sets them.
 *
 * `put` resolves after PostgreSQL's commit. Puts that come while one is under way travel together in the next, so that
 * it does not get slower with their number. It rejects at once when PostgreSQL refuses, and after about 3 seconds when
 * it does not answer. A process that is not started stores and handles nothing; started ones also look for what died.
 *
 * What is particular to this engine:
 * - Delays are whole seconds: half of `retryDelayMs`, rounded up, and up to as much again at random; at least a second.
 *   A wait that has reached `maxRetryDelayMs`, rounded up to seconds, is exactly that.
 * - What a process was handling when it died is handed over again after 12 to 20 seconds and the wait of a failed attempt.
 *   It counts as one. A handler is not interrupted before 24 hours, which is the longest that pg-boss knows.
 * - When `stop()` cuts a handler off, the attempt does not count. One that does not heed its signal either is left behind;
 *   its notification comes back as if the process had died.
 * - `keepCompletedSeconds` is kept to the minute, and to the hour above one; 0 means 1. pg-boss's own copy of a dead
 *   notification goes after the same time; the dead in `<queueName>_dead` stay until they are replayed or pruned.
 * - Looking for what died reads the whole table, every 4 seconds or for a tenth of the time: with millions of completed
 *   notifications it gets slower, and `keepCompletedSeconds` is the way to have fewer.
 * - A notification is taken within half a second, and at once when the process that stored it handles, too.
 * - Jobs that somebody cancels with pg-boss's own tools are in no state.
 *
 * With a `boss` of yours: start it first, stop it after the inbox, listen to its `error` events, leave `supervise` on. It
 * looks for what died every `monitorIntervalSeconds` and `superviseIntervalSeconds`, a minute by default, and deletes
 * what is completed every `maintenanceIntervalSeconds`, a day by default.
 *
 * @throws TypeError for options that cannot be, also a `boss` whose `db` has no transactions while `dedupeSeconds` is
 * not 0. The methods reject with InboxError `inbox_unavailable` while PostgreSQL is out of reach, and `inbox_too_new`
 * when a newer pg-boss has made the schema.
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
  const connection = connect(options, place, checked)
  const entries = createPgBossEntries(place, async () => (await connection.ready()).getDb())
  const recent =
    checked.dedupeSeconds > 0
      ? createRecentDeliveries(place.schema, place.queue, checked.dedupeSeconds)
      : undefined
  const puts = createPgBossPuts(connection, place, recent, () => run?.wake())

  let run: PgBossRun | undefined

  async function replayDead(id: string): Promise<boolean> {
    const dead = await entries.findDead(id)
    if (dead === undefined) return false
    const engine = await connection.ready()
    const replayed = (await engine.redrive(place.deadQueue, { ids: [dead] })) > 0
    run?.wake()
    return replayed
  }

  return createInbox({
    ...entries,
    put: puts.put,
    replayDead,
    async start(consumer) {
      run = startPgBossRun({ connection, place, entries, options: checked, consumer })
      await run.begun
    },
    async stop() {
      await run?.stop()
      run = undefined
    },
    async replay(id) {
      if (await entries.restart(id)) run?.wake()
      else if (!(await replayDead(id))) {
        throw (await entries.get(id))?.state === 'active' ? entryActive(id) : entryNotFound(id)
      }
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
  options: ReturnType<typeof checkInboxOptions>,
): PgBossConnection {
  if ((connectionString === undefined) === (boss === undefined)) {
    throw new TypeError('options must have either "connectionString" or "boss"')
  }
  if (boss === undefined) {
    if (typeof connectionString === 'string' && connectionString !== '')
      return connectPgBoss(connectionString, place, options)
    throw new TypeError('"connectionString" option must be the URL of a PostgreSQL database')
  }
  if (typeof boss?.getDb !== 'function' || typeof boss.work !== 'function') {
    throw new TypeError('"boss" option must be a PgBoss of pg-boss 12')
  }
  if (options.dedupeSeconds > 0 && boss.getDb().beginTransaction === undefined) {
    throw new TypeError(
      'the db of "boss" has no beginTransaction(), which telling duplicates needs: ' +
        'give it one, give "connectionString" instead, or set "dedupeSeconds" to 0',
    )
  }
  return borrowPgBoss(boss, place, options)
}
