import type { FetchOptions } from 'pg-boss'
import { toIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import type { Lease, LeaseStore, Outlook, Settlement } from '../../../src/inbox/lease-store.ts'
import { fromStored } from '../../../src/inbox/stored-notification.ts'
import type { PgBossConnection, Work } from './connection.ts'
import {
  type Job,
  type JobData,
  onceConnectionsAllow,
  type PgBossEngine,
  pastOf,
  type SqlRunner,
} from './engine.ts'
import { separate, wakeForgotten } from './exclusion.ts'
import { look } from './look-function.ts'
import { storeOutcomes } from './outcomes.ts'
import { priorityIn, SUSPECT_PRIORITY } from './priorities.ts'

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

type Session = ReturnType<typeof createSession>

/** What a worker remembers from an `open()` to its `close()`. */
function createSession() {
  return {
    /** Jobs that get heartbeats. */
    held: new Set<Job>(),
    /** Whether the last fetch may have left due jobs. */
    isMoreDue: false,
    recoversAt: performance.now() + RECOVER_MS,
    /** Whether retries that waited long may be due. */
    isOverdue: false,
    /** Whether the queue has the options of this inbox. */
    isConfigured: false,
    isOpen: true,
  }
}

/** A lease store on pg-boss's own `fetch`, `complete` and `touch`. */
export class PgBossLeases implements LeaseStore {
  readonly #connection: PgBossConnection
  readonly #queue: string
  readonly #oneAtATime: boolean
  readonly #jobs = new WeakMap<Lease, Job>()
  #session = createSession()
  #lastWork: Promise<unknown> = Promise.resolve()

  constructor(connection: PgBossConnection, { oneAtATime }: Pick<CheckedInboxOptions, 'oneAtATime'>) {
    this.#connection = connection
    this.#oneAtATime = oneAtATime
    this.#queue = connection.queues.queue
  }

  async open(): Promise<void> {
    this.#session = createSession()
    this.#keepAlive(this.#session)
  }

  async settleAndLease(settled: readonly Settlement[], limit: number): Promise<Lease[]> {
    const session = this.#session
    const ended = settled.map((each) => ({ ...each, job: this.#jobs.get(each.lease) as Job }))
    const most = Math.min(limit, FETCHED_AT_ONCE)
    const taken = await this.#transact(async (db, engine) => {
      const freed = await storeOutcomes(engine, this.#connection, ended, db)
      const found = most === 0 ? [] : await this.#fetch(engine, most, db)
      const { free, isChanged } = await this.#separate(engine, found, freed, db)
      session.isMoreDue = found.length === most || isChanged
      return free
    }, ended.length > 0)
    for (const { job } of ended) session.held.delete(job)
    return this.#hold(taken, session)
  }

  async look(): Promise<Outlook> {
    const session = this.#session
    const isTime = performance.now() >= session.recoversAt
    const held = isTime ? [...session.held].map(({ id }) => id) : undefined
    const { queues } = this.#connection
    const found = await this.#inTurn(() =>
      this.#connection.ask((db) => look(db, queues, LEASE_SECONDS, held)),
    )
    session.isOverdue = found.isOverdue
    if (isTime && !found.mayRecover) session.recoversAt = performance.now() + RECOVER_MS
    return found
  }

  async leaseSuspect(): Promise<Lease | undefined> {
    const session = this.#session
    const suspects = { maxPriority: SUSPECT_PRIORITY }
    const taken = await this.#transact(async (db, engine) => {
      const found = await fetch(engine, this.#queue, 1, { ...suspects, db })
      return (await this.#separate(engine, found, [], db)).free
    })
    return this.#hold(taken, session)[0]
  }

  async recover(): Promise<Lease[]> {
    const session = this.#session
    const found = await this.#transact(async (db, engine) => {
      await wakeForgotten(engine, this.#connection, db)
      const own = [...session.held].map(({ id }) => id)
      const rows = await this.#connection.leaseTable.lockAbandoned(db, LEASE_SECONDS, own)
      const abandoned = rows.map(({ id, retry_count, created, due, data, output }) => {
        const [createdOn, startAfter] = [new Date(created * 1_000), new Date(due * 1_000)]
        return { id, retryCount: retry_count, createdOn, startAfter, data, output }
      })
      if (abandoned.length > 0) await engine.touch(this.#queue, abandoned, { db })
      return abandoned
    })
    if (found.length === 0) session.recoversAt = performance.now() + RECOVER_MS
    return this.#hold(found, session)
  }

  /** The worker reports an outage, and a late deletion does no harm. */
  tidy(): Promise<unknown> {
    return this.#connection.tidy().catch(() => {})
  }

  /** A query would read all waiting jobs. The worker polls anyway. */
  async nextDueAt(): Promise<number | undefined> {
    return this.#session.isMoreDue ? Date.now() : undefined
  }

  async close(): Promise<void> {
    this.#session.isOpen = false
  }

  async #separate(engine: PgBossEngine, found: Job[], freed: readonly number[], db: SqlRunner) {
    if (!this.#oneAtATime) return { free: found, isChanged: false }
    return await separate(engine, this.#connection, found, freed, db)
  }

  /** Fetches due jobs that are not suspect, first retries that waited long. */
  async #fetch(engine: PgBossEngine, most: number, db: SqlRunner): Promise<Job[]> {
    const overdue = { minPriority: priorityIn(), maxPriority: -1, db }
    const late = this.#session.isOverdue ? await fetch(engine, this.#queue, most, overdue) : []
    if (late.length === most) return late
    this.#session.isOverdue = false
    const others = await fetch(engine, this.#queue, most - late.length, { minPriority: 0, db })
    return [...late, ...others]
  }

  #transact<Result>(work: Work<Result>, setsItself = false): Promise<Result> {
    return this.#inTurn(() => this.#connection.transact(work, setsItself))
  }

  /**
   * One transaction at a time: heartbeats and results of the same jobs would block each other, and puts need
   * the other connections.
   */
  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const session = this.#session
    const result = this.#lastWork.then(async () => {
      try {
        if (!session.isConfigured) await onceConnectionsAllow(() => this.#connection.configure())
        session.isConfigured = true
        return await run()
      } catch (error) {
        this.#connection.invalidate()
        session.recoversAt = performance.now() + RECOVER_MS
        throw error
      }
    })
    this.#lastWork = result.catch(() => {})
    return result
  }

  /** @param session from before the query: a `close()` since then has ended its heartbeats */
  #hold(found: readonly Job[], { held }: Session): Lease[] {
    return found.map((job) => {
      const { attempts, crashes, cutOffs, repeats = 0 } = pastOf(job.data)
      const attempt = attempts + job.retryCount + 1
      const idempotencyKey = toIdempotencyKey(job.id, repeats)
      const lease = { id: job.id, idempotencyKey, ...fromStored(job.data), attempt, crashes, cutOffs }
      this.#jobs.set(lease, job)
      held.add(job)
      return lease
    })
  }

  /** Sends heartbeats until the session is closed. The worker reports an outage. */
  #keepAlive(session: Session): void {
    setTimeout(async () => {
      if (!session.isOpen) return
      const beat: Work<unknown> = (db, engine) => engine.touch(this.#queue, [...session.held], { db })
      if (session.held.size > 0) await this.#transact(beat).catch(() => {})
      this.#keepAlive(session)
    }, HEARTBEAT_MS).unref()
  }
}

async function fetch(
  engine: PgBossEngine,
  queue: string,
  batchSize: number,
  settings: FetchOptions,
): Promise<Job[]> {
  const jobs = await engine.fetch<JobData>(queue, { ...settings, includeMetadata: true, batchSize })
  // The order of the fetch, which pg-boss does not keep. Those of a transaction have the same time.
  return jobs.sort(
    (a, b) => b.priority - a.priority || Number(a.createdOn) - Number(b.createdOn) || (a.id < b.id ? -1 : 1),
  )
}
