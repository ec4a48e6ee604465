import { getMigrationPlans, PgBoss } from 'pg-boss'
import { InboxError } from '../../../src/errors.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import { type PgBossEngine, type QueueSettings, UNLIMITED_RETRIES } from './engine.ts'
import { createRecentTable } from './recent.ts'
import { type JobTable, type PgBossPlace, unknownSchema } from './table.ts'

const CONNECT_TIMEOUT_MS = 2_000
// Without it, calls to a server that vanished would hang until TCP gives up, for a quarter of an hour.
const QUERY_TIMEOUT_MS = 30_000
const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const NEVER_SECONDS = 2 ** 31 - 1
const DAY_SECONDS = 86_400

/** Unreferenced timers for pg-boss, so that a script can end without closing its inbox. */
const clock = {
  now: Date.now,
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms).unref(),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (run: () => void, ms: number) => setInterval(run, ms).unref(),
  clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
}

export interface PgBossConnection {
  /** Resolves with a PgBoss whose schema and queues are ready. The next call retries what failed. */
  ready(): Promise<PgBossEngine>
  /** Makes the next `ready()` check everything again. */
  invalidate(): void
  /** Deletes completed jobs after `keepCompletedSeconds`. Does nothing with the user's PgBoss. */
  tidy(): Promise<void>
  close(): Promise<void>
}

/** Creates a PgBoss, which starts on first use. */
export function connectPgBoss(
  connectionString: string,
  place: PgBossPlace,
  table: JobTable,
  options: CheckedInboxOptions,
): PgBossConnection {
  const boss = createPgBoss(connectionString, place, options)
  // Without a listener, an error event would end the process. Calls report the same errors.
  boss.on('error', () => {})
  async function prepare(): Promise<PgBossEngine> {
    await boss.start().catch((cause) => {
      throw String(cause).includes('not installed') ? noInbox(place) : cause
    })
    assertKnown(place.schema, await boss.schemaVersion())
    return await preparePlace(boss, place, table, options)
  }
  const { ready, invalidate } = createReady(prepare)
  return {
    ready,
    invalidate,
    async tidy() {
      await ready()
      await boss.supervise(place.queue)
    },
    async close() {
      const stopped = boss.stop({ graceful: false })
      // A server that does not answer must not keep the process from ending.
      await withTimeLimit(stopped, CLOSE_LIMIT_MS, () => new Error('PostgreSQL does not answer.')).catch(
        () => {},
      )
    },
  }
}

/** Uses the user's PgBoss, which they start, supervise and stop themselves. */
export function borrowPgBoss(
  boss: PgBossEngine,
  place: PgBossPlace,
  table: JobTable,
  options: CheckedInboxOptions,
): PgBossConnection {
  return {
    ...createReady(() => preparePlace(boss, place, table, options)),
    tidy: async () => {},
    close: async () => {},
  }
}

function createPgBoss(
  connectionString: string,
  { schema, create }: PgBossPlace,
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
        () => new Error(`PostgreSQL did not answer within ${READY_LIMIT_MS} ms.`),
      ).catch((error: unknown) => {
        prepared = undefined
        throw error
      })
      return prepared
    },
    invalidate() {
      prepared = undefined
    },
  }
}

async function preparePlace(
  boss: PgBossEngine,
  place: PgBossPlace,
  table: JobTable,
  options: CheckedInboxOptions,
): Promise<PgBossEngine> {
  await table.check(boss.getDb())
  if (place.create) await prepareQueues(boss, place, options)
  else if ((await boss.getQueue(place.queue)) === null) throw noInbox(place)
  if (options.dedupeSeconds > 0) await createRecentTable(boss.getDb(), place.schema)
  return boss
}

async function prepareQueues(
  boss: PgBossEngine,
  place: PgBossPlace,
  options: CheckedInboxOptions,
): Promise<void> {
  const kept = { retentionSeconds: NEVER_SECONDS, deleteAfterSeconds: 0 }
  const settings = { ...toQueueSettings(options), deadLetter: place.deadQueue }
  await boss.createQueue(place.deadQueue, kept)
  await boss.createQueue(place.queue, settings)
  // createQueue leaves an existing queue as it is. Older versions of payhook set heartbeatSeconds.
  await boss.updateQueue(place.deadQueue, kept)
  await boss.updateQueue(place.queue, { ...settings, heartbeatSeconds: null })
}

function noInbox({ schema, queue }: PgBossPlace): InboxError {
  return new InboxError('inbox_unavailable', `There is no queue "${queue}" in the schema "${schema}".`)
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
