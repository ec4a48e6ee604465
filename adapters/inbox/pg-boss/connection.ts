import { getMigrationPlans, PgBoss } from 'pg-boss'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import { type PgBossEngine, type QueueSettings, UNLIMITED_RETRIES } from './engine.ts'
import { createRecentTable } from './recent.ts'
import { type JobTable, type PgBossPlace, unknownSchema } from './table.ts'

const CONNECT_TIMEOUT_MS = 2_000
// A server that has gone without a word would keep its connections, and all who wait for them, for a quarter of
// an hour.
const QUERY_TIMEOUT_MS = 30_000
const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const NEVER_SECONDS = 2 ** 31 - 1
const DAY_SECONDS = 86_400

/** pg-boss's timers, which would keep a script from ending that does not close its inbox. */
const clock = {
  now: Date.now,
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms).unref(),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (run: () => void, ms: number) => setInterval(run, ms).unref(),
  clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
}

export interface PgBossConnection {
  /** The PgBoss, with everything in it that payhook needs. What failed is tried again with the next call. */
  ready(): Promise<PgBossEngine>
  /** Has the next `ready()` look again whether everything is there. */
  doubt(): void
  /** Deletes what has been completed long enough ago; nothing when PgBoss is the user's. */
  tidy(): Promise<void>
  close(): Promise<void>
}

/** A PgBoss of our own. It is started by the first who needs it. */
export function connectPgBoss(
  connectionString: string,
  place: PgBossPlace,
  table: JobTable,
  options: CheckedInboxOptions,
): PgBossConnection {
  const boss = createPgBoss(connectionString, place.schema, options)
  // Without a listener an error event would end the process. What fails here fails in a call, too.
  boss.on('error', () => {})
  async function prepare(): Promise<PgBossEngine> {
    await boss.start()
    assertKnown(place.schema, await boss.schemaVersion())
    return await preparePlace(boss, place, table, options)
  }
  const { ready, doubt } = createReady(prepare)
  return {
    ready,
    doubt,
    async tidy() {
      await ready()
      await boss.supervise(place.queue)
    },
    async close() {
      const stopped = boss.stop({ graceful: false })
      // A server that does not answer must not keep the process; what is left ends with its statements.
      await withTimeLimit(stopped, CLOSE_LIMIT_MS, () => new Error('PostgreSQL does not answer.')).catch(
        () => {},
      )
    },
  }
}

/** The user's PgBoss, which is theirs to start, to supervise and to stop. */
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

function createPgBoss(connectionString: string, schema: string, options: CheckedInboxOptions): PgBoss {
  const settings = {
    connectionString,
    schema,
    application_name: 'payhook',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    clock,
    schedule: false,
    // Done by hand, where something is handled.
    supervise: false,
    // Counting reads the whole table, for figures that nobody asks for here.
    monitorIntervalSeconds: DAY_SECONDS,
    maintenanceIntervalSeconds: Math.min(3_600, Math.max(60, options.keepCompletedSeconds)),
  }
  return new PgBoss(settings)
}

function createReady(prepare: () => Promise<PgBossEngine>): Pick<PgBossConnection, 'ready' | 'doubt'> {
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
    doubt() {
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
  const kept = { retentionSeconds: NEVER_SECONDS, deleteAfterSeconds: 0 }
  const settings = { ...toQueueSettings(options), deadLetter: place.deadQueue }
  await boss.createQueue(place.deadQueue, kept)
  await boss.createQueue(place.queue, settings)
  // One that was there already keeps its options otherwise. An older payhook left heartbeats to pg-boss.
  await boss.updateQueue(place.deadQueue, kept)
  await boss.updateQueue(place.queue, { ...settings, heartbeatSeconds: null })
  if (options.dedupeSeconds > 0) await createRecentTable(boss.getDb(), place.schema)
  return boss
}

function toQueueSettings(options: CheckedInboxOptions): QueueSettings {
  return {
    retryLimit: UNLIMITED_RETRIES,
    expireInSeconds: DAY_SECONDS,
    retentionSeconds: NEVER_SECONDS,
    // 0 would mean never.
    deleteAfterSeconds: Math.max(1, options.keepCompletedSeconds),
  }
}

/** pg-boss itself goes on with a schema that a newer one has made, and fails somewhere later. */
function assertKnown(schema: string, version: number | null): void {
  try {
    // It has plans up to the version that it makes itself.
    getMigrationPlans(schema, Number(version) - 1)
  } catch (cause) {
    throw unknownSchema(schema, { cause })
  }
}
