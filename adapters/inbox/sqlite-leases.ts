import type { DatabaseSync } from 'node:sqlite'
import { PROCESS_ENDED } from '../../src/inbox/failure.ts'
import type { Lease, LeaseStore } from '../../src/inbox/lease-store.ts'
import type { DeadNotification } from '../../src/receiver-inbox.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { beginLife, isAlive, type Life } from './sqlite-life.ts'
import { STATE } from './sqlite-migrations.ts'

/** How long a write may wait for another process before the worker is told. */
const BUSY_LIMIT_MS = 1_000

export interface LeaseOptions {
  readonly path: string
  readonly maxAttempts: number
  /** Whether completed notifications are kept at all. */
  readonly keepCompleted: boolean
  readonly now: () => number
}

/**
 * Leases in a SQLite database.
 *
 * @param database a connection that commits without a sync: what a loss of power undoes is handled again
 */
export function createLeaseStore(
  database: DatabaseSync,
  { path, maxAttempts, keepCompleted, now }: LeaseOptions,
): LeaseStore {
  const { write } = createGroupCommit(database, BUSY_LIMIT_MS)
  const sql = prepareLeases(database)
  /** The worker that took a lease, which is not the one of a later start. */
  const holders = new WeakMap<Lease, string>()
  let life: Life | undefined

  const mine = () => life?.worker ?? ''

  function take(limit: number): Lease[] {
    sql.promote.run(now(), limit)
    const ids = sql.take.all(mine(), limit).map(({ id }) => Number(id))
    const leases = ids.sort((a, b) => a - b).map((id) => toLease(sql.read.get(id) ?? {}))
    for (const lease of leases) holders.set(lease, mine())
    return leases
  }

  /** Takes back what a dead worker held; what had its last attempt is dead. */
  function takeBack(worker: string): DeadNotification[] {
    const dead = sql.buryAll
      .all(now(), PROCESS_ENDED, worker, maxAttempts)
      .map(({ id }) => toLease(sql.read.get(Number(id)) ?? {}))
    sql.releaseAll.run(worker)
    return dead.map((lease) => ({ ...lease, attempts: lease.attempt, error: PROCESS_ENDED }))
  }

  function remove(lease: Lease): void {
    if (sql.remove.run(...held(lease)).changes > 0) sql.removeBody.run(Number(lease.id))
  }

  function held(lease: Lease): [id: number, worker: string] {
    return [Number(lease.id), holders.get(lease) ?? '']
  }

  return {
    async open() {
      life = beginLife(path)
    },
    async lease(limit) {
      // Asked without the lock for writing, as mostly there is nothing.
      if (sql.isAnyDue.get(now()) === undefined) return []
      return await write(() => take(limit))
    },
    complete: (lease) =>
      write(() => (keepCompleted ? void sql.complete.run(now(), ...held(lease)) : remove(lease))),
    retry: (lease, error, dueAt) => write(() => void sql.retry.run(Math.ceil(dueAt), error, ...held(lease))),
    bury: (lease, error) => write(() => void sql.bury.run(now(), error, ...held(lease))),
    release: (lease) => write(() => void sql.release.run(...held(lease))),
    async recover() {
      const workers = sql.holders.all(mine()).map(({ worker }) => String(worker))
      const dead = workers.filter((worker) => !isAlive(path, worker))
      return (await Promise.all(dead.map((worker) => write(() => takeBack(worker))))).flat()
    },
    async nextDueAt() {
      const dueAt = sql.nextDueAt.get()?.due_at
      return dueAt == null ? undefined : Number(dueAt)
    },
    async close() {
      life?.end()
      life = undefined
    },
  }
}

function prepareLeases(database: DatabaseSync) {
  const { dead, completed, active, delayed, ready } = STATE
  const held = `id = ? and state = ${active} and worker = ?`
  return {
    isAnyDue: database.prepare(`
      select 1 where exists (select 1 from work where state = ${ready})
        or exists (select 1 from work where due_at <= ?)
    `),
    nextDueAt: database.prepare('select min(due_at) as due_at from work where due_at is not null'),
    promote: database.prepare(`
      update work set state = ${ready}, due_at = null
        where id in (select id from work where due_at <= ? order by due_at limit ?)
    `),
    take: database.prepare(`
      update work set state = ${active}, worker = ?, attempts = attempts + 1
        where id in (select id from work where state = ${ready} order by id limit ?) returning id
    `),
    read: database.prepare(`
      select id, delivery_id, client_id, received_at, body, attempts
        from notification join work using (id) where id = ?
    `),
    complete: database.prepare(
      `update work set state = ${completed}, worker = null, error = null, finished_at = ? where ${held}`,
    ),
    remove: database.prepare(`delete from work where ${held}`),
    removeBody: database.prepare('delete from notification where id = ?'),
    retry: database.prepare(
      `update work set state = ${delayed}, worker = null, due_at = ?, error = ? where ${held}`,
    ),
    bury: database.prepare(
      `update work set state = ${dead}, worker = null, finished_at = ?, error = ? where ${held}`,
    ),
    release: database.prepare(
      `update work set state = ${ready}, worker = null, attempts = attempts - 1 where ${held}`,
    ),
    holders: database.prepare(`select distinct worker from work where state = ${active} and worker <> ?`),
    buryAll: database.prepare(`
      update work set state = ${dead}, worker = null, finished_at = ?, error = ?
        where state = ${active} and worker = ? and attempts >= ? returning id
    `),
    releaseAll: database.prepare(`
      update work set state = ${ready}, worker = null where state = ${active} and worker = ?
    `),
  }
}

function toLease(row: Record<string, unknown>): Lease {
  return {
    id: String(row.id),
    deliveryId: String(row.delivery_id),
    clientId: String(row.client_id),
    receivedAt: new Date(Number(row.received_at)),
    rawBody: row.body as Uint8Array,
    attempt: Number(row.attempts),
  }
}
