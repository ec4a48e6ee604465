import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { MAX_BYTES, type Write } from './group-commit.ts'
import type { RecentSignatures } from './recent-signatures.ts'
import { createReader } from './row.ts'
import { STATE } from './schema.ts'

type PutResult = 'stored' | 'duplicate'

/** The puts of one turn of the event loop, and of later turns until the database is free. */
interface Batch {
  readonly notifications: InboxNotification[]
  readonly size: { bytes: number }
  readonly results: Promise<PutResult[]>
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
  const [insertPlain, insertAny] = [createInsert(database, PLAIN, toPlainRow), createInsert(database)]
  const insertWork = database.prepare(
    `insert into work (id, state) select id, ${STATE.ready} from notification where id > ?`,
  )
  const { holds } = createReader(database)
  let open: Batch | undefined

  function startBatch(): Batch {
    const notifications: InboxNotification[] = []
    const size = { bytes: 0 }
    const close = () => {
      if (open?.size === size) open = undefined
    }
    const results = write(() => {
      close()
      return insertAll(notifications)
    }, size)
    results.then(stored, close)
    return { notifications, size, results }
  }

  function insertAll(notifications: readonly InboxNotification[]): PutResult[] {
    const fresh: InboxNotification[] = []
    const ids = new Set<string>()
    const results = notifications.map((notification): PutResult => {
      const { id, signature } = notification
      if (id !== undefined && (ids.has(id) || holds(id))) return 'duplicate'
      if (recent.isRepeat(signature)) return 'duplicate'
      if (id !== undefined) ids.add(id)
      fresh.push(notification)
      return 'stored'
    })
    if (fresh.length === 0) return results
    const last = fresh.every(isPlain) ? insertPlain(fresh) : insertAny(fresh)
    // Nothing else inserts in the meantime, so the ids are consecutive.
    insertWork.run(last - fresh.length)
    return results
  }

  return async (notification) => {
    const bytes = Math.max(notification.rawBody.length, LEAST_BYTES)
    if (open === undefined || open.size.bytes + bytes > MAX_BYTES) open = startBatch()
    const { notifications, size, results } = open
    size.bytes += bytes
    const index = notifications.push(notification) - 1
    return (await results)[index] as PutResult
  }
}

const PLAIN = 'signature, client_id, received_at, body, subject, source, traceparent'
const COLUMNS = `${PLAIN}, concurrency_key, lasting_id`

/** Without the two columns that most notifications leave empty, storing one takes a fifth less. */
const isPlain = ({ concurrencyKey, id }: InboxNotification) =>
  concurrencyKey === undefined && id === undefined

/** Creates a function that inserts notifications, and returns the id of the last one. */
export function createInsert(
  database: DatabaseSync,
  columns = COLUMNS,
  toValues: (notification: InboxNotification) => SQLInputValue[] = toRow,
): (all: readonly InboxNotification[]) => number {
  const [one, many] = [prepareInsert(database, columns, 1), prepareInsert(database, columns, ROWS)]
  return (all) => {
    let last: number | bigint = 0
    let at = 0
    for (; at + ROWS <= all.length; at += ROWS)
      last = many.run(...all.slice(at, at + ROWS).flatMap(toValues)).lastInsertRowid
    for (const notification of all.slice(at)) last = one.run(...toValues(notification)).lastInsertRowid
    return Number(last)
  }
}

function prepareInsert(database: DatabaseSync, columns: string, rows: number): StatementSync {
  const row = `(${columns.replaceAll(/\w+/g, '?')})`
  return database.prepare(`insert into notification (${columns}) values ${Array(rows).fill(row).join(', ')}`)
}

function toPlainRow(notification: InboxNotification) {
  const { signature, clientId, receivedAt, rawBody, subject, source, traceparent = null } = notification
  const unlessService = source === 'service' ? null : source
  return [signature, clientId, receivedAt.getTime(), rawBody, subject, unlessService, traceparent]
}

function toRow(notification: InboxNotification): SQLInputValue[] {
  const { concurrencyKey, id = null } = notification
  return [...toPlainRow(notification), concurrencyKey === null ? '' : (concurrencyKey ?? null), id]
}
