import type { DatabaseSync } from 'node:sqlite'
import { MAX_AFTER_MS } from '../../../src/errors.ts'
import { concurrencyKeyOf } from '../../../src/inbox/entry-rules.ts'
import type { Lease, LeaseStore, Settlement } from '../../../src/inbox/lease-store.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { createParking } from './parking.ts'
import { createReader, LEASE } from './row.ts'
import { STATE } from './schema.ts'
import { createTaking } from './taking.ts'
import { createWorkerLock, isAlive, type WorkerLock } from './worker-lock.ts'

/** How long a write may wait for another process before it fails. */
const BUSY_LIMIT_MS = 1_000
/** How many leases of a dead process are taken over at once. It is limited, since their bodies are read. */
const RECOVERED_AT_ONCE = 100

interface LeaseOptions {
  readonly path: string
  readonly maxRetryDelayMs: number
  readonly oneAtATime: boolean
  readonly now: () => number
  readonly log: LogState
}

/** @param database one that commits without a sync: what a loss of power undoes is handled again */
export function createLeaseStore(
  database: DatabaseSync,
  { path, maxRetryDelayMs, oneAtATime, now, log }: LeaseOptions,
): LeaseStore {
  const write = createGroupCommit(database, log, { busyLimitMs: BUSY_LIMIT_MS })
  const sql = prepareLeases(database)
  const taking = createTaking(database, oneAtATime, now)
  const { toLease } = createReader(database)
  const { wake } = createParking(database)
  /** The worker that took a lease. Each start creates a new worker. */
  const holders = new WeakMap<Lease, string>()
  let lock: WorkerLock | undefined
  let isPaused = false
  let spreadUntil = 0

  const mine = () => lock?.worker ?? ''

  function hold(leases: Lease[]): Lease[] {
    for (const lease of leases) holders.set(lease, mine())
    return leases
  }

  function takeOver(worker: string): Lease[] {
    const rows = sql.heldBy.all(worker)
    for (const { id } of rows) sql.takeOver.run(mine(), id as number)
    return hold(rows.map((row) => toLease(row, Number(row.attempts))))
  }

  /** A machine may boot with a clock that is years ahead until the network corrects it. */
  async function limitDelays(): Promise<void> {
    const latest = Math.max(now() + Math.max(maxRetryDelayMs, MAX_AFTER_MS), spreadUntil)
    if (sql.lateDelay.get(latest) !== undefined) await write(() => void sql.limitDelays.run(latest, latest))
  }

  function settle(settlement: Settlement, worker: string): void {
    const id = Number(settlement.lease.id)
    if (settlement.to === 'dead') sql.finish.run(STATE.dead, settlement.error, now(), id, worker)
    else if (settlement.to === 'completed')
      sql.finish.run(STATE.completed, settlement.note ?? null, now(), id, worker)
    else {
      const { to, error = null, dueAt, crashes } = settlement
      sql.retry.run(to === 'return' ? 1 : 0, error, Math.ceil(dueAt), crashes, id, worker)
    }
  }

  return {
    async open() {
      lock = createWorkerLock(path)
    },
    async settleAndLease(settlements, limit) {
      // Checked without the write lock, since usually nothing is due.
      if (settlements.length === 0 && (isPaused || !taking.isAnyDue())) return []
      return await write(() => {
        for (const settlement of settlements) settle(settlement, holders.get(settlement.lease) ?? '')
        const reserved = taking.reserved()
        const freed = settlements.map(({ lease }) => concurrencyKeyOf(lease))
        wake(freed.filter((key) => !reserved.has(key)))
        return hold(taking.takeDue(mine(), isPaused ? 0 : limit, reserved))
      })
    },
    async look() {
      const file = sql.file.get()
      isPaused = file?.paused_at !== null
      spreadUntil = Number(file?.spread_until)
      return { isDue: true, isSuspectDue: !isPaused && taking.isSuspectDue(), mayRecover: true }
    },
    async leaseSuspect() {
      if (isPaused) return undefined
      return await write(() => {
        const suspect = taking.takeSuspect(mine())
        return suspect && hold([suspect])[0]
      })
    },
    async recover() {
      await limitDelays()
      for (const { worker } of sql.holders.all(mine())) {
        if (isAlive(path, String(worker))) continue
        return await write(() => takeOver(String(worker)))
      }
      return []
    },
    nextDueAt: async () => (isPaused ? undefined : taking.nextDueAt()),
    async close() {
      lock?.release()
      lock = undefined
    },
  }
}

function prepareLeases(database: DatabaseSync) {
  const { active, delayed } = STATE
  const isHeld = `id = ? and state = ${active} and worker = ?`
  const delays = 'work indexed by work_by_due_at'
  const areLate = `where state = ${delayed} and due_at > ?`
  const free = 'worker = null, busy_key = null'
  return {
    lateDelay: database.prepare(`select 1 from ${delays} ${areLate} limit 1`),
    limitDelays: database.prepare(`update ${delays} set due_at = ? ${areLate}`),
    finish: database.prepare(
      `update work set state = ?, ${free}, error = ?, finished_at = ? where ${isHeld}`,
    ),
    retry: database.prepare(`
      update work set state = ${delayed}, ${free}, attempts = attempts - ?, error = coalesce(?, error), due_at = ?,
        crashes = ? where ${isHeld}
    `),
    file: database.prepare('select paused_at, spread_until from file'),
    holders: database.prepare(`select distinct worker from work where state = ${active} and worker <> ?`),
    heldBy: database.prepare(`
      select ${LEASE}, body from work join notification using (id)
        where state = ${active} and worker = ? limit ${RECOVERED_AT_ONCE}
    `),
    takeOver: database.prepare('update work set worker = ? where id = ?'),
  }
}
