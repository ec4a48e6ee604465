import type { DatabaseSync } from 'node:sqlite'
import * as rows from '../../../src/inbox/entry-row.ts'
import { entryNotFound, MAX_PAGE_BYTES } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { Lease } from '../../../src/inbox/lease-store.ts'
import { toUuid } from '../../../src/to-uuid.ts'

/** The concurrency key of an entry; null if it is not limited. */
export const KEY = `nullif(coalesce(concurrency_key, subject), '')`
const NOTIFICATION = `id, signature, client_id, received_at, subject, ${KEY} as key, source, traceparent,
  lasting_id, repeats`
/** The columns that a lease is read from, besides its body. */
export const LEASE = `${NOTIFICATION}, attempts, crashes, due_at`
export const ENTRY = `${NOTIFICATION}, body, state, attempts, due_at, error, started_at, finished_at`

const NO_ROW = -1

type Row = Readonly<Record<string, unknown>>

/** Reads the rows of a file, whose mark makes their lasting ids unique. */
export function createReader(database: DatabaseSync) {
  const mark = String(database.prepare('select mark from file').get()?.mark)
  const own = database.prepare('select id, received_at from notification where id = ? and lasting_id is null')
  const isForeign = database.prepare('select 1 from notification where lasting_id = ?')

  /** Sorts like the entries. */
  function toLastingId({ id, received_at }: Row): string {
    return toUuid(Number(received_at), `${Number(id).toString(16).padStart(10, '0')}${mark}`)
  }

  const lastingIdOf = (row: Row) => String(row.lasting_id ?? toLastingId(row))

  const toEntry = (row: Row) =>
    rows.toEntry({ ...(row as Row & rows.EntryRow), id: String(row.id) }, lastingIdOf(row))

  /** The row whose lasting id follows from its own, if the id is of this file. */
  function rowOf(lastingId: string): number | undefined {
    const digits = lastingId.replaceAll('-', '')
    if (!digits.endsWith(mark)) return undefined
    return Number.parseInt(digits.slice(13, 16) + digits.slice(17, 24), 16)
  }

  /** The first entries that fit a page in bytes, and at least one. */
  function firstPage(found: Iterable<Row>): InboxEntry[] {
    const page: InboxEntry[] = []
    let bytes = 0
    for (const row of found) {
      const entry = toEntry(row)
      bytes += entry.rawBody.length
      if (page.length > 0 && bytes > MAX_PAGE_BYTES) break
      page.push(entry)
    }
    return page
  }

  return {
    toEntry,
    toLease: (row: Row, attempts: number): Lease =>
      rows.toLease({ ...(row as Row & rows.LeaseRow), id: String(row.id), attempts }, lastingIdOf(row)),
    firstPage,
    holds(lastingId: string): boolean {
      // A copy of the file has the same mark, and goes on with the same row ids.
      const row = own.get(rowOf(lastingId) ?? NO_ROW)
      return (row && toLastingId(row)) === lastingId || isForeign.get(lastingId) !== undefined
    },
  }
}

export function toRowId(id: string): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : NO_ROW
}

/** @throws InboxError `entry_not_found` if no row can have the id */
export function toStart(after: string | undefined): number {
  const start = after === undefined ? 0 : toRowId(after)
  if (start === NO_ROW) throw entryNotFound(String(after))
  return start
}
