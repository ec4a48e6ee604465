import { InboxError } from '../../src/errors.ts'
import type { SignedNotification } from '../../src/receiver-inbox.ts'
import { withTimeLimit } from '../../src/time-limit.ts'
import type { PgBossConnection, PgBossPlace } from './pg-boss-connection.ts'
import type { JobData, PgBossEngine, SqlRunner, SqlTransaction } from './pg-boss-engine.ts'
import { createJobIds, toJobData } from './pg-boss-job.ts'
import type { RecentDeliveries } from './pg-boss-recent.ts'

const BATCH_JOBS = 500
const BATCH_CHARACTERS = 8 * 1024 * 1024
const WRITE_LIMIT_MS = 3_000

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

/** Stores notifications: those that come while one insert is under way travel together in the next. */
export function createPgBossPuts(
  connection: PgBossConnection,
  place: PgBossPlace,
  recent: RecentDeliveries | undefined,
  onStored: () => void,
): PgBossPuts {
  const nextId = createJobIds()
  let waiting: WaitingPut[] = []
  let writing: Promise<void> | undefined

  async function insert(engine: PgBossEngine, puts: readonly WaitingPut[], db?: SqlRunner): Promise<void> {
    const jobs = puts.map(({ data }) => ({ id: nextId(), data }))
    const options = { returnId: true, ...(db && { db }) } as const
    const stored = await engine.insert(place.queue, jobs, options)
    // Without its queue pg-boss inserts nothing, and says nothing.
    if (stored?.length !== jobs.length) {
      throw new InboxError(
        'inbox_unavailable',
        `pg-boss did not store all; is its queue ${place.queue} gone?`,
      )
    }
  }

  /** Of each delivery that is not known the first, in the transaction that stores them. */
  async function insertNew(
    engine: PgBossEngine,
    puts: readonly WaitingPut[],
    known: RecentDeliveries,
    transaction: SqlTransaction,
  ): Promise<WaitingPut[]> {
    const ids = puts.map(({ data }) => data.deliveryId)
    const unknown = await known.add(transaction.db, ids)
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
    const transaction = begin(engine)
    const stored = transaction.then((open) => insertNew(engine, puts, recent, open))
    try {
      const fresh = await withTimeLimit(stored, WRITE_LIMIT_MS, late)
      // Nobody waits for it, and what is old counts as old all the same.
      void recent.prune(engine.getDb()).catch(() => {})
      return fresh
    } catch (error) {
      void transaction.then((open) => open.rollback()).catch(() => {})
      throw error
    }
  }

  async function writeBatch(puts: readonly WaitingPut[]): Promise<void> {
    try {
      const stored = new Set(await write(puts))
      for (const put of puts) put.resolve(stored.has(put) ? 'stored' : 'duplicate')
      onStored()
    } catch (error) {
      connection.doubt()
      // What waits would meet the same server, and must not pile up while it is away.
      for (const put of [...puts, ...waiting.splice(0)]) put.reject(error)
    }
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      // Those who were answered just now may put again in the same turn.
      await new Promise(setImmediate)
      const size = batchSize(waiting)
      const puts = waiting.slice(0, size)
      waiting = waiting.slice(size)
      await writeBatch(puts)
    }
    writing = undefined
  }

  return {
    put: (notification) =>
      new Promise((resolve, reject) => {
        waiting.push({ data: toJobData(notification), resolve, reject })
        writing ??= writeAll()
      }),
    settled: async () => await writing,
  }
}

/** How many of the first may travel together, so that their JSON fits into one string. */
function batchSize(puts: readonly WaitingPut[]): number {
  let size = 0
  let characters = 0
  for (const { data } of puts) {
    characters += data.body.length
    if (size > 0 && (size === BATCH_JOBS || characters > BATCH_CHARACTERS)) break
    size += 1
  }
  return size
}

async function begin(engine: PgBossEngine): Promise<SqlTransaction> {
  const db = engine.getDb()
  if (db.beginTransaction !== undefined) return await db.beginTransaction()
  throw new InboxError('inbox_unavailable', 'The db of "boss" has no beginTransaction().')
}
