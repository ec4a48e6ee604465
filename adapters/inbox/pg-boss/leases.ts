import type { Lease, LeaseStore } from '../../../src/inbox/lease-store.ts'
import type { PgBossConnection } from './connection.ts'
import {
  type FetchSettings,
  inTransaction,
  onceConnectionsAllow,
  type PgBossEngine,
  type SqlRunner,
} from './engine.ts'
import { fromJobData, pastOf } from './job.ts'
import { type Held, storeOutcomes, toAttempt } from './outcomes.ts'
import { type JobTable, type QueueNames, SUSPECT_PRIORITY } from './table.ts'

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

/** What a worker remembers from an `open()` to its `close()`. */
interface Session {
  /** Jobs that get heartbeats. */
  readonly held: Set<Held>
  /** Whether the last fetch may have left due jobs. */
  isMoreDue: boolean
  recoversAt: number
  /** Whether the queue has the options of this inbox. */
  isConfigured: boolean
  isOpen: boolean
}

/** A lease store on pg-boss's own `fetch`, `complete` and `touch`. */
export function createLeaseStore(
  connection: PgBossConnection,
  queues: QueueNames,
  table: JobTable,
): LeaseStore {
  const { queue } = queues
  const jobs = new WeakMap<Lease, Held>()
  let session: Session
  let lastQuery: Promise<unknown> = Promise.resolve()

  /**
   * One transaction at a time: heartbeats and results of the same jobs would block each other, and puts need the
   * other connections.
   */
  function transact<Result>(
    work: (engine: PgBossEngine, db: SqlRunner) => Promise<Result>,
    setsItself = false,
  ): Promise<Result> {
    const current = session
    const result = lastQuery.then(async () => {
      try {
        const engine = await onceConnectionsAllow(() => connection.ready())
        if (!current.isConfigured) await onceConnectionsAllow(() => connection.configure())
        current.isConfigured = true
        return await inTransaction(engine, (db) => work(engine, db), setsItself)
      } catch (error) {
        connection.invalidate()
        current.recoversAt = performance.now() + RECOVER_MS
        throw error
      }
    })
    lastQuery = result.catch(() => {})
    return result
  }

  /** @param held of the session before the query: a `close()` since then has ended the heartbeats */
  function hold(found: readonly Held[], held: Set<Held>): Lease[] {
    return found.map((job) => {
      const { attempts, deaths, cutOffs } = pastOf(job.data)
      const attempt = attempts + job.retryCount + 1
      const lease = { id: job.id, ...fromJobData(job.data), attempt, deaths, cutOffs }
      jobs.set(lease, job)
      held.add(job)
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
    const held = found.map((job) => ({ ...job, created: new Date(job.createdOn).getTime() }))
    return held.sort((a, b) => a.created - b.created)
  }

  /** Sends heartbeats until the session is closed. The worker reports an outage. */
  function keepAlive(opened: Session): void {
    setTimeout(async () => {
      if (!opened.isOpen) return
      const attempts = [...opened.held].map(toAttempt)
      if (attempts.length > 0)
        await transact((engine, db) => engine.touch(queue, attempts, { db })).catch(() => {})
      keepAlive(opened)
    }, HEARTBEAT_MS).unref()
  }

  return {
    async open() {
      const recoversAt = performance.now() + RECOVER_MS
      session = { held: new Set(), isMoreDue: false, recoversAt, isConfigured: false, isOpen: true }
      keepAlive(session)
    },
    async settleAndLease(settled, limit) {
      const current = session
      const ended = settled.map((each) => ({ ...each, job: jobs.get(each.lease) as Held }))
      const most = Math.min(limit, FETCHED_AT_ONCE)
      const taken = await transact(async (engine, db) => {
        await storeOutcomes(engine, table, queues, ended, db)
        return most === 0 ? [] : await fetch(engine, most, { minPriority: SUSPECT_PRIORITY + 1 }, db)
      }, ended.length > 0)
      current.isMoreDue = taken.length === most
      for (const { job } of ended) current.held.delete(job)
      return hold(taken, current.held)
    },
    isSuspectDue: () => transact((_, db) => table.isSuspectDue(db)),
    async leaseSuspect() {
      const { held } = session
      const taken = await transact((engine, db) => fetch(engine, 1, { maxPriority: SUSPECT_PRIORITY }, db))
      return hold(taken, held)[0]
    },
    async recover() {
      const current = session
      if (performance.now() < current.recoversAt) return []
      const found = await transact(async (engine, db) => {
        const own = [...current.held].map(({ id }) => id)
        const rows = await table.lockAbandoned(db, LEASE_SECONDS, own)
        const abandoned = rows.map(({ id, retry_count, created, data, output }) => {
          return { id, retryCount: retry_count, created: created * 1_000, data, output }
        })
        if (abandoned.length > 0) await engine.touch(queue, abandoned.map(toAttempt), { db })
        return abandoned
      })
      if (found.length === 0) current.recoversAt = performance.now() + RECOVER_MS
      return hold(found, current.held)
    },
    // The worker reports an outage, and a late deletion does no harm.
    tidy: () => connection.tidy().catch(() => {}),
    // A query would read all waiting jobs. The worker polls anyway.
    nextDueAt: async () => (session.isMoreDue ? Date.now() : undefined),
    async close() {
      session.isOpen = false
    },
  }
}
