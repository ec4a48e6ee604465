import type { DatabaseSync } from 'node:sqlite'
import { toImportId } from '../../../src/inbox/import-id.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { GroupCommit } from './group-commit.ts'
import { STATE } from './migrations.ts'

/** Imports entries from another inbox, and removes entries that were moved to one. */
export function createImports(
  database: DatabaseSync,
  write: GroupCommit['write'],
): Pick<InboxEngine, 'import' | 'remove'> {
  return {
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => importAll(database, entries), { bytes })
    },
    remove: (ids) => write(() => removeAll(database, ids)),
  }
}

function importAll(database: DatabaseSync, entries: readonly InboxEntry[]): void {
  // SQLite assigns the row ids, so the ids of imported entries are kept in a table that only a move needs.
  database.exec('create table if not exists imported (id text primary key) strict, without rowid')
  const remember = database.prepare('insert or ignore into imported (id) values (?)')
  const insert = database.prepare(
    'insert into notification (signature, client_id, received_at, body) values (?, ?, ?, ?)',
  )
  const insertWork = database.prepare(
    'insert into work (id, state, attempts, due_at, error, finished_at) values (?, ?, ?, ?, ?, ?)',
  )
  for (const entry of entries) {
    if (remember.run(toImportId(entry)).changes === 0) continue
    const { signature, clientId, receivedAt, rawBody, attempts, error, dueAt, finishedAt } = entry
    const { lastInsertRowid } = insert.run(signature, clientId, receivedAt.getTime(), rawBody)
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
