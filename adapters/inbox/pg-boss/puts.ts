import { createEntryIds } from '../../../src/inbox/entry-ids.ts'
import { toStored } from '../../../src/inbox/stored-notification.ts'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { withTimeLimit } from '../../../src/time-limit.ts'
import type { PgBossConnection } from './connection.ts'
import {
  beginTransaction,
  countTogether,
  insertAll,
  type NewJob,
  newJob,
  onceConnectionsAllow,
  type PgBossEngine,
  type SqlRunner,
} from './engine.ts'
import { LastStored } from './last-stored.ts'
import type { RecentDeliveries } from './recent.ts'

const BATCH_JOBS = 500
const WRITE_LIMIT_MS = 3_000
/** Concurrent inserts: one waits for the disk while PostgreSQL prepares the other. More are no faster. */
const WRITERS = 2

type PutResult = 'stored' | 'duplicate'

interface WaitingPut {
  readonly job: NewJob
  resolve(result: PutResult): void
  reject(error: unknown): void
}

/** Stores notifications. Puts that arrive during an insert share the next one. */
export function createPuts(
  connection: PgBossConnection,
  recent: RecentDeliveries | undefined,
  onStored: () => void,
) {
  const write = createWrite(connection, recent)
  const nextId = createEntryIds()
  const writing = new Set<Promise<void>>()
  let waiting: WaitingPut[] = []
  let underWay = 0
  let scheduled = false

  async function writeBatch(puts: readonly WaitingPut[]): Promise<void> {
    underWay += puts.length
    const late = new AbortController()
    try {
      const written = onceConnectionsAllow(() => write(puts, late.signal))
      const stored = new Set(await withTimeLimit(written, WRITE_LIMIT_MS, tooLate))
      for (const put of puts) put.resolve(stored.has(put) ? 'stored' : 'duplicate')
      onStored()
    } catch (error) {
      late.abort(error)
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
      const share = Math.min(BATCH_JOBS, Math.ceil((waiting.length + underWay) / WRITERS))
      const size = countTogether(waiting.slice(0, share).map(jobOf))
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
    put: (notification: InboxNotification) =>
      new Promise<PutResult>((resolve, reject) => {
        waiting.push({ job: newJob(nextId(), toStored(notification)), resolve, reject })
        schedule()
      }),
    /** Resolves when no put is under way. */
    async settled() {
      while (waiting.length > 0 || writing.size > 0) {
        await Promise.all(writing)
        await new Promise(setImmediate)
      }
    },
  }
}

/**
 * Creates the function that writes puts, and deletes what is no longer needed.
 *
 * @returns the puts that were stored; the others are duplicates
 */
function createWrite(connection: PgBossConnection, recent: RecentDeliveries | undefined) {
  const { queue } = connection.queues
  const lastStored = new LastStored(connection.queues)

  async function prune(db: SqlRunner): Promise<void> {
    await lastStored.prune(db)
    await recent?.prune(db)
  }

  async function store(
    engine: PgBossEngine,
    puts: readonly WaitingPut[],
    late: AbortSignal,
  ): Promise<readonly WaitingPut[]> {
    if (recent !== undefined) return await insertNew(engine, queue, puts, recent, late)
    await insertAll(engine, queue, puts.map(jobOf))
    await lastStored.add(engine.getDb())
    return puts
  }

  return async function write(
    puts: readonly WaitingPut[],
    late: AbortSignal,
  ): Promise<readonly WaitingPut[]> {
    const engine = await connection.ready()
    late.throwIfAborted()
    const stored = await store(engine, puts, late)
    // Not awaited: deliveries outside the window are ignored even before they are deleted.
    void prune(engine.getDb()).catch(() => {})
    return stored
  }
}

/** Inserts one put of each unknown delivery, in the transaction that records them. */
async function insertNew(
  engine: PgBossEngine,
  queue: string,
  puts: readonly WaitingPut[],
  recent: RecentDeliveries,
  late: AbortSignal,
): Promise<WaitingPut[]> {
  const transaction = await beginTransaction(engine)
  const rollback = () => transaction.rollback()
  late.addEventListener('abort', rollback)
  try {
    late.throwIfAborted()
    const signatures = puts.map(({ job }) => job.data.signature)
    const unknown = await recent.add(transaction.db, signatures)
    // After a rollback, the insert would run outside the transaction.
    late.throwIfAborted()
    const fresh = puts.filter(({ job }) => unknown.delete(job.data.signature))
    await insertAll(engine, queue, fresh.map(jobOf), transaction.db)
    await (fresh.length > 0 ? transaction.commit() : transaction.rollback())
    return fresh
  } catch (error) {
    await rollback()
    throw error
  } finally {
    late.removeEventListener('abort', rollback)
  }
}

function jobOf({ job }: WaitingPut): NewJob {
  return job
}

function tooLate(): Error {
  return new Error(`PostgreSQL took longer than ${WRITE_LIMIT_MS} ms to store.`)
}
