import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { INBOX_OPTIONS, type InboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import { type Checks, checkOptions, flag, option, optional, text } from '../../../src/option-checks.ts'
import { PgBossConnection } from './connection.ts'
import type { PgBossEngine } from './engine.ts'
import { createEntries } from './entries.ts'
import { readHealth } from './health-function.ts'
import { createImports } from './imports.ts'
import { PgBossLeases } from './leases.ts'
import { createPuts } from './puts.ts'
import { RecentDeliveries } from './recent.ts'

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
  /** pg-boss's schema. With `boss`, it must be the same as there. @default `pgboss` */
  readonly schema?: string | undefined
  /**
   * The name of the queue: letters, digits and `_ - . /`. Dead notifications go to `<queueName>_dead`. Default
   * `payhook`.
   */
  readonly queueName?: string | undefined
  /**
   * Whether to create the schema and the queue if they are missing, and to set the queue's options. Use `false`
   * in scripts to detect a mistyped name. @default `true`
   */
  readonly create?: boolean | undefined
}

const DEAD = '_dead'
/** The next call then uses another connection: one to a server that lost power says nothing for half a minute. */
const HEALTH_LIMIT_MS = 2_000

const OPTIONS = {
  ...INBOX_OPTIONS,
  connectionString: optional(text()),
  boss: optional(option<PgBossEngine>('a PgBoss of pg-boss 12, whose "db" has beginTransaction()', isPgBoss)),
  schema: text(
    'pgboss',
    /^(?:[A-Za-z_]\w{0,49}|"[^"'%$.\\\p{Cc}]{1,50}")$/u,
    'a schema name that pg-boss accepts',
  ),
  queueName: text(
    'payhook',
    /^(?!.*_dead$)[\w.\-/]{1,200}$/,
    `1 to 200 letters, digits, "_", "-", "." or "/", and must not end in "${DEAD}"`,
  ),
  create: flag(true),
} satisfies Checks<PgBossInboxOptions>

function isPgBoss(value: unknown): boolean {
  const boss = value as PgBossEngine
  const isBoss = typeof boss?.getDb === 'function' && typeof boss.fetch === 'function'
  return isBoss && boss.getDb().beginTransaction !== undefined
}

/**
 * Creates an inbox in PostgreSQL, based on pg-boss 12, for receivers and workers on many machines. It creates
 * pg-boss's tables if they are missing, and a few things of its own in their schema: the tables
 * `payhook_recent_delivery`, which detects duplicates, and `payhook_last_stored`, the index `payhook_subject`
 * of pg-boss's job table, and the functions `payhook_examine`, `payhook_look` and `payhook_health`. Use the
 * same options in all processes: pg-boss stores those of the queue, and the last process to start handling
 * sets them.
 *
 * `put` resolves after PostgreSQL's commit. Concurrent puts share a transaction, so that each takes about as
 * long as one alone. `put` rejects at once if PostgreSQL rejects it, and after about 3 seconds if there is no
 * response. A process that is not started only stores notifications. One connection is enough for that; a
 * started one needs two, and by default its pool has up to ten.
 *
 * PgBouncer may be in between, in transaction mode: nothing depends on a session. `docs/inbox.md` has the
 * settings.
 *
 * Particular to this engine:
 *
 * - If a process crashes, its notifications become due after 12 to 20 seconds, plus the delay of a failed
 *   attempt. A handler may run for 24 hours, pg-boss's limit.
 * - `counts()` counts completed notifications up to 10,000, and `health()` those that are waiting or dead up to
 *   100,000. Above that, they return PostgreSQL's estimate.
 * - `keepCompletedSeconds` is accurate to a minute, and to an hour if it is longer than an hour; 0 means 1.
 * - A notification is handled within a quarter of a second, and at once if the process that stored it is
 *   started. For that, an idle worker sends four short queries a second.
 * - A retry is stored as a new job: pg-boss's own tools show it as created, with a start time and no retries.
 *   A dead notification is a job of the queue `<queueName>_dead`. Replay it with payhook: pg-boss's `redrive`
 *   does not know where it came from.
 * - A job that is cancelled with pg-boss's own tools has no state in the inbox. If it was being handled, others
 *   with its subject go on within about 4 seconds.
 * - With `oneAtATime`, what has to wait for another notification is stored as a new job with a low priority,
 *   and stored again with priority 1 when its turn comes. If handling a notification takes longer than 24
 *   hours, the next one with its subject begins.
 *
 * With your own `boss`: start it first, stop it after the inbox, and listen to its `error` events. Leave
 * `supervise` on, as it deletes completed jobs, every `maintenanceIntervalSeconds` (a day by default).
 * pg-boss 12.38 makes a span of each of its calls: `openTelemetry: { enabled: false }` turns that off.
 *
 * The methods reject with InboxError `inbox_unavailable` while PostgreSQL is unreachable, and `inbox_too_new`
 * if the schema is not from pg-boss 12.35 to 12.38.
 *
 * @throws TypeError if an option is invalid
 * @example
 * const inbox = createPgBossInbox({ connectionString: 'postgres://payhook@localhost/shop' })
 * const receiver = createReceiver({ clientId, inbox })
 * await receiver.start()
 */
export function createPgBossInbox(options: PgBossInboxOptions): Inbox {
  const checked = checkOptions('createPgBossInbox', options, OPTIONS)
  const { connectionString, boss, schema, queueName: queue, create, dedupeSeconds } = checked
  const server = boss ?? connectionString
  if (server === undefined || (boss && connectionString !== undefined))
    throw new TypeError('options must have exactly one of "connectionString" and "boss"')
  const queues = { schema, queue, deadQueue: `${queue}${DEAD}`, create }
  const connection = new PgBossConnection(server, queues, checked)
  const recent = dedupeSeconds > 0 ? new RecentDeliveries(queues, dedupeSeconds) : undefined
  const worker = createWorker(new PgBossLeases(connection, checked), { ...checked, now: Date.now })
  const puts = createPuts(connection, recent, worker.wake)
  const entries = createEntries(connection, worker.wake)
  return createInbox({
    ...entries,
    keepCompletedSeconds: checked.keepCompletedSeconds,
    ...createImports(connection),
    health: () => connection.ask((db) => readHealth(db, connection.table, queues), HEALTH_LIMIT_MS),
    ...worker,
    put: puts.put,
    async close() {
      await puts.settled()
      await connection.close()
    },
  })
}
