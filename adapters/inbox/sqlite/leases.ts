import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'
import type { Lease, LeaseStore, Settlement } from '../../../src/inbox/lease-store.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { STATE } from './schema.ts'
import { createWorkerLock, isAlive, type WorkerLock } from './worker-lock.ts'

/** How long a write may wait for another process before it fails. */
const BUSY_LIMIT_MS = 1_000
/** How many leases of a dead process are taken over at once. It is limited, since their bodies are read. */
const RECOVERED_AT_ONCE = 100

type Row = Record<string, SQLOutputValue>

interface LeaseOptions {
  readonly path: string
  readonly maxRetryDelayMs: number
  /** Whether completed notifications are kept. */
  readonly keepCompleted: boolean
  readonly now: () => number
  readonly log: LogState
}

/**
 * Leases in a SQLite database.
 *
 * @param database a connection that commits without a sync: what a loss of power undoes is handled again
 */
export function createLeaseStore(
  database: DatabaseSync,
  { path, maxRetryDelayMs, keepCompleted, now, log }: LeaseOptions,
): Omit<LeaseStore, 'tidy'> {
  const write = createGroupCommit(database, log, BUSY_LIMIT_MS)
  const sql = prepareLeases(database)
  /** The worker that took a lease. Each start creates a new worker. */
  const holders = new WeakMap<Lease, string>()
  let lock: WorkerLock | undefined

  const mine = () => lock?.worker ?? ''

  function hold(leases: Lease[]): Lease[] {
    for (const lease of leases) holders.set(lease, mine())
    return leases
  }

  function take(rows: Row[]): Lease[] {
    for (const row of rows) sql.take.run(mine(), row.id as number)
    return hold(rows.map((row) => toLease(row, Number(row.attempts) + 1)))
  }

  /** The entries that are due and not suspect, oldest first. */
  function due(limit: number): Row[] {
    // A ready entry is due from the moment it arrived.
    const since = ({ due_at, received_at }: Row) => Number(due_at ?? received_at)
    const rows = [...sql.ready.all(limit), ...sql.delayed.all(now(), limit)]
    return rows.sort((a, b) => since(a) - since(b)).slice(0, limit)
  }

  function takeOver(worker: string): Lease[] {
    const rows = sql.heldBy.all(worker)
    for (const { id } of rows) sql.takeOver.run(mine(), id as number)
    return hold(rows.map((row) => toLease(row, Number(row.attempts))))
  }

  /** A machine may boot with a clock that is years ahead until the network corrects it. */
  async function limitDelays(): Promise<void> {
    const latest = now() + maxRetryDelayMs
    if (sql.lateDelay.get(latest) !== undefined) await write(() => void sql.limitDelays.run(latest, latest))
  }

  return {
    async open() {
      lock = createWorkerLock(path)
    },
    async settleAndLease(settlements, limit) {
      // Checked without the write lock, since usually nothing is due.
      if (settlements.length === 0 && sql.isAnyDue.get(now()) === undefined) return []
      return await write(() => {
        for (const settlement of settlements) {
          settle(sql, settlement, holders.get(settlement.lease) ?? '', now(), keepCompleted)
        }
        return limit === 0 ? [] : take(due(limit))
      })
    },
    isSuspectDue: async () => sql.suspect.get(now()) !== undefined,
    leaseSuspect: () => write(() => take(sql.suspect.all(now()))[0]),
    async recover() {
      await limitDelays()
      for (const { worker } of sql.holders.all(mine())) {
        if (isAlive(path, String(worker))) continue
        return await write(() => takeOver(String(worker)))
      }
      return []
    },
    async nextDueAt() {
      const dueAt = sql.nextDueAt.get()?.due_at
      return dueAt === undefined ? undefined : Number(dueAt)
    },
    async close() {
      lock?.release()
      lock = undefined
    },
  }
}

function settle(
  sql: ReturnType<typeof prepareLeases>,
  settlement: Settlement,
  worker: string,
  time: number,
  keepCompleted: boolean,
): void {
  const id = Number(settlement.lease.id)
  if (settlement.to === 'retry')
    sql.retry.run(settlement.error, Math.ceil(settlement.dueAt), settlement.crashes, id, worker)
  else if (settlement.to === 'return') sql.giveBack.run(time, settlement.cutOffs, id, worker)
  else if (settlement.to === 'dead') sql.bury.run(time, settlement.error, id, worker)
  else if (keepCompleted) sql.complete.run(time, id, worker)
  else if (sql.remove.run(id, worker).changes > 0) sql.removeBody.run(id)
}

function prepareLeases(database: DatabaseSync) {
  const { dead, completed, active, delayed, ready } = STATE
  const isHeld = `id = ? and state = ${active} and worker = ?`
  const lease = `
    select id, signature, client_id, received_at, body, attempts, crashes, cut_offs, due_at
      from work join notification using (id)
  `
  const others = `due_at is not null and crashes < ${SUSPECT_CRASHES}`
  return {
    isAnyDue: database.prepare(`
      select 1 where exists (select 1 from work where state = ${ready})
        or exists (select 1 from work where due_at <= ? and ${others})
    `),
    nextDueAt: database.prepare(`select due_at from work where ${others} order by due_at limit 1`),
    ready: database.prepare(`${lease} where state = ${ready} order by id limit ?`),
    delayed: database.prepare(`${lease} where due_at <= ? and ${others} order by due_at limit ?`),
    lateDelay: database.prepare('select 1 from work where due_at > ? limit 1'),
    limitDelays: database.prepare('update work set due_at = ? where due_at > ?'),
    suspect: database.prepare(
      `${lease} where due_at <= ? and crashes >= ${SUSPECT_CRASHES} order by due_at limit 1`,
    ),
    take: database.prepare(
      `update work set state = ${active}, worker = ?, attempts = attempts + 1, due_at = null where id = ?`,
    ),
    complete: database.prepare(
      `update work set state = ${completed}, worker = null, error = null, finished_at = ? where ${isHeld}`,
    ),
    remove: database.prepare(`delete from work where ${isHeld}`),
    removeBody: database.prepare('delete from notification where id = ?'),
    retry: database.prepare(
      `update work set state = ${delayed}, worker = null, error = ?, due_at = ?, crashes = ? where ${isHeld}`,
    ),
    bury: database.prepare(
      `update work set state = ${dead}, worker = null, finished_at = ?, error = ? where ${isHeld}`,
    ),
    giveBack: database.prepare(`
      update work set state = ${delayed}, worker = null, due_at = ?, cut_offs = ?, attempts = attempts - 1
        where ${isHeld}
    `),
    holders: database.prepare(`select distinct worker from work where state = ${active} and worker <> ?`),
    heldBy: database.prepare(`${lease} where state = ${active} and worker = ? limit ${RECOVERED_AT_ONCE}`),
    takeOver: database.prepare('update work set worker = ? where id = ?'),
  }
}

function toLease(row: Row, attempt: number): Lease {
  return {
    id: String(row.id),
    signature: String(row.signature),
    clientId: String(row.client_id),
    receivedAt: new Date(Number(row.received_at)),
    rawBody: row.body as Uint8Array,
    attempt,
    crashes: Number(row.crashes),
    cutOffs: Number(row.cut_offs),
  }
}
