import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { MAX_BYTES, type Write } from './group-commit.ts'
import type { RecentSignatures } from './recent-signatures.ts'
import { STATE } from './schema.ts'

type PutResult = 'stored' | 'duplicate'

/** The puts of one turn of the event loop, and of later turns until the database is free. */
interface Batch {
  readonly notifications: InboxNotification[]
  bytes: number
  results: Promise<PutResult[]>
}

/** The size that a put counts for at least, since small bodies take time, too. */
const LEAST_BYTES = 4 * 1024
/** How many rows one statement inserts. More would not be faster. */
const ROWS = 8

/** @param stored called after puts have been committed */
export function createPuts(
  database: DatabaseSync,
  write: Write,
  recent: RecentSignatures,
  stored: () => void,
): (notification: InboxNotification) => Promise<PutResult> {
  const insertOne = prepareInsert(database, 1)
  const insertRows = prepareInsert(database, ROWS)
  const insertWork = database.prepare(
    `insert into work (id, state) select id, ${STATE.ready} from notification where id > ?`,
  )
  let open: Batch | undefined

  function startBatch(): Batch {
    const batch: Batch = { notifications: [], bytes: 0, results: NONE }
    const close = () => {
      if (open === batch) open = undefined
    }
    batch.results = write(() => {
      close()
      return insertAll(batch.notifications)
    }, batch)
    batch.results.then(stored, close)
    return batch
  }

  function insertAll(notifications: readonly InboxNotification[]): PutResult[] {
    const fresh: InboxNotification[] = []
    const results = notifications.map((notification): PutResult => {
      if (recent.isRepeat(notification.signature)) return 'duplicate'
      fresh.push(notification)
      return 'stored'
    })
    let last = 0
    let at = 0
    for (; at + ROWS <= fresh.length; at += ROWS) {
      last = Number(insertRows.run(...fresh.slice(at, at + ROWS).flatMap(toRow)).lastInsertRowid)
    }
    for (const notification of fresh.slice(at))
      last = Number(insertOne.run(...toRow(notification)).lastInsertRowid)
    // Nothing else inserts in the meantime, so the ids are consecutive.
    if (fresh.length > 0) insertWork.run(last - fresh.length)
    return results
  }

  return async (notification) => {
    const size = Math.max(notification.rawBody.length, LEAST_BYTES)
    if (open === undefined || open.bytes + size > MAX_BYTES) open = startBatch()
    const { notifications, results } = open
    open.bytes += size
    const index = notifications.push(notification) - 1
    return (await results)[index] as PutResult
  }
}

const NONE = Promise.resolve([])

function prepareInsert(database: DatabaseSync, rows: number) {
  const values = Array(rows).fill('(?, ?, ?, ?, ?, ?, ?)').join(', ')
  return database.prepare(
    `insert into notification (signature, client_id, received_at, body, subject, source, traceparent) values ${values}`,
  )
}

export function toRow(notification: InboxNotification): SQLInputValue[] {
  const { signature, clientId, receivedAt, rawBody, subject, source, traceparent } = notification
  const unlessService = source === 'service' ? null : source
  return [signature, clientId, receivedAt.getTime(), rawBody, subject, unlessService, traceparent ?? null]
}
