import type { Lease, LeaseStore } from '../../../src/inbox/lease-store.ts'
import type { PgBossConnection } from './connection.ts'
import { type FetchSettings, inTransaction, type PgBossEngine, type SqlRunner } from './engine.ts'
import { fromJobData, pastOf } from './job.ts'
import { type Held, storeOutcomes, toAttempt } from './outcomes.ts'
import { type JobTable, type PgBossPlace, SUSPECT_PRIORITY } from './table.ts'

const HEARTBEAT_MS = 3_000
/** Larger batches are no faster, and delay puts. */
const FETCHED_AT_ONCE = 50
/** How long a crashed process keeps its leases. */
const LEASE_SECONDS = 12
/**
 * How often to look for expired leases, and how long after a start or an outage, so that live processes can
 * send a heartbeat first.
 */
const RECOVER_MS = 4_000
/** How long after a start to recover jobs of older versions of payhook, too. That reads the whole table. */
const RECOVER_OLD_JOBS_MS = 60_000

/** A lease store on pg-boss's own `fetch`, `complete`, `fail` and `touch`. */
export function createLeaseStore(
  connection: PgBossConnection,
  { queue }: PgBossPlace,
  table: JobTable,
): LeaseStore {
  const jobs = new WeakMap<Lease, Held>()
  /** Jobs that get heartbeats, from an `open()` to its `close()`. */
  let held = new Set<Held>()
  let heartbeat: NodeJS.Timeout | undefined
  let isBeating = false
  let reached: Promise<unknown> = Promise.resolve()
  /** Whether the last fetch may have left due jobs. */
  let isMoreDue = false
  let openedAt = 0
  let recoversAt = 0

  /**
   * One query at a time: heartbeats and results of the same jobs would block each other, and puts need the
   * other connections.
   */
  function reach<Answer>(ask: (engine: PgBossEngine) => Promise<Answer>): Promise<Answer> {
    const answer = reached.then(async () => {
      try {
        return await ask(await connection.ready())
      } catch (error) {
        connection.invalidate()
        recoversAt = performance.now() + RECOVER_MS
        throw error
      }
    })
    reached = answer.catch(() => {})
    return answer
  }

  /** @param holding `held` from before the query: a `close()` since then has ended the heartbeats */
  function hold(found: readonly Held[], holding: Set<Held>): Lease[] {
    return found.map((job) => {
      const { attempts, deaths, cutOffs } = pastOf(job.data)
      const attempt = attempts + job.retryCount + 1
      const lease = { id: job.entryId, ...fromJobData(job.data), attempt, deaths, cutOffs }
      jobs.set(lease, job)
      holding.add(job)
      return lease
    })
  }

  async function fetch(
    engine: PgBossEngine,
    batchSize: number,
    priorities: Pick<FetchSettings, 'minPriority' | 'maxPriority'>,
    db: SqlRunner,
  ): Promise<Held[]> {
    const found = await engine.fetch(queue, { includeMetadata: true, batchSize, ...priorities, db })
    const inOrder = found.toSorted((a, b) => Number(a.createdOn) - Number(b.createdOn))
    return inOrder.map((job) => ({ ...job, entryId: job.sourceRootId ?? job.id }))
  }

  async function beat(): Promise<void> {
    if (isBeating) return
    isBeating = true
    try {
      await reach(async (engine) => {
        const attempts = [...held].map(toAttempt)
        if (attempts.length > 0) await engine.touch(queue, attempts)
      })
    } catch {
      // The worker gets the same error, and reports it.
    } finally {
      isBeating = false
    }
  }

  return {
    async open() {
      held = new Set()
      openedAt = performance.now()
      recoversAt = openedAt + RECOVER_MS
      heartbeat = setInterval(beat, HEARTBEAT_MS).unref()
    },
    async settleAndLease(settled, limit) {
      const holding = held
      const ended = settled.map((each) => ({ ...each, job: jobs.get(each.lease) as Held }))
      const most = Math.min(limit, FETCHED_AT_ONCE)
      const taken = await reach((engine) =>
        inTransaction(engine, 'quick', async (db) => {
          await storeOutcomes(engine, table, queue, ended, db)
          return most === 0 ? [] : await fetch(engine, most, { minPriority: SUSPECT_PRIORITY + 1 }, db)
        }),
      )
      isMoreDue = taken.length === most
      for (const { job } of ended) holding.delete(job)
      return hold(taken, holding)
    },
    isSuspectDue: () => reach((engine) => table.isSuspectDue(engine.getDb())),
    async leaseSuspect() {
      const holding = held
      const taken = await reach((engine) =>
        inTransaction(engine, 'quick', (db) => fetch(engine, 1, { maxPriority: SUSPECT_PRIORITY }, db)),
      )
      return hold(taken, holding)[0]
    },
    async recover() {
      if (performance.now() < recoversAt) return []
      const holding = held
      const withOldJobs = performance.now() < openedAt + RECOVER_OLD_JOBS_MS
      const found = await reach((engine) =>
        inTransaction(engine, 'quick', async (db) => {
          const rows = await table.lockAbandoned(db, LEASE_SECONDS, withOldJobs)
          const abandoned = rows.map(({ id, job_id, retry_count, data, output }) => {
            return { id: job_id, entryId: id, retryCount: retry_count, data, output }
          })
          if (abandoned.length > 0) await engine.touch(queue, abandoned.map(toAttempt), { db })
          return abandoned
        }),
      )
      if (found.length === 0) recoversAt = performance.now() + RECOVER_MS
      return hold(found, holding)
    },
    // The worker reports an outage, and a late deletion does no harm.
    tidy: () => connection.tidy().catch(() => {}),
    // A query would read all waiting jobs. The worker polls anyway.
    nextDueAt: async () => (isMoreDue ? Date.now() : undefined),
    async close() {
      clearInterval(heartbeat)
      held = new Set()
    },
  }
}
