import type { DatabaseSync } from 'node:sqlite'
import { toUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { GroupCommit } from './group-commit.ts'
import { STATE } from './schema.ts'

/** Entries that come from another inbox, or go to one. */
export function createImports(
  database: DatabaseSync,
  write: GroupCommit['write'],
): Pick<InboxEngine, 'lastingIdOf' | 'import' | 'remove'> {
  return {
    lastingIdOf({ id, receivedAt }) {
      const row = database.prepare('select lasting_id from notification where id = ?').get(Number(id))
      return row?.lasting_id === null
        ? toLastingId(database, Number(id), receivedAt)
        : String(row?.lasting_id)
    },
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => importAll(database, entries), { bytes })
    },
    remove: (ids) => write(() => removeAll(database, ids)),
  }
}

function importAll(database: DatabaseSync, entries: readonly InboxEntry[]): void {
  const isOurs = database.prepare('select 1 from notification where id = ? and lasting_id is null')
  const insert = database.prepare(
    'insert or ignore into notification (signature, client_id, received_at, body, lasting_id) values (?, ?, ?, ?, ?)',
  )
  const insertWork = database.prepare(
    'insert into work (id, state, attempts, due_at, error, finished_at) values (?, ?, ?, ?, ?, ?)',
  )
  for (const entry of entries) {
    const { id, signature, clientId, receivedAt, rawBody, attempts, error, dueAt, finishedAt } = entry
    const row = toRow(id)
    if (id === toLastingId(database, row, receivedAt) && isOurs.get(row) !== undefined) continue
    const { changes, lastInsertRowid } = insert.run(signature, clientId, receivedAt.getTime(), rawBody, id)
    if (changes === 0) continue
    const state = stateOf(entry)
    insertWork.run(
      lastInsertRowid,
      state,
      attempts,
      state === STATE.delayed ? (dueAt ?? receivedAt).getTime() : null,
      error,
      state === STATE.dead || state === STATE.completed ? (finishedAt ?? receivedAt).getTime() : null,
    )
  }
}

/** The lasting id of an entry that was first stored in this file: made of the file's mark and its row. */
function toLastingId(database: DatabaseSync, row: number, receivedAt: Date): string {
  const mark = String(database.prepare('select mark from file').get()?.mark)
  return toUuid(receivedAt.getTime(), `${mark}${row.toString(16).padStart(10, '0')}`)
}

/** The row in a lasting id, if it is one of this file. */
function toRow(lastingId: string): number {
  return Number.parseInt(lastingId.slice(-10), 16)
}

function stateOf({ state, attempts }: InboxEntry): number {
  if (state === 'dead' || state === 'completed') return STATE[state]
  return attempts === 0 ? STATE.ready : STATE.delayed
}

function removeAll(database: DatabaseSync, ids: readonly string[]): number {
  const remove = database.prepare(`delete from work where id = ? and state <> ${STATE.active}`)
  const removeBody = database.prepare('delete from notification where id = ?')
  let removed = 0
  for (const id of ids) {
    if (remove.run(Number(id)).changes === 0) continue
    removeBody.run(Number(id))
    removed += 1
  }
  return removed
}
