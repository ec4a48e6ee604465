import type { DatabaseSync } from 'node:sqlite'
import { concurrencyKeyOf } from '../../../src/inbox/entry-rules.ts'
import type { Lease, LeaseStore, Settlement } from '../../../src/inbox/lease-store.ts'
import type { Write } from './group-commit.ts'
import { createParking } from './parking.ts'
import { createReader, LEASE } from './row.ts'
import { STATE } from './schema.ts'
import { createTaking } from './taking.ts'
import { createWorkerLock, isAlive, type WorkerLock } from './worker-lock.ts'

/** How many leases of a dead process are taken over at once. It is limited, since their bodies are read. */
const RECOVERED_AT_ONCE = 100

/** @param database one that commits without a sync: what a loss of power undoes is handled again */
export function createLeaseStore(
  database: DatabaseSync,
  write: Write,
  path: string,
  oneAtATime: boolean,
  now: () => number,
): LeaseStore {
  const sql = prepareLeases(database)
  const taking = createTaking(database, oneAtATime, now)
  const { toLease } = createReader(database)
  const { wake } = createParking(database)
  let lock: WorkerLock | undefined
  let isPaused = false

  /** Call it before a write: each start creates a new worker, and a write of the one before may be late. */
  const mine = () => lock?.worker ?? ''

  function takeOver(worker: string, by: string): Lease[] {
    const rows = sql.heldBy.all(worker)
    for (const { id } of rows) sql.takeOver.run(by, id as number)
    return rows.map((row) => toLease(row, Number(row.attempts)))
  }

  /** A machine may boot with a clock that is years ahead until the network corrects it. */
  async function mendDelays(): Promise<void> {
    const began = sql.last.get()?.started_at
    if (Number(began) > now()) await write(() => void sql.mend.run(now()))
  }

  function settle(settlement: Settlement, worker: string): void {
    const id = Number(settlement.lease.id)
    if (settlement.to === 'dead') sql.finish.run(STATE.dead, settlement.error, now(), id, worker)
    else if (settlement.to === 'completed')
      sql.finish.run(STATE.completed, settlement.note ?? null, now(), id, worker)
    else {
      const { to, error = null, delayMs, crashes } = settlement
      const time = now()
      sql.retry.run(to === 'return' ? 1 : 0, error, time + Math.ceil(delayMs), time, crashes, id, worker)
    }
  }

  return {
    async open() {
      lock = createWorkerLock(path)
    },
    async settleAndLease(settlements, limit) {
      // Checked without the write lock, since usually nothing is due.
      if (settlements.length === 0 && (isPaused || !taking.isAnyDue())) return []
      const worker = mine()
      return await write(() => {
        for (const settlement of settlements) settle(settlement, worker)
        const reserved = taking.reserved()
        const freed = settlements.map(({ lease }) => concurrencyKeyOf(lease))
        wake(freed.filter((key) => !reserved.has(key)))
        return taking.takeDue(worker, isPaused ? 0 : limit, reserved)
      })
    },
    async look() {
      isPaused = sql.file.get()?.paused_at !== null
      return { isDue: true, isSuspectDue: !isPaused && taking.isSuspectDue(), mayRecover: true }
    },
    async leaseSuspect() {
      if (isPaused) return undefined
      const worker = mine()
      return await write(() => taking.takeSuspect(worker))
    },
    async recover() {
      const by = mine()
      await mendDelays()
      for (const { worker } of sql.holders.all(by)) {
        if (isAlive(path, String(worker))) continue
        return await write(() => takeOver(String(worker), by))
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
  const free = 'worker = null, busy_key = null'
  return {
    /** When the delay of the entry began that is due last. */
    last: database.prepare(`
      select started_at from work indexed by work_by_due_at where state = ${delayed} order by due_at desc limit 1
    `),
    mend: database.prepare(`
      update work set due_at = ?1, started_at = ?1 where state = ${delayed} and started_at > ?1
    `),
    finish: database.prepare(
      `update work set state = ?, ${free}, error = ?, finished_at = ? where ${isHeld}`,
    ),
    retry: database.prepare(`
      update work set state = ${delayed}, ${free}, attempts = attempts - ?, error = coalesce(?, error), due_at = ?,
        started_at = ?, crashes = ? where ${isHeld}
    `),
    file: database.prepare('select paused_at from file'),
    holders: database.prepare(`select distinct worker from work where state = ${active} and worker <> ?`),
    heldBy: database.prepare(`
      select ${LEASE}, body from work join notification using (id)
        where state = ${active} and worker = ? limit ${RECOVERED_AT_ONCE}
    `),
    takeOver: database.prepare('update work set worker = ? where id = ?'),
  }
}
