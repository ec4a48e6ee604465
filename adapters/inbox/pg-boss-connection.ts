import { getConstructionPlans, PgBoss } from 'pg-boss'
import { InboxError } from '../../src/errors.ts'
import type { CheckedInboxOptions } from '../../src/inbox/inbox-options.ts'
import { withTimeLimit } from '../../src/time-limit.ts'
import type { PgBossEngine, QueueSettings } from './pg-boss-engine.ts'
import { createRecentTable } from './pg-boss-recent.ts'

/** How long a dead process keeps what it handled. */
const HEARTBEAT_SECONDS = 12
/** How often a process that is handed over to looks for what died. */
export const SUPERVISE_MS = 4_000

const CONNECT_TIMEOUT_MS = 2_000
// A server that has gone without a word would keep its connections, and all who wait for them, for a quarter of an hour.
const QUERY_TIMEOUT_MS = 30_000
const READY_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 5_000
const NEVER_SECONDS = 2 ** 31 - 1
const DAY_SECONDS = 86_400

/** Where the jobs lie. */
export interface PgBossPlace {
  readonly schema: string
  readonly queue: string
  readonly deadQueue: string
}

export interface PgBossConnection {
  /** The PgBoss, with everything in it that payhook needs. What failed is tried again with the next call. */
  ready(): Promise<PgBossEngine>
  /** Has the next `ready()` look again whether everything is there. */
  doubt(): void
  /** Listens for what fails in the background. */
  onError(listener: (error: unknown) => void): () => void
  /** Looks once for jobs whose process died, and for those that are to be deleted; nothing when PgBoss is the user's. */
  supervise(): Promise<void>
  close(): Promise<void>
}

/** A PgBoss of our own. It is started by the first who needs it. */
export function connectPgBoss(
  connectionString: string,
  place: PgBossPlace,
  options: CheckedInboxOptions,
): PgBossConnection {
  const boss = createPgBoss(connectionString, place.schema, options)
  // Without a listener an error event would end the process.
  boss.on('error', () => {})
  async function prepare(): Promise<PgBossEngine> {
    await boss.start()
    await assertKnownSchema(boss, place.schema)
    return await preparePlace(boss, place, options)
  }
  return {
    ...createReady(prepare),
    onError: (listener) => listen(boss, listener),
    supervise: () => boss.supervise(place.queue),
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
  options: CheckedInboxOptions,
): PgBossConnection {
  return {
    ...createReady(() => preparePlace(boss, place, options)),
    onError: (listener) =>
      listen(boss, (error) => {
        // Errors of workers name their queue; others are none of ours.
        const { cause = error } = error
        if ((cause as { queue?: unknown }).queue === place.queue) listener(error)
      }),
    supervise: async () => {},
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
    schedule: false,
    // Ours is called by hand: a process that only puts has nothing to supervise.
    supervise: false,
    monitorIntervalSeconds: SUPERVISE_MS / 1_000,
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

function listen(boss: Pick<PgBossEngine, 'on' | 'off'>, listener: (error: Error) => void): () => void {
  // pg-boss copies some of its errors into plain objects.
  const onError = (error: Error) =>
    listener(error instanceof Error ? error : new Error((error as Error).message, { cause: error }))
  boss.on('error', onError)
  return () => void boss.off('error', onError)
}

async function preparePlace(
  boss: PgBossEngine,
  place: PgBossPlace,
  options: CheckedInboxOptions,
): Promise<PgBossEngine> {
  const kept = { retentionSeconds: NEVER_SECONDS, deleteAfterSeconds: 0 }
  const settings = { ...toQueueSettings(options), deadLetter: place.deadQueue }
  await boss.createQueue(place.deadQueue, kept)
  await boss.createQueue(place.queue, settings)
  // One that was there already keeps its options otherwise.
  await boss.updateQueue(place.deadQueue, kept)
  await boss.updateQueue(place.queue, settings)
  if (options.dedupeSeconds > 0) await createRecentTable(boss.getDb(), place.schema)
  return boss
}

function toQueueSettings(options: CheckedInboxOptions): QueueSettings {
  return {
    retryLimit: options.maxAttempts - 1,
    // pg-boss adds up to as much again at random, where payhook leaves up to half off.
    retryDelay: Math.ceil(options.retryDelayMs / 2_000),
    retryBackoff: true,
    retryDelayMax: Math.ceil(options.maxRetryDelayMs / 1_000),
    expireInSeconds: DAY_SECONDS,
    retentionSeconds: NEVER_SECONDS,
    // 0 would mean never.
    deleteAfterSeconds: Math.max(1, options.keepCompletedSeconds),
    heartbeatSeconds: HEARTBEAT_SECONDS,
  }
}

/** pg-boss itself goes on with a schema that a newer one has made, and fails somewhere later. */
async function assertKnownSchema(boss: PgBoss, schema: string): Promise<void> {
  const known = Number(/\.version\(version\) VALUES \('(\d+)'\)/i.exec(getConstructionPlans(schema))?.[1])
  const found = await boss.schemaVersion()
  if (found === null || !(found > known)) return
  throw new InboxError(
    'inbox_too_new',
    `The schema ${schema} was made by a newer pg-boss (version ${found} of the schema; this one knows ${known}).`,
  )
}
