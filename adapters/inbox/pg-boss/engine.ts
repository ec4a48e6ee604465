import { InboxError } from '../../../src/errors.ts'

/** Runs SQL: pg-boss's own pool, the user's adapter, or an open transaction. */
export interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** An open transaction of pg-boss's pool. */
export interface SqlTransaction {
  readonly db: SqlRunner
  commit(): Promise<void>
  /** Never rejects. */
  rollback(): Promise<void>
}

export interface SqlDatabase extends SqlRunner {
  beginTransaction?(): Promise<SqlTransaction>
}

/** The `data` of a job. */
export interface JobData {
  readonly signature: string
  readonly clientId: string
  readonly receivedAt: string
  /** Base64, as jsonb keeps neither exact bytes nor NUL characters. */
  readonly body: string
  /** Earlier attempts, which pg-boss forgets when a job is stored anew. Absent on a new job. */
  readonly past?: JobPast | undefined
}

export interface JobPast {
  /** Attempts before the job was last stored anew. pg-boss's `retryCount` restarts at 0 then. */
  readonly attempts: number
  /** How often the job was stored anew. It distinguishes attempts with the same `retryCount`. */
  readonly restored: number
  readonly deaths: number
  readonly cutOffs: number
  /** The error of the last attempt. */
  readonly error: string | null
}

/** Identifies one attempt of a job. pg-boss ignores results of any other attempt. */
export interface JobAttempt {
  readonly id: string
  /** 0 for the first attempt. */
  readonly retryCount: number
}

/** One attempt of a job, as `fetch` returns it. */
export interface Job extends JobAttempt {
  readonly data: JobData
  /** The id of the original job, if this one is its replay. */
  readonly sourceRootId: string | null
  readonly output: unknown
  readonly createdOn: Date
}

export interface NewJob {
  id: string
  data: JobData
  group: { id: string }
  priority?: number
  /** In seconds. */
  startAfter?: number
  retryLimit?: number
}

export interface QueueSettings {
  retryLimit: number
  expireInSeconds: number
  retentionSeconds: number
  deleteAfterSeconds: number
}

export interface FetchSettings {
  includeMetadata: true
  batchSize: number
  minPriority?: number
  maxPriority?: number
  db: SqlRunner
}

/** The methods of PgBoss that payhook calls. pg-boss 12.35 and later have them. */
export interface PgBossEngine {
  getDb(): SqlDatabase
  getQueue(name: string): Promise<unknown>
  createQueue(name: string, options: Partial<QueueSettings> & { deadLetter?: string }): Promise<void>
  updateQueue(
    name: string,
    options: Partial<QueueSettings> & { deadLetter?: string; heartbeatSeconds?: null },
  ): Promise<void>
  insert(name: string, jobs: NewJob[], options: { db?: SqlRunner; returnId: true }): Promise<string[] | null>
  fetch(name: string, options: FetchSettings): Promise<Job[]>
  touch(name: string, jobs: JobAttempt[], options?: { db?: SqlRunner }): Promise<unknown>
  complete(
    name: string,
    jobs: JobAttempt[] | string[],
    output: undefined,
    options: { db: SqlRunner; includeQueued?: boolean },
  ): Promise<unknown>
  fail(name: string, ids: string[], output: object, options: { db: SqlRunner }): Promise<unknown>
  deleteJob(name: string, ids: string[], options: { db: SqlRunner }): Promise<unknown>
  redrive(name: string, options: { ids: string[]; limit: number; db: SqlRunner }): Promise<number>
}

/** The worker limits the attempts, not pg-boss. */
export const UNLIMITED_RETRIES = 1_000_000
/** The group of all jobs. pg-boss has an index of the active jobs with a group. */
export const GROUP = { id: 'payhook' }

/** @throws InboxError `inbox_unavailable` if the user's PgBoss has a `db` without transactions */
export async function beginTransaction(engine: PgBossEngine): Promise<SqlTransaction> {
  const db = engine.getDb()
  if (db.beginTransaction !== undefined) return await db.beginTransaction()
  throw new InboxError('inbox_unavailable', 'The "db" of "boss" has no beginTransaction().')
}

/** PostgreSQL ends the transaction of a frozen process, which would otherwise keep rows locked. */
const IDLE_LIMIT = "set_config('idle_in_transaction_session_timeout', '10s', true)"
/**
 * For workers. Results need not wait for the disk: if a crash of the server loses one, the notification is
 * handled again. Without bitmap scans, PostgreSQL follows pg-boss's index even if its statistics are missing or
 * old, instead of sorting all waiting jobs.
 */
const QUICK = "set_config('synchronous_commit', 'off', true), set_config('enable_bitmapscan', 'off', true)"

export async function inTransaction<Result>(
  engine: PgBossEngine,
  pace: 'durable' | 'quick',
  work: (db: SqlRunner) => Promise<Result>,
): Promise<Result> {
  const transaction = await beginTransaction(engine)
  try {
    await transaction.db.executeSql(`select ${IDLE_LIMIT}${pace === 'quick' ? `, ${QUICK}` : ''}`)
    const result = await work(transaction.db)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

/** Stores all jobs, or rejects. pg-boss itself silently stores nothing if the queue does not exist. */
export async function insertAll(
  engine: PgBossEngine,
  queue: string,
  jobs: readonly NewJob[],
  db?: SqlRunner,
): Promise<void> {
  for (let left = jobs.slice(); left.length > 0; ) {
    const some = left.splice(0, countTogether(left, left.length))
    const stored = await engine.insert(queue, some, { returnId: true, ...(db && { db }) })
    if (stored?.length === some.length) continue
    throw new InboxError(
      'inbox_unavailable',
      `pg-boss did not store all notifications. Was its queue ${queue} deleted?`,
    )
  }
}

const TOGETHER_CHARACTERS = 8 * 1024 * 1024

/** How many of the first jobs fit into one batch, whose JSON must fit into one string. */
export function countTogether(jobs: readonly { readonly data: JobData }[], most: number): number {
  let size = 0
  let characters = 0
  for (const { data } of jobs) {
    characters += data.body?.length ?? 0
    if (size > 0 && (size === most || characters > TOGETHER_CHARACTERS)) break
    size += 1
  }
  return size
}
