import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'
import type { Lease } from '../../../src/inbox/lease-store.ts'
import { createParking } from './parking.ts'
import { createReader, KEY, LEASE } from './row.ts'
import { STATE } from './schema.ts'

/** How many entries a transaction parks, which takes a few milliseconds. Then other writes follow. */
const PARKED_AT_ONCE = 500
/** A body of this size is read with its row: it is in the same page of the file. */
const SMALL_BYTES = 4_096

type Row = Record<string, SQLOutputValue>

/** Takes entries that are due, for a worker and in a transaction of the caller. */
export function createTaking(database: DatabaseSync, oneAtATime: boolean, now: () => number) {
  const sql = prepareTaking(database)
  const { toLease } = createReader(database)
  const { park } = createParking(database)
  /** Whether the last `takeDue` parked so many entries that others may be due. */
  let isMoreDue = false

  const isAnyDue = () => sql.isAnyDue.get(now()) !== undefined

  /** `undefined` if its key is busy. A large body is only read if it is not. */
  function take(row: Row, worker: string): Lease | undefined {
    const busyKey = oneAtATime ? (row.key as string | null) : null
    if (sql.take.run(worker, now(), busyKey, row.id as number).changes === 0) return undefined
    row.body ??= sql.body.get(row.id as number)?.body ?? null
    return toLease(row, Number(row.attempts) + 1)
  }

  /** The entries that are due and not suspect, oldest first. Those that were read may change meanwhile. */
  function* due(): Generator<Row, void, undefined> {
    const [ready, delayed] = [sql.ready.iterate(), sql.delayed.iterate(now())]
    try {
      let [first, second] = [ready.next(), delayed.next()]
      while (!first.done || !second.done) {
        if (second.done || (!first.done && since(first.value) <= since(second.value))) {
          yield first.value as Row
          first = ready.next()
        } else {
          yield second.value
          second = delayed.next()
        }
      }
    } finally {
      ready.return?.()
      delayed.return?.()
    }
  }

  return {
    isAnyDue,
    nextDueAt(): number | undefined {
      if (isMoreDue && isAnyDue()) return now()
      const dueAt = sql.nextDueAt.get()?.due_at
      return dueAt === undefined ? undefined : Number(dueAt)
    },
    /** The keys with a suspect that is due, which would never begin as long as others of the key follow. */
    reserved: () => new Set(oneAtATime ? sql.suspectKeys.all(now()).map(({ key }) => key) : []),
    /** Entries that are not suspect. Those whose key is busy or reserved are parked. */
    takeDue(worker: string, limit: number, reserved: ReadonlySet<unknown>): Lease[] {
      const leases: Lease[] = []
      let parked = 0
      for (const row of limit > 0 ? due() : []) {
        const isReserved = reserved.has(row.key)
        const lease = isReserved ? undefined : take(row, worker)
        if (lease !== undefined) leases.push(lease)
        else {
          park(row.id as number, row.key as string)
          parked += 1
        }
        if (leases.length === limit || parked === PARKED_AT_ONCE) break
      }
      isMoreDue = parked === PARKED_AT_ONCE
      return leases
    },
    isSuspectDue: () => sql.suspect.get(now()) !== undefined,
    /** A suspect whose key is not busy. It is never parked, as nobody waits for a suspect. */
    takeSuspect(worker: string): Lease | undefined {
      const row = sql.suspect.get(now())
      return row && take(row, worker)
    },
  }
}

function prepareTaking(database: DatabaseSync) {
  const { active, delayed, ready } = STATE
  const small = `iif(length(body) <= ${SMALL_BYTES}, body, null) as body`
  const lease = (index: string) =>
    `select ${LEASE}, ${small} from work indexed by ${index} join notification using (id)`
  const suspects = `due_at <= ? and state = ${delayed} and crashes >= ${SUSPECT_CRASHES}`
  const others = `state = ${delayed} and crashes < ${SUSPECT_CRASHES}`
  const isBusy = `exists (
    select 1 from work as busy where busy.busy_key = coalesce(notification.concurrency_key, notification.subject) and busy.state = ${active}
  )`
  return {
    isAnyDue: database.prepare(`
      select 1 where exists (select 1 from work where state = ${ready})
        or exists (select 1 from work indexed by work_by_due_at where due_at <= ? and ${others})
    `),
    nextDueAt: database.prepare(`
      select due_at from work indexed by work_by_due_at where ${others} order by due_at limit 1
    `),
    ready: database.prepare(`${lease('work_by_state')} where state = ${ready} order by id`),
    delayed: database.prepare(`${lease('work_by_due_at')} where due_at <= ? and ${others} order by due_at`),
    suspect: database.prepare(`
      ${lease('suspect_by_due_at')} where ${suspects} and not ${isBusy} order by due_at limit 1
    `),
    suspectKeys: database.prepare(`
      select ${KEY} as key from work indexed by suspect_by_due_at join notification using (id)
        where ${suspects} and ${KEY} is not null
    `),
    body: database.prepare('select body from notification where id = ?'),
    // A unique index prevents it if another entry of the key is active.
    take: database.prepare(`
      update or ignore work set state = ${active}, worker = ?, started_at = ?, busy_key = ?,
        attempts = attempts + 1, due_at = null where id = ?
    `),
  }
}

/** A ready entry is due from the moment it arrived. */
const since = ({ due_at, received_at }: Row) => Number(due_at ?? received_at)
