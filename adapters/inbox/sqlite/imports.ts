import type { DatabaseSync } from 'node:sqlite'
import { toUuid } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Write } from './group-commit.ts'
import { STATE } from './schema.ts'

/** Entries that come from another inbox, or go to one. */
export function createImports(
  database: DatabaseSync,
  write: Write,
): Pick<InboxEngine, 'lastingIdsOf' | 'import' | 'remove'> {
  return {
    lastingIdsOf: (entries) => write(() => readLastingIds(database, entries)),
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => importAll(database, entries), { bytes })
    },
    remove: (ids) => write(() => removeAll(database, ids)),
  }
}

/** Gives an entry that has no lasting id a random one, which sorts like the entries. */
function readLastingIds(database: DatabaseSync, entries: readonly InboxEntry[]): string[] {
  const set = database.prepare(
    'update notification set lasting_id = coalesce(lasting_id, ?) where id = ? returning lasting_id',
  )
  return entries.map(({ id, receivedAt }) => {
    const row = Number(id).toString(16).padStart(10, '0')
    const fresh = toUuid(receivedAt.getTime(), `${row}${crypto.randomUUID().slice(0, 8)}`)
    return String(set.get(fresh, Number(id))?.lasting_id ?? fresh)
  })
}

function importAll(database: DatabaseSync, entries: readonly InboxEntry[]): void {
  const insert = database.prepare(
    'insert or ignore into notification (signature, client_id, received_at, body, lasting_id) values (?, ?, ?, ?, ?)',
  )
  const insertWork = database.prepare(
    'insert into work (id, state, attempts, due_at, error, finished_at) values (?, ?, ?, ?, ?, ?)',
  )
  for (const entry of entries) {
    const { id, signature, clientId, receivedAt, rawBody, attempts, error, dueAt, finishedAt } = entry
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
