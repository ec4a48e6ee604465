import { InboxError } from '../../../src/errors.ts'

/** What runs SQL: pg-boss's own pool, an adapter of the user's, or an open transaction. */
export interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** An open transaction, as pg-boss's own pool gives it. */
export interface SqlTransaction {
  readonly db: SqlRunner
  commit(): Promise<void>
  /** Never rejects. */
  rollback(): Promise<void>
}

export interface SqlDatabase extends SqlRunner {
  beginTransaction?(): Promise<SqlTransaction>
}

/** What stands in a job's `data`: JSON, as jsonb keeps neither exact bytes nor a NUL character. */
export interface JobData {
  readonly deliveryId: string
  readonly clientId: string
  readonly receivedAt: string
  /** The exact bytes in base64. */
  readonly body: string
  /** What pg-boss does not keep of earlier attempts; missing as long as there is nothing to keep. */
  readonly past?: JobPast | undefined
}

export interface JobPast {
  /** Attempts that counted before the job was last stored anew, from where pg-boss counts from 0 again. */
  readonly attempts: number
  /** How often it was stored anew. It tells attempts apart, as pg-boss's `retryCount` begins again. */
  readonly restored: number
  readonly deaths: number
  readonly cutOffs: number
  /** The error of the last attempt. */
  readonly error: string | null
}

/** What names one attempt at a job: pg-boss settles no other. */
export interface JobAttempt {
  readonly id: string
  /** 0 at the first attempt. */
  readonly retryCount: number
}

/** One attempt at a job, as `fetch` gives it. */
export interface Job extends JobAttempt {
  readonly data: JobData
  /** The id of the job that died first, when this one is its replay. */
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

/** What payhook calls of a PgBoss; one of pg-boss 12.35 fits. */
export interface PgBossEngine {
  getDb(): SqlDatabase
  createQueue(name: string, options: Partial<QueueSettings> & { deadLetter?: string }): Promise<void>
  updateQueue(
    name: string,
    options: Partial<QueueSettings> & { deadLetter?: string; heartbeatSeconds?: null },
  ): Promise<void>
  insert(name: string, jobs: NewJob[], options: { db?: SqlRunner; returnId: true }): Promise<string[] | null>
  fetch(name: string, options: FetchSettings): Promise<Job[]>
  touch(name: string, jobs: JobAttempt[], options?: { db?: SqlRunner }): Promise<unknown>
  complete(name: string, jobs: JobAttempt[], output: undefined, options: { db: SqlRunner }): Promise<unknown>
  fail(name: string, ids: string[], output: object, options: { db: SqlRunner }): Promise<unknown>
  deleteJob(name: string, ids: string[], options: { db: SqlRunner }): Promise<unknown>
  redrive(name: string, options: { ids: string[]; limit: number; db: SqlRunner }): Promise<number>
}

/** The worker decides after how many attempts a job dies, not pg-boss. */
export const UNLIMITED_RETRIES = 1_000_000
/** The group of all jobs: an index of pg-boss's has the active jobs that have one. */
export const GROUP = { id: 'payhook' }

/** @throws InboxError `inbox_unavailable` when the db of a PgBoss of the user's has no transactions */
export async function beginTransaction(engine: PgBossEngine): Promise<SqlTransaction> {
  const db = engine.getDb()
  if (db.beginTransaction !== undefined) return await db.beginTransaction()
  throw new InboxError('inbox_unavailable', 'The db of "boss" has no beginTransaction().')
}

/** A process that freezes must not keep its rows locked: then PostgreSQL ends its transaction. */
const IDLE_LIMIT = "set_config('idle_in_transaction_session_timeout', '10s', true)"
/**
 * For work: what a crash of the server undoes is handled again, so it need not wait for the disk. And without
 * statistics, or with old ones, PostgreSQL would rather sort all that waits than follow pg-boss's index.
 */
const QUICK = "set_config('synchronous_commit', 'off', true), set_config('enable_bitmapscan', 'off', true)"

/** Does it in one transaction, or not at all. */
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

/** Stores jobs, or rejects: without its queue pg-boss stores nothing, and says nothing. */
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
    throw new InboxError('inbox_unavailable', `pg-boss did not store all; is its queue ${queue} gone?`)
  }
}

const TOGETHER_CHARACTERS = 8 * 1024 * 1024

/** How many of the first may travel together, so that their JSON fits into one string. */
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
