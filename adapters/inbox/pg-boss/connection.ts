import { getMigrationPlans, PgBoss } from 'pg-boss'
import { InboxError } from '../../../src/errors.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import { codeOf, type PgBossEngine, type QueueSettings, UNLIMITED_RETRIES } from './engine.ts'
import { createRecentTable } from './recent.ts'
import { type JobTable, type QueueNames, unknownSchema } from './table.ts'

const CONNECT_TIMEOUT_MS = 2_000
// Without it, calls to a server that vanished would hang until TCP gives up, for a quarter of an hour.
const QUERY_TIMEOUT_MS = 30_000
const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const NEVER_SECONDS = 2 ** 31 - 1
const DAY_SECONDS = 86_400
/** A process that handles notifications needs a connection for its worker, and another to put. */
const NEEDED_CONNECTIONS = 2
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** Unreferenced timers for pg-boss, so that a script can end without closing its inbox. */
const clock = {
  now: Date.now,
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms).unref(),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (run: () => void, ms: number) => setInterval(run, ms).unref(),
  clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
}

/** Where the queues are, and whether to create them. */
export interface Location extends QueueNames {
  readonly create: boolean
}

export interface PgBossConnection {
  /** Resolves with a PgBoss whose schema and queues are ready. The next call retries what failed. */
  ready(): Promise<PgBossEngine>
  /**
   * Gives the queue the options of this inbox.
   *
   * @throws InboxError `inbox_unavailable` if the server allows too few connections to handle notifications
   */
  configure(): Promise<void>
  /** Makes the next `ready()` check everything again. */
  invalidate(): void
  /** Deletes completed jobs after `keepCompletedSeconds`. Does nothing with the user's PgBoss. */
  tidy(): Promise<void>
  close(): Promise<void>
}

/** Creates a PgBoss, which starts on first use. */
export function connectPgBoss(
  connectionString: string,
  location: Location,
  table: JobTable,
  options: CheckedInboxOptions,
): PgBossConnection {
  const boss = createPgBoss(connectionString, location, options)
  // Without a listener, an error event would end the process. Calls report the same errors.
  boss.on('error', () => {})
  async function prepare(): Promise<PgBossEngine> {
    await boss.start().catch((cause) => {
      throw String(cause).includes('not installed') ? noInbox(location) : cause
    })
    assertKnown(location.schema, await boss.schemaVersion())
    return await prepareQueues(boss, location, table, options)
  }
  const readiness = createReady(prepare)
  return {
    ...readiness,
    configure: () => configure(boss, location, options),
    async tidy() {
      await readiness.ready()
      await boss.supervise(location.queue)
    },
    async close() {
      const stopped = boss.stop({ graceful: false })
      // A server that does not respond must not keep the process from ending.
      await withTimeLimit(stopped, CLOSE_LIMIT_MS, () => new Error('PostgreSQL does not respond.')).catch(
        () => {},
      )
    },
  }
}

/** Uses the user's PgBoss, which they start, supervise and stop themselves. */
export function borrowPgBoss(
  boss: PgBossEngine,
  location: Location,
  table: JobTable,
  options: CheckedInboxOptions,
): PgBossConnection {
  return {
    ...createReady(async () => await prepareQueues(boss, location, table, options)),
    configure: () => configure(boss, location, options),
    tidy: async () => {},
    close: async () => {},
  }
}

function createPgBoss(
  connectionString: string,
  { schema, create }: Location,
  options: CheckedInboxOptions,
): PgBoss {
  const settings = {
    connectionString,
    schema,
    migrate: create,
    application_name: 'payhook',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    clock,
    schedule: false,
    // tidy() does this, and only in a process that handles notifications.
    supervise: false,
    // Reads the whole table, for statistics that the inbox does not use.
    monitorIntervalSeconds: DAY_SECONDS,
    maintenanceIntervalSeconds: Math.min(3_600, Math.max(60, options.keepCompletedSeconds)),
    // pg-boss 12.38 makes a span of every fetch, four a second in an idle worker.
    openTelemetry: { enabled: false },
  }
  return new PgBoss(settings)
}

