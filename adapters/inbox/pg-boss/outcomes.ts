import type { Settlement } from '../../../src/inbox/lease-store.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  fromJobOutput,
  insertAll,
  type Job,
  type JobPast,
  type NewJob,
  newJob,
  type PgBossEngine,
  pastOf,
  type SqlRunner,
} from './engine.ts'
import { keysOf, wake } from './exclusion.ts'
import { priorityOf } from './priorities.ts'

export type Ended = Settlement & { readonly job: Job }

/**
 * Stores the results of jobs, except those that this process no longer holds. A retry is stored as a new job
 * with the same id: pg-boss's own `fail` cannot set its time, and its `update` reads the whole table.
 *
 * @returns the keys of the jobs for which none was parked
 */
export async function storeOutcomes(
  engine: PgBossEngine,
  connection: PgBossConnection,
  ended: readonly Ended[],
  db: SqlRunner,
): Promise<number[]> {
  if (ended.length === 0) return []
  const { queue, deadQueue } = connection.queues
  const keys = keysOf(ended.map(({ job }) => job))
  const { active, parked } = await connection.leaseTable.lockActive(db, ended.map(idOf), keys)
  const held = ended.filter(({ job }) => {
    const row = active.get(job.id)
    // With the id, the retry count and the time identify a lease. The driver cuts off microseconds.
    const isSame = row?.retry_count === job.retryCount
    return isSame && Math.abs(row.created * 1_000 - Number(job.createdOn)) < 1.5
  })
  const {
    completed = [],
    dead = [],
    retry = [],
    return: returned = [],
  } = Object.groupBy(held, (each) => each.to)
  const again = [...retry, ...returned]
  if (completed.length > 0) await engine.complete(queue, completed.map(idOf), undefined, { db })
  await deleteAll(engine, queue, [...again, ...dead].map(idOf), db)
  await insertAll(engine, queue, again.map(toNewJob), db)
  await insertAll(engine, deadQueue, dead.map(toNewJob), db)
  await wake(engine, connection, parked, db)
  return keys.filter((key) => !parked.includes(key))
}

function toNewJob(ended: Ended): NewJob {
  const { id, data } = ended.job
  const past = pastAfter(ended)
  const startAfter = ended.to === 'retry' ? Math.max(0, Math.ceil(ended.dueAt - Date.now())) / 1_000 : 0
  return newJob(id, { ...data, past }, { priority: priorityOf(past.crashes, startAfter), startAfter })
}

function pastAfter({ job, lease, ...ended }: Ended): JobPast {
  const { attempt, crashes, cutOffs } = lease
  const past = pastOf(job.data)
  if (ended.to === 'retry')
    return { ...past, attempts: attempt, crashes: ended.crashes, cutOffs, error: ended.error }
  if (ended.to === 'dead') return { ...past, attempts: attempt, crashes, cutOffs, error: ended.error }
  // The attempt does not count.
  const error = fromJobOutput(job.output) ?? past.error
  return {
    ...past,
    attempts: attempt - 1,
    crashes,
    cutOffs: 'cutOffs' in ended ? ended.cutOffs : cutOffs,
    error,
  }
}

function idOf({ job }: Ended): string {
  return job.id
}
