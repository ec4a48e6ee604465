import type { SignedNotification } from '../../../src/notification/signed-notification.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import type { PgBossConnection } from './connection.ts'
import {
  beginTransaction,
  countTogether,
  GROUP,
  insertAll,
  type JobData,
  type PgBossEngine,
  type SqlRunner,
  type SqlTransaction,
} from './engine.ts'
import { createJobIds, toJobData } from './job.ts'
import type { RecentDeliveries } from './recent.ts'
import type { PgBossPlace } from './table.ts'

const BATCH_JOBS = 500
const WRITE_LIMIT_MS = 3_000
/** How many inserts may be under way: while one waits for the disk another is worked out. More gain nothing. */
const WRITERS = 2

type PutAnswer = 'stored' | 'duplicate'

interface WaitingPut {
  readonly data: JobData
  resolve(answer: PutAnswer): void
  reject(error: unknown): void
}

export interface PgBossPuts {
  put(notification: SignedNotification): Promise<PutAnswer>
  /** Resolves when no put is under way. */
  settled(): Promise<void>
}

/** Stores notifications: those that come while inserts are under way travel together in the next. */
export function createPgBossPuts(
  connection: PgBossConnection,
  place: PgBossPlace,
  recent: RecentDeliveries | undefined,
  onStored: () => void,
): PgBossPuts {
  const nextId = createJobIds()
  const writing = new Set<Promise<void>>()
  let waiting: WaitingPut[] = []
  let underWay = 0
  let scheduled = false

  async function insert(engine: PgBossEngine, puts: readonly WaitingPut[], db?: SqlRunner): Promise<void> {
    const jobs = puts.map(({ data }) => ({ id: nextId(), data, group: GROUP }))
    await insertAll(engine, place.queue, jobs, db)
  }

  /** Of each delivery that is not known the first, in the transaction that stores them. */
  async function insertNew(
    engine: PgBossEngine,
    puts: readonly WaitingPut[],
    known: RecentDeliveries,
    transaction: SqlTransaction,
    givenUp: AbortSignal,
  ): Promise<WaitingPut[]> {
    const ids = puts.map(({ data }) => data.deliveryId)
    const unknown = await known.add(transaction.db, ids)
    // A rollback is on its way then, and what followed it would be stored outside the transaction.
    givenUp.throwIfAborted()
    const fresh = puts.filter(({ data }) => unknown.delete(data.deliveryId))
    if (fresh.length > 0) await insert(engine, fresh, transaction.db)
    await transaction.commit()
    return fresh
  }

  /** @returns those that were stored; the others are duplicates */
  async function write(puts: readonly WaitingPut[]): Promise<readonly WaitingPut[]> {
    const engine = await connection.ready()
    const late = () => new Error(`PostgreSQL took longer than ${WRITE_LIMIT_MS} ms to store.`)
    if (recent === undefined) {
      await withTimeLimit(insert(engine, puts), WRITE_LIMIT_MS, late)
      return puts
    }
    const giveUp = new AbortController()
    const transaction = beginTransaction(engine)
    const stored = transaction.then((open) => insertNew(engine, puts, recent, open, giveUp.signal))
    try {
      const fresh = await withTimeLimit(stored, WRITE_LIMIT_MS, late)
      // Nobody waits for it, and what is old counts as old all the same.
      void recent.prune(engine.getDb()).catch(() => {})
      return fresh
    } catch (error) {
      giveUp.abort(error)
      void transaction.then((open) => open.rollback()).catch(() => {})
      throw error
    }
  }

  async function writeBatch(puts: readonly WaitingPut[]): Promise<void> {
    underWay += puts.length
    try {
      const stored = new Set(await write(puts))
      for (const put of puts) put.resolve(stored.has(put) ? 'stored' : 'duplicate')
      onStored()
    } catch (error) {
      connection.doubt()
      // What waits would meet the same server, and must not pile up while it is away.
      for (const put of [...puts, ...waiting.splice(0)]) put.reject(error)
    } finally {
      underWay -= puts.length
    }
  }

  function writeWaiting(): void {
    scheduled = false
    while (waiting.length > 0 && writing.size < WRITERS) {
      // An even share for each, as those that were answered together come back together.
      const share = Math.ceil((waiting.length + underWay) / WRITERS)
      const size = countTogether(waiting, Math.min(share, BATCH_JOBS))
      const batch = writeBatch(waiting.slice(0, size)).finally(() => {
        writing.delete(batch)
        schedule()
      })
      waiting = waiting.slice(size)
      writing.add(batch)
    }
  }

  /** Not at once, as more may come in the same turn. */
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(writeWaiting)
  }

  return {
    put: (notification) =>
      new Promise((resolve, reject) => {
        waiting.push({ data: toJobData(notification), resolve, reject })
        schedule()
      }),
    async settled() {
      while (waiting.length > 0 || writing.size > 0) {
        await Promise.all(writing)
        await new Promise(setImmediate)
      }
    },
  }
}
