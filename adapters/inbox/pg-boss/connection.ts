import { getMigrationPlans, type PgBoss } from 'pg-boss'
import { InboxError } from '../../../src/errors.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { settlesWithin, withTimeLimit } from '../../../src/time-limit.ts'
import { createPgBoss, QUERY_TIMEOUT_MS } from './create-pg-boss.ts'
import {
  beginTransaction,
  codeOf,
  explain,
  onceConnectionsAllow,
  type PgBossEngine,
  SETTINGS,
  type SqlRunner,
  UNLIMITED_RETRIES,
} from './engine.ts'
import { createHealthFunction } from './health-function.ts'
import { createLastStoredTable } from './last-stored.ts'
import { LeaseTable } from './lease-table.ts'
import { createLookFunction } from './look-function.ts'
import { createRecentTable } from './recent.ts'
import { createSubjectFunction } from './subject-function.ts'
import { createSubjectIndex, JobTable, type Queues, unknownSchema } from './table.ts'

const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const NEVER_SECONDS = 2 ** 31 - 1
const DAY_SECONDS = 86_400
/** A process that handles notifications needs a connection for its worker, and another to put. */
const NEEDED_CONNECTIONS = 2
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** The work of a transaction. */
export type Work<Result> = (db: SqlRunner, engine: PgBossEngine) => Promise<Result>

/** A PgBoss of the inbox, which starts on first use, or the user's, which it neither starts nor stops. */
export class PgBossConnection {
  readonly queues: Queues
  readonly table: JobTable
  readonly leaseTable: LeaseTable
  readonly #options: CheckedInboxOptions
  readonly #own: PgBoss | undefined
  readonly #boss: PgBossEngine
  #prepared: Promise<PgBossEngine> | undefined

  /** @param server the URL of PostgreSQL, or the user's PgBoss */
  constructor(server: string | PgBossEngine, queues: Queues, options: CheckedInboxOptions) {
    this.queues = queues
    this.table = new JobTable(queues)
    this.leaseTable = new LeaseTable(queues)
    this.#options = options
    this.#own = typeof server === 'string' ? createPgBoss(server, queues, options) : undefined
    this.#boss = this.#own ?? (server as PgBossEngine)
  }

