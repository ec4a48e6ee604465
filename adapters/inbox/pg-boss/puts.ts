import { createEntryIds } from '../../../src/inbox/entry-ids.ts'
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
import { toJobData } from './job.ts'
import type { RecentDeliveries } from './recent.ts'
import type { PgBossPlace } from './table.ts'

const BATCH_JOBS = 500
const WRITE_LIMIT_MS = 3_000
/** Concurrent inserts: one waits for the disk while PostgreSQL prepares the other. More are no faster. */
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

/** Stores notifications. Puts that arrive during an insert share the next one. */
export function createPgBossPuts(
  connection: PgBossConnection,
  place: PgBossPlace,
  recent: RecentDeliveries | undefined,
  onStored: () => void,
): PgBossPuts {
  const nextId = createEntryIds()
  const writing = new Set<Promise<void>>()
  let waiting: WaitingPut[] = []
  let underWay = 0
  let scheduled = false

  async function insert(engine: PgBossEngine, puts: readonly WaitingPut[], db?: SqlRunner): Promise<void> {
    const jobs = puts.map(({ data }) => ({ id: nextId(), data, group: GROUP }))
    await insertAll(engine, place.queue, jobs, db)
  }

  /** Inserts one put of each unknown delivery, in the transaction that records them. */
  async function insertNew(
    engine: PgBossEngine,
    puts: readonly WaitingPut[],
    known: RecentDeliveries,
    transaction: SqlTransaction,
    givenUp: AbortSignal,
  ): Promise<WaitingPut[]> {
    const ids = puts.map(({ data }) => data.signature)
    const unknown = await known.add(transaction.db, ids)
    // After a rollback, the insert would run outside the transaction.
    givenUp.throwIfAborted()
    const fresh = puts.filter(({ data }) => unknown.delete(data.signature))
    if (fresh.length > 0) await insert(engine, fresh, transaction.db)
    await transaction.commit()
    return fresh
  }

  /** @returns the puts that were stored; the others are duplicates */
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
      // Not awaited: deliveries outside the window are ignored even before they are deleted.
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
      connection.invalidate()
      // Waiting puts would fail too, and must not pile up during an outage.
      for (const put of [...puts, ...waiting.splice(0)]) put.reject(error)
    } finally {
      underWay -= puts.length
    }
  }

  function writeWaiting(): void {
    scheduled = false
    while (waiting.length > 0 && writing.size < WRITERS) {
      // Split evenly: puts that finish together tend to come back together.
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

  /** Waits for the end of the turn, as more puts may arrive. */
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
