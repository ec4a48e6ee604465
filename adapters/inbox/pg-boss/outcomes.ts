import type { Settlement } from '../../../src/inbox/lease-store.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  fromJobOutput,
  GROUP,
  insertAll,
  type Job,
  type JobPast,
  type NewJob,
  type PgBossEngine,
  pastOf,
  type SqlRunner,
} from './engine.ts'
import { priorityOf } from './table.ts'

export type Ended = Settlement & { readonly job: Job }

/**
 * Stores the results of jobs, except those that this process no longer holds. A retry is stored as a new job
 * with the same id: pg-boss's own `fail` cannot set its time, and its `update` reads the whole table.
 */
export async function storeOutcomes(
  engine: PgBossEngine,
  { queues, table }: PgBossConnection,
  ended: readonly Ended[],
  db: SqlRunner,
): Promise<void> {
  if (ended.length === 0) return
  const { queue, deadQueue } = queues
  const active = await table.lockActive(db, ended.map(idOf))
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
}

function toNewJob(ended: Ended): NewJob {
  const { id, data } = ended.job
  const past = pastAfter(ended)
  const startAfter = ended.to === 'retry' ? Math.max(0, Math.ceil(ended.dueAt - Date.now())) / 1_000 : 0
  const priority = priorityOf(past.crashes, startAfter)
  return { id, group: GROUP, priority, startAfter, data: { ...data, past } }
}

function pastAfter({ job, lease, ...ended }: Ended): JobPast {
  const { attempt, crashes, cutOffs } = lease
  if (ended.to === 'retry') return { attempts: attempt, crashes: ended.crashes, cutOffs, error: ended.error }
  if (ended.to === 'dead') return { attempts: attempt, crashes, cutOffs, error: ended.error }
  // The attempt does not count.
  const error = fromJobOutput(job.output) ?? pastOf(job.data).error
  return { attempts: attempt - 1, crashes, cutOffs: 'cutOffs' in ended ? ended.cutOffs : cutOffs, error }
}

function idOf({ job }: Ended): string {
  return job.id
}
