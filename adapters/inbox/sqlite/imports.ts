import type { DatabaseSync } from 'node:sqlite'
import { fromIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Write } from './group-commit.ts'
import { createParking } from './parking.ts'
import { createInsert } from './puts.ts'
import { createReader } from './row.ts'
import { STATE } from './schema.ts'

type Reader = ReturnType<typeof createReader>

export function createImports(database: DatabaseSync, write: Write): Pick<InboxEngine, 'import' | 'remove'> {
  const reader = createReader(database)
  return {
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => importAll(database, reader, entries), { bytes })
    },
    remove: (ids) => write(() => removeAll(database, ids)),
  }
}

function importAll(database: DatabaseSync, reader: Reader, entries: readonly InboxEntry[]): void {
  const insert = createInsert(database)
  const insertWork = database.prepare(
    'insert into work (id, state, attempts, due_at, error, finished_at, repeats) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const spread = prepareSpread(database)
  for (const entry of entries) {
    const { id, receivedAt, attempts, error, dueAt, finishedAt } = entry
    if (reader.holds(id)) continue
    const row = insert([entry])
    const state = stateOf(entry)
    if (state === STATE.delayed) spread.run(Number(dueAt))
    insertWork.run(
      row,
      state,
      attempts,
      state === STATE.delayed ? (dueAt ?? receivedAt).getTime() : null,
      error,
      state === STATE.dead || state === STATE.completed ? (finishedAt ?? receivedAt).getTime() : null,
      fromIdempotencyKey(entry.idempotencyKey).repeats,
    )
  }
}

function stateOf({ state, error, dueAt }: InboxEntry): number {
  if (state === 'dead' || state === 'completed') return STATE[state]
  // A replay may have spread it.
  return error !== null || Number(dueAt) > Date.now() ? STATE.delayed : STATE.ready
}

/** Notes until when entries may be due that a replay has spread. */
export function prepareSpread(database: DatabaseSync) {
  return database.prepare('update file set spread_until = max(coalesce(spread_until, 0), ?)')
}

function removeAll(database: DatabaseSync, ids: readonly string[]): number {
  const key = database.prepare(
    'select coalesce(concurrency_key, subject) as key from notification where id = ?',
  )
  const remove = database.prepare(`delete from work where id = ? and state <> ${STATE.active}`)
  const { wake } = createParking(database)
  return ids.filter((id) => {
    const freed = key.get(Number(id))?.key ?? null
    const isRemoved = remove.run(Number(id)).changes > 0
    if (isRemoved) wake([freed])
    return isRemoved
  }).length
}
