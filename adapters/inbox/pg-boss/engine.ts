import { setTimeout as delay } from 'node:timers/promises'
import type { JobInsert, JobWithMetadata, PgBoss } from 'pg-boss'
import { InboxError } from '../../../src/errors.ts'
import { isSubject } from '../../../src/events/subject.ts'
import type { StoredNotification } from '../../../src/inbox/stored-notification.ts'

/** The methods of PgBoss that payhook calls. pg-boss 12.35 and later have them. */
export type PgBossEngine = Pick<
  PgBoss,
  | 'getDb'
  | 'getQueue'
  | 'createQueue'
  | 'updateQueue'
  | 'getJobById'
  | 'insert'
  | 'fetch'
  | 'touch'
  | 'complete'
  | 'deleteJob'
>

/** Runs SQL: pg-boss's own pool, the user's adapter, or an open transaction. */
export type SqlRunner = Pick<SqlDatabase, 'executeSql'>
type SqlDatabase = Required<ReturnType<PgBoss['getDb']>>

/** The `data` of a job. */
export interface JobData extends StoredNotification {
  /** Earlier attempts, which pg-boss forgets when a job is stored anew. Absent on a new job. */
  readonly past?: JobPast | undefined
}

export interface JobPast {
  /** Attempts before the job was last stored anew. pg-boss's `retryCount` restarts at 0 then. */
  readonly attempts: number
  readonly crashes: number
  readonly cutOffs: number
  /** The error of the last attempt. */
  readonly error: string | null
  /** How often the job was replayed after it was completed. Absent if it was not. */
  readonly repeats?: number | undefined
}

export const NO_PAST: JobPast = { attempts: 0, crashes: 0, cutOffs: 0, error: null }

/** Ignores what another program stored under that name. */
export function pastOf(data: Pick<JobData, 'past'> | null): JobPast {
  const past = data?.past
  const isOurs = [past?.attempts, past?.crashes, past?.cutOffs, past?.repeats ?? 0].every(
    Number.isSafeInteger,
  )
  return past && isOurs ? past : NO_PAST
}

/** The error in a job's output: from the worker, or pg-boss's own reason for failing the attempt. */
export function fromJobOutput(output: unknown): string | null {
  if (output === null || typeof output !== 'object') return null
  const { error, value, message } = output as { error?: unknown; value?: unknown; message?: unknown }
  if (typeof error === 'string') return error
  const reason = (value as { message?: unknown } | null | undefined)?.message ?? value ?? message
  return `pg-boss: ${typeof reason === 'string' ? reason : JSON.stringify(output)}`
}

/** One attempt of a job. Its id, retry count and time identify the attempt. */
export type Job = Pick<
  JobWithMetadata<JobData>,
  'id' | 'retryCount' | 'createdOn' | 'startAfter' | 'data' | 'output'
>

export interface NewJob extends JobInsert<JobData> {
  readonly id: string
  readonly data: JobData
}

/** The worker limits the attempts, not pg-boss. */
export const UNLIMITED_RETRIES = 1_000_000

/** A job in the group of its subject. pg-boss has an index of the active jobs with a group. */
export function newJob(
  id: string,
  data: JobData,
  settings?: { readonly priority: number; readonly startAfter?: number | Date },
): NewJob {
  return { id, group: { id: subjectOf(data) ?? id }, data, ...settings }
}

/** Ignores what another program stored under that name. */
export function subjectOf(data: Pick<JobData, 'subject'> | null): string | undefined {
  return isSubject(data?.subject) ? data.subject : undefined
}

/**
 * The option `boss` was checked to have transactions.
 *
 * @throws InboxError `inbox_unavailable` if PgBouncer allows no transactions
 */
export async function beginTransaction(engine: PgBossEngine) {
  try {
    return await (engine.getDb() as SqlDatabase).beginTransaction()
  } catch (cause) {
    throw explain(cause)
  }
}

const TOO_MANY_CONNECTIONS = '53300'
/** How long to wait for a connection if the server allows no more of them. */
const CONNECTION_LIMIT_MS = 2_000

/** Repeats work that stores nothing if it fails, until a connection is free. */
export async function onceConnectionsAllow<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + CONNECTION_LIMIT_MS; ; await delay(10)) {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== TOO_MANY_CONNECTIONS || performance.now() > until) throw error
    }
  }
}

/** The code of an error of PostgreSQL. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code)
}

const ADVICE: Readonly<Record<string, (message: string) => string>> = {
  '42501': (message) => `The role lacks a right: ${message}. docs/inbox.md lists the grants it needs.`,
  // Errors of PgBouncer itself have this code.
  '08P01': (message) =>
    `PgBouncer rejected the connection: ${message}. Use the settings in docs/inbox.md, or connect to PostgreSQL directly.`,
}

/** Adds what to do about an error, if that is known. */
export function explain(cause: unknown): unknown {
  const advice = ADVICE[codeOf(cause)]?.((cause as Error).message)
  return advice === undefined ? cause : new InboxError('inbox_unavailable', advice, { cause })
}

/**
 * Settings of a transaction. PostgreSQL ends that of a frozen process, which would otherwise keep rows locked.
 * Without bitmap scans, it follows pg-boss's index even if its statistics are missing or old, instead of
 * sorting all waiting jobs.
 */
export const SETTINGS = `set_config('idle_in_transaction_session_timeout', '10s', true),
  set_config('enable_bitmapscan', 'off', true)`

/** Stores all jobs, or rejects. pg-boss itself silently stores nothing if the queue does not exist. */
export async function insertAll(
  engine: PgBossEngine,
  queue: string,
  jobs: readonly NewJob[],
  db?: SqlRunner,
): Promise<void> {
  for (let left = jobs.slice(); left.length > 0; ) {
    const some = left.splice(0, countTogether(left))
    const stored = await engine.insert(queue, some, { returnId: true, ...(db && { db }) })
    if (stored?.length === some.length) continue
    const message = `pg-boss did not store all notifications. Was its queue ${queue} deleted?`
    throw new InboxError('inbox_unavailable', message)
  }
}

/** Deletes jobs. pg-boss itself rejects an empty list. */
export async function deleteAll(
  engine: PgBossEngine,
  queue: string,
  ids: string[],
  db: SqlRunner,
): Promise<void> {
  if (ids.length > 0) await engine.deleteJob(queue, ids, { db })
}

const TOGETHER_CHARACTERS = 8 * 1024 * 1024

/** How many of the first jobs fit into one batch, whose JSON must fit into one string. */
export function countTogether(jobs: readonly NewJob[]): number {
  let characters = 0
  const tooMany = jobs.findIndex(({ data }, index) => {
    characters += data.body?.length ?? 0
    return index > 0 && characters > TOGETHER_CHARACTERS
  })
  return tooMany === -1 ? jobs.length : tooMany
}
