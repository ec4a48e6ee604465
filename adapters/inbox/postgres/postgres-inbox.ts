import type { Pool, PoolClient } from 'pg'
import { createInbox } from '../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../src/inbox/inbox.ts'
import { INBOX_OPTIONS, type InboxOptions } from '../../../src/inbox/inbox-options.ts'
import { createWorker } from '../../../src/inbox/worker.ts'
import * as check from '../../../src/option-checks.ts'
import type { Claim, TransactionOption } from '../../../src/receiver/transaction.ts'
import { Database } from './database.ts'
import { createEntries } from './entries.ts'
import { PostgresLeases } from './leases.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { createNotifier, createPuts } from './puts.ts'
import { createClaim, createTransaction, type QueryInTransaction } from './transaction.ts'

export type { QueryInTransaction } from './transaction.ts'

/** Options of {@link createPostgresInbox}. Either `connectionString` or `pool` is required. */
export interface PostgresInboxOptions extends InboxOptions {
  /** The URL of PostgreSQL. The inbox has a pool of its own. */
  readonly connectionString?: string | undefined
  /** Your own pool of `pg`. Close it after the inbox. */
  readonly pool?: Pool | undefined
  /**
   * The schema of the inbox's tables: a letter or `_`, then letters, digits and `_`, at most 50. @default
   * `payhook`
   */
  readonly schema?: string | undefined
  /**
   * Whether to create the schema if it is missing, and to migrate an older one. In a script, false guards
   * against a mistyped name. @default true
   */
  readonly create?: boolean | undefined
}

/** An inbox in PostgreSQL, which can complete a notification in a transaction of the application. */
export interface PostgresInbox extends Inbox {
  /**
   * For the option `transaction` of `createReceiver`: runs the handlers in a transaction of the inbox's pool,
   * with its client as `context.tx`, which also completes the notification. What they write with it is there
   * exactly once.
   *
   * @example
   * const receiver = createReceiver({ clientId, callbackToken, inbox, transaction: inbox.transaction })
   */
  readonly transaction: TransactionOption<PoolClient>
  /**
   * The same for a transaction of another library in the same database: completes the notification with a query
   * function of the transaction. The claim rejects if another process has taken the notification over, so that
   * the transaction is rolled back. `docs/exactly-once.md` has recipes.
   *
   * @example
   * transaction: (run) =>
   *   db.transaction(async (tx) => {
   *     const ran = await run(tx, inbox.claim((text) => tx.query(text)))
   *     await tx.query('select 1') // fails if a handler ignored the error of a statement
   *     return ran
   *   })
   */
  claim(query: QueryInTransaction): Claim
}

/** What a pool needs beside one connection for each handler: two to put, one for the worker, one to spare. */
const CONNECTIONS_BESIDE = 4

const OPTIONS = {
  ...INBOX_OPTIONS,
  connectionString: check.optional(check.text()),
  pool: check.optional(check.option<Pool>('a Pool of pg', isPool)),
  schema: check.text('payhook', SCHEMA_NAME, 'a letter or "_", then letters, digits and "_", at most 50'),
  create: check.flag(true),
} satisfies check.Checks<PostgresInboxOptions>

/** A client has no options. */
function isPool(value: unknown): boolean {
  return check.hasMethods('connect', 'query')(value) && typeof (value as Pool).options === 'object'
}

/**
 * Creates an inbox in PostgreSQL, for receivers and workers on many machines. It has tables and functions of
 * its own, in a schema that it creates. `payhook inbox schema` prints the statements, for a role that may not
 * create.
 *
 * `put` resolves after PostgreSQL's commit. It rejects at once if PostgreSQL rejects it, and after about 3
 * seconds if there is no response. `docs/postgres.md` has what it needs: rights, connections, the settings of
 * PgBouncer.
 *
 * The methods reject with InboxError `inbox_unavailable` while PostgreSQL is unreachable, `inbox_misconfigured`
 * if waiting will not mend it, and `inbox_too_new` if a newer payhook created the schema.
 *
 * @throws TypeError if an option is invalid
 * @example
 * const connectionString = 'postgres://payhook@localhost/shop'
 * const inbox = createPostgresInbox({ connectionString, oneAtATime: true })
 * const receiver = createReceiver({ clientId, callbackToken, inbox, transaction: inbox.transaction })
 * await receiver.start()
 */
export function createPostgresInbox(options: PostgresInboxOptions): PostgresInbox {
  const checked = check.checkOptions('createPostgresInbox', options, OPTIONS)
  const { connectionString, pool, concurrency, dedupeSeconds, keepCompletedSeconds, oneAtATime } = checked
  if ((connectionString === undefined) === (pool === undefined))
    throw new TypeError('options must have exactly one of "connectionString" and "pool"')
  const database = new Database({ ...checked, max: concurrency + CONNECTIONS_BESIDE })
  const notify = createNotifier(database)
  const onDue = (isAwaited = true) => {
    worker.wake()
    if (isAwaited) notify()
  }
  const puts = createPuts(database, dedupeSeconds, () => leases.workerId, onDue)
  const { tidy, ...entries } = createEntries(database, checked, onDue)
  const leases = new PostgresLeases(database, oneAtATime, () => worker.wake())
  const worker = createWorker(leases, { ...checked, now: Date.now, tidy })
  const claim = createClaim(database, () => leases.workerId)
  const inbox = createInbox({
    ...entries,
    keepCompletedSeconds,
    oneAtATime,
    async health() {
      puts.assertSpace()
      return await entries.health()
    },
    ...worker,
    put: puts.put,
    async close() {
      await puts.settled()
      await database.close()
    },
  })
  return Object.assign(inbox, { claim, transaction: createTransaction(database, claim) })
}
