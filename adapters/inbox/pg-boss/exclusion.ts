import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  fromJobOutput,
  insertAll,
  type Job,
  type JobData,
  type NewJob,
  newJob,
  type PgBossEngine,
  pastOf,
  type SqlRunner,
  subjectOf,
} from './engine.ts'
import { parkedPriority, wokenPriority } from './priorities.ts'
import type { JobRow } from './table.ts'

/*
 * One notification about a subject at a time. A subject is busy as long as it has an active job. What is
 * fetched meanwhile is parked: stored anew with a priority that no fetch includes. The transaction that ends
 * the active job wakes the oldest. Both hold the lock of the subject, so that none is parked after the last
 * look for it.
 */

/**
 * Parks those of the fetched jobs whose subject is busy, and wakes what was parked for a job that has ended.
 *
 * @param freed the keys of jobs that ended in this transaction
 * @returns the other jobs, and whether another fetch may find more
 */
export async function separate(
  engine: PgBossEngine,
  connection: PgBossConnection,
  found: readonly Job[],
  freed: readonly number[],
  db: SqlRunner,
): Promise<{ free: Job[]; isChanged: boolean }> {
  const { queue } = connection.queues
  const subjects = subjectsOf(found)
  if (subjects.length + freed.length === 0) return { free: [...found], isChanged: false }
  const ids = found.map(({ id }) => id)
  const { busy, parked } = await connection.leaseTable.examine(db, subjects, ids, freed)
  const taken = new Set(busy)
  const { free = [], late = [] } = Object.groupBy(found, ({ data }) => {
    const subject = subjectOf(data)
    if (subject === undefined) return 'free'
    if (taken.has(subject)) return 'late'
    taken.add(subject)
    return 'free'
  })
  if (late.length > 0) {
    const next = await connection.leaseTable.lockNext(db, subjectsOf(late))
    await storeAnew(engine, queue, [...late.map(jobToParked), ...next.map(rowToParked)], db)
  }
  const takenKeys = parked.length === 0 ? [] : Array.from(taken, parkedPriority)
  const forgotten = parked.filter((key) => !takenKeys.includes(key))
  await wake(engine, connection, forgotten, db)
  return { free, isChanged: late.length + forgotten.length > 0 }
}

/** Makes the oldest parked job with each of the keys due. If it is suspect, also the next. */
export async function wake(
  engine: PgBossEngine,
  { queues, leaseTable }: PgBossConnection,
  keys: readonly number[],
  db: SqlRunner,
): Promise<void> {
  for (let left = keys; left.length > 0; ) {
    const rows = await leaseTable.lockParked(db, left)
    await storeAnew(engine, queues.queue, rows.map(toWoken), db)
    left = keysOf(rows.filter(({ data }) => pastOf(data).crashes >= SUSPECT_CRASHES))
  }
}

/** Wakes what waits for a job that ended in another way, such as with pg-boss's own tools. */
export async function wakeForgotten(
  engine: PgBossEngine,
  connection: PgBossConnection,
  db: SqlRunner,
): Promise<void> {
  await wake(engine, connection, await connection.leaseTable.findForgotten(db), db)
}

function toWoken({ id, data, due }: JobRow): NewJob {
  return newJob(id, data, {
    priority: wokenPriority(pastOf(data).crashes),
    startAfter: new Date(due * 1_000),
  })
}

function jobToParked({ retryCount, ...job }: Job): NewJob {
  return toParked({ ...job, counted: retryCount })
}

function rowToParked({ id, data, output, due, retry_count, started }: JobRow): NewJob {
  const counted = retry_count + Number(started !== null)
  return toParked({ id, data, output, startAfter: new Date(due * 1_000), counted })
}

type Parking = Pick<Job, 'id' | 'data' | 'output' | 'startAfter'> & {
  /** The attempts that pg-boss counted since the job was stored. */
  readonly counted: number
}

function toParked({ id, data, output, startAfter, counted }: Parking): NewJob {
  const settings = { priority: parkedPriority(subjectOf(data) ?? id), startAfter }
  if (counted === 0) return newJob(id, data, settings)
  const past = pastOf(data)
  const error = fromJobOutput(output) ?? past.error
  return newJob(id, { ...data, past: { ...past, attempts: past.attempts + counted, error } }, settings)
}

async function storeAnew(
  engine: PgBossEngine,
  queue: string,
  jobs: readonly NewJob[],
  db: SqlRunner,
): Promise<void> {
  await deleteAll(
    engine,
    queue,
    jobs.map(({ id }) => id),
    db,
  )
  await insertAll(engine, queue, jobs, db)
}

type About = readonly { readonly data: JobData }[]

function subjectsOf(jobs: About): string[] {
  return [...new Set(jobs.flatMap(({ data }) => subjectOf(data) ?? []))]
}

/** The keys of the subjects. */
export function keysOf(jobs: About): number[] {
  return [...new Set(subjectsOf(jobs).map(parkedPriority))]
}
