import type { Settlement } from '../../../src/inbox/lease-store.ts'
import {
  GROUP,
  insertAll,
  type Job,
  type JobAttempt,
  type NewJob,
  type PgBossEngine,
  type SqlRunner,
} from './engine.ts'
import { fromJobOutput, pastOf } from './job.ts'
import { type JobTable, priorityAfter } from './table.ts'

/** A job that this process holds. */
export interface Held extends Pick<Job, 'id' | 'retryCount' | 'data' | 'output'> {
  readonly entryId: string
}

export type Ended = Settlement & { readonly job: Held }

/** Stores the results of jobs, except those that this process no longer holds. */
export async function storeOutcomes(
  engine: PgBossEngine,
  table: JobTable,
  queue: string,
  ended: readonly Ended[],
  db: SqlRunner,
): Promise<void> {
  const completed = ended.filter(({ to }) => to === 'completed').map(({ job }) => toAttempt(job))
  if (completed.length > 0) await engine.complete(queue, completed, undefined, { db })
  const others = ended.filter(({ to }) => to !== 'completed')
  if (others.length > 0) await storeAgain(engine, table, queue, others, db)
}

/**
 * Stores jobs anew with their past attempts. pg-boss's own `fail` cannot set the time of the retry, and its
 * `update` reads the whole table. `fail` then moves the dead jobs, which have no retries, to the dead letter
 * queue.
 */
async function storeAgain(
  engine: PgBossEngine,
  table: JobTable,
  queue: string,
  ended: readonly Ended[],
  db: SqlRunner,
): Promise<void> {
  const attempts = ended.map(({ job }) => ({ ...toAttempt(job), restored: pastOf(job.data).restored }))
  const locked = new Set(await table.lockHeld(db, attempts))
  const ours = new Map(ended.filter(({ job }) => locked.has(job.id)).map((each) => [each.job.id, each]))
  if (ours.size === 0) return
  // The new job gets the id of the original one, which pg-boss keeps as failed if this is a replay.
  const gone = [...ours.values()].flatMap(({ job }) => [job.id, job.entryId])
  await engine.deleteJob(queue, gone, { db })
  await insertAll(engine, queue, [...ours.values()].map(toNewJob), db)

  const byOutput = Map.groupBy(ours.values(), outputOf)
  for (const [output, dead] of byOutput) {
    const ids = dead.map(({ job }) => job.entryId)
    if (output !== undefined) await engine.fail(queue, ids, JSON.parse(output), { db })
  }
}

function toNewJob(ended: Ended): NewJob {
  const { job, lease } = ended
  const { deaths, cutOffs, attempt } = lease
  const { restored, error } = pastOf(job.data)
  const past = { attempts: attempt, restored: restored + 1, deaths, cutOffs, error }
  const base = { id: job.entryId, group: GROUP, priority: priorityAfter(deaths) }
  if (ended.to === 'retry') {
    const startAfter = Math.max(0, Math.ceil(ended.dueAt - Date.now())) / 1_000
    const { error, deaths } = ended
    const data = { ...job.data, past: { ...past, error, deaths } }
    return { ...base, priority: priorityAfter(deaths), startAfter, data }
  }
  if (ended.to === 'return') {
    const left = { attempts: attempt - 1, cutOffs: ended.cutOffs, error: fromJobOutput(job.output) ?? error }
    return { ...base, data: { ...job.data, past: { ...past, ...left } } }
  }
  // A replay starts with the first attempt.
  return { ...base, priority: 0, retryLimit: 0, data: { ...job.data, past: undefined } }
}

/** The output of a dead job. */
function outputOf({ lease, ...ended }: Ended): string | undefined {
  return ended.to === 'dead' ? JSON.stringify({ error: ended.error, attempts: lease.attempt }) : undefined
}

export function toAttempt({ id, retryCount }: Held): JobAttempt {
  return { id, retryCount }
}