function createReady(prepare: () => Promise<PgBossEngine>): Pick<PgBossConnection, 'ready' | 'invalidate'> {
  let prepared: Promise<PgBossEngine> | undefined
  return {
    ready() {
      prepared ??= withTimeLimit(
        prepare(),
        READY_LIMIT_MS,
        () => new Error(`PostgreSQL did not respond within ${READY_LIMIT_MS} ms.`),
      ).catch((cause: unknown) => {
        prepared = undefined
        throw codeOf(cause) === '42501' ? missingRight(cause as Error) : cause
      })
      return prepared
    },
    invalidate() {
      prepared = undefined
    },
  }
}

async function prepareQueues(
  boss: PgBossEngine,
  location: Location,
  table: JobTable,
  options: CheckedInboxOptions,
): Promise<PgBossEngine> {
  const { schema, queue, deadQueue, create } = location
  const settings = {
    [queue]: toQueueSettings(options),
    [deadQueue]: { retentionSeconds: NEVER_SECONDS, deleteAfterSeconds: 0 },
  }
  for (const [name, setting] of Object.entries(settings)) {
    if ((await boss.getQueue(name)) === null) {
      if (!create) throw noInbox(location)
      await boss.createQueue(name, setting)
    }
  }
  await assertSameSchema(boss, location)
  await table.check(boss.getDb())
  for (const name of [queue, deadQueue]) await cacheQueue(boss, name)
  if (options.dedupeSeconds > 0) await createRecentTable(boss.getDb(), schema)
  return boss
}

async function configure(
  boss: PgBossEngine,
  location: Location,
  options: CheckedInboxOptions,
): Promise<void> {
  const { rows } = await boss.getDb().executeSql(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most from pg_roles, pg_database
     where rolname = current_user and datname = current_database()`,
  )
  const { most } = rows[0] as { most: number | null }
  if (most !== null && most < NEEDED_CONNECTIONS) {
    throw new InboxError(
      'inbox_unavailable',
      `PostgreSQL allows ${most} connection(s); a process that handles notifications needs ${NEEDED_CONNECTIONS}.`,
    )
  }
  const settings = toQueueSettings(options)
  const current = (await boss.getQueue(location.queue)) as Partial<QueueSettings> | null
  const names = Object.keys(settings) as (keyof QueueSettings)[]
  if (!location.create || names.every((name) => current?.[name] === settings[name])) return
  await boss.updateQueue(location.queue, settings)
  await cacheQueue(boss, location.queue)
}

/** pg-boss reads a queue before it first uses it. Inside a transaction, that would take a second connection. */
async function cacheQueue(boss: PgBossEngine, name: string): Promise<void> {
  await boss.getJobById(name, NO_JOB)
}

/** @throws InboxError `inbox_unavailable` if `boss` has another schema, where its jobs would be invisible */
async function assertSameSchema(boss: PgBossEngine, { schema, queue }: Location): Promise<void> {
  const text = `select created_on as "createdOn" from ${schema}.queue where name = $1`
  const found = await boss.getDb().executeSql(text, [queue]).catch(ignoreMissingTable)
  const [here] = found.rows as { createdOn: Date }[]
  const there = (await boss.getQueue(queue)) as { createdOn: Date } | null
  if (here !== undefined && Number(here.createdOn) === Number(there?.createdOn)) return
  throw new InboxError(
    'inbox_unavailable',
    `"boss" has another schema than ${schema}; give its schema as the "schema" option.`,
  )
}

function ignoreMissingTable(error: unknown): { rows: unknown[] } {
  if (codeOf(error) !== '42P01') throw error
  return { rows: [] }
}

function noInbox({ schema, queue }: Location): InboxError {
  return new InboxError('inbox_unavailable', `There is no queue "${queue}" in the schema "${schema}".`)
}

function missingRight(cause: Error): InboxError {
  const message = `The role lacks a right: ${cause.message}. docs/inbox.md lists the grants it needs.`
  return new InboxError('inbox_unavailable', message, { cause })
}

function toQueueSettings(options: CheckedInboxOptions): QueueSettings {
  return {
    retryLimit: UNLIMITED_RETRIES,
    expireInSeconds: DAY_SECONDS,
    retentionSeconds: NEVER_SECONDS,
    // 0 means never.
    deleteAfterSeconds: Math.max(1, options.keepCompletedSeconds),
  }
}

/** pg-boss itself accepts the schema of a newer version, and fails later. */
function assertKnown(schema: string, version: number | null): void {
  try {
    // Throws unless this pg-boss knows the version.
    getMigrationPlans(schema, Number(version) - 1)
  } catch (cause) {
    throw unknownSchema(schema, { cause })
  }
}