  /** Resolves with a PgBoss whose schema and queues are ready. The next call retries what failed. */
  ready(): Promise<PgBossEngine> {
    const late = () => noResponse(READY_LIMIT_MS)
    this.#prepared ??= withTimeLimit(this.#prepare(), READY_LIMIT_MS, late).catch((cause) => {
      this.#prepared = undefined
      throw explain(cause)
    })
    return this.#prepared
  }

  async #prepare(): Promise<PgBossEngine> {
    if (this.#own !== undefined) await startPgBoss(this.#own, this.queues)
    await createQueues(this.#boss, this.queues, this.#options)
    await assertSameSchema(this.#boss, this.queues)
    await this.table.check(this.#boss.getDb())
    for (const name of [this.queues.queue, this.queues.deadQueue]) await cacheQueue(this.#boss, name)
    const { schema } = this.queues
    await createSubjectIndex(this.#boss.getDb(), schema)
    await createSubjectFunction(this.#boss.getDb(), schema)
    await createLookFunction(this.#boss.getDb(), schema)
    if (this.#options.dedupeSeconds > 0) await createRecentTable(this.#boss.getDb(), schema)
    await createLastStoredTable(this.#boss.getDb(), schema)
    await createHealthFunction(this.#boss.getDb(), schema)
    return this.#boss
  }

  /** Runs a statement that only reads, outside a transaction. */
  ask<Result>(read: (db: SqlRunner) => Promise<Result>, limitMs = QUERY_TIMEOUT_MS): Promise<Result> {
    const result = onceConnectionsAllow(async () => read((await this.ready()).getDb()))
    // The user's PgBoss may have no limit.
    return withTimeLimit(result, limitMs, () => noResponse(limitMs))
  }

  /**
   * @param setsItself whether the first query of `work` makes the {@link SETTINGS}, which saves a round trip
   */
  async transact<Result>(work: Work<Result>, setsItself = false): Promise<Result> {
    const engine = await onceConnectionsAllow(() => this.ready())
    const transaction = await onceConnectionsAllow(() => beginTransaction(engine))
    try {
      if (!setsItself) await transaction.db.executeSql(`select ${SETTINGS}`)
      const result = await work(transaction.db, engine)
      await transaction.commit()
      return result
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  /**
   * Gives the queue the options of this inbox.
   *
   * @throws InboxError `inbox_unavailable` if the server allows too few connections to handle notifications
   */
  async configure(): Promise<void> {
    const boss = await this.ready()
    await assertConnections(boss)
    const { queue, create } = this.queues
    const settings = toQueueSettings(this.#options)
    const current = await boss.getQueue(queue)
    if (!create || current?.deleteAfterSeconds === settings.deleteAfterSeconds) return
    await boss.updateQueue(queue, settings)
    await cacheQueue(boss, queue)
  }

  /** Makes the next `ready()` check everything again. */
  invalidate(): void {
    this.#prepared = undefined
  }

  /** Deletes completed jobs after `keepCompletedSeconds`. The user's PgBoss does that itself. */
  async tidy(): Promise<void> {
    await this.ready()
    await this.#own?.supervise(this.queues.queue)
  }

  async close(): Promise<void> {
    // A server that does not respond must not keep the process from ending.
    if (this.#own !== undefined) await settlesWithin(this.#own.stop({ graceful: false }), CLOSE_LIMIT_MS)
  }
}

async function startPgBoss(boss: PgBoss, queues: Queues): Promise<void> {
  await boss.start().catch((cause) => {
    throw String(cause).includes('not installed') ? noInbox(queues) : cause
  })
  try {
    // Throws unless this pg-boss knows the version. pg-boss itself accepts that of a newer one, and fails
    // later.
    getMigrationPlans(queues.schema, Number(await boss.schemaVersion()) - 1)
  } catch (cause) {
    throw unknownSchema(queues.schema, { cause })
  }
}

async function createQueues(boss: PgBossEngine, queues: Queues, options: CheckedInboxOptions): Promise<void> {
  const kept = { retentionSeconds: NEVER_SECONDS, deleteAfterSeconds: 0 }
  const all = [[queues.deadQueue, kept] as const, [queues.queue, toQueueSettings(options)] as const]
  for (const [name, settings] of all) {
    if ((await boss.getQueue(name)) !== null) continue
    if (!queues.create) throw noInbox(queues)
    await boss.createQueue(name, settings)
  }
}

async function assertConnections(boss: PgBossEngine): Promise<void> {
  const { rows } = await boss.getDb().executeSql(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most from pg_roles, pg_database
     where rolname = current_user and datname = current_database()`,
  )
  const { most } = rows[0] as { most: number | null }
  if (most === null || most >= NEEDED_CONNECTIONS) return
  throw unavailable(
    `PostgreSQL allows ${most} connection(s); a process that handles notifications needs ${NEEDED_CONNECTIONS}.`,
  )
}

/** pg-boss reads a queue before it first uses it. Inside a transaction, that would take a second connection. */
async function cacheQueue(boss: PgBossEngine, name: string): Promise<void> {
  await boss.getJobById(name, NO_JOB)
}

/** @throws InboxError `inbox_unavailable` if `boss` has another schema, where its jobs would be invisible */
async function assertSameSchema(boss: PgBossEngine, { schema, queue }: Queues): Promise<void> {
  const text = `select created_on as "createdOn" from ${schema}.queue where name = $1`
  const found = await boss
    .getDb()
    .executeSql(text, [queue])
    .catch((error) => {
      if (codeOf(error) !== '42P01') throw error
    })
  const [here] = (found?.rows ?? []) as { createdOn: Date }[]
  const there = await boss.getQueue(queue)
  if (here !== undefined && Number(here.createdOn) === Number(there?.createdOn)) return
  throw unavailable(`"boss" has another schema than ${schema}; give its schema as the "schema" option.`)
}

function noResponse(limitMs: number): Error {
  return new Error(`PostgreSQL did not respond within ${limitMs} ms.`)
}

function noInbox({ schema, queue }: Queues): InboxError {
  return unavailable(`There is no queue "${queue}" in the schema "${schema}".`)
}

function unavailable(message: string): InboxError {
  return new InboxError('inbox_unavailable', message)
}

function toQueueSettings(options: CheckedInboxOptions) {
  return {
    retryLimit: UNLIMITED_RETRIES,
    expireInSeconds: DAY_SECONDS,
    retentionSeconds: NEVER_SECONDS,
    // 0 means never.
    deleteAfterSeconds: Math.max(1, options.keepCompletedSeconds),
  }
}
