import type { DatabaseSync } from 'node:sqlite'
import { fromIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Write } from './group-commit.ts'
import { createParking } from './parking.ts'
import { createInsert } from './puts.ts'
import { createReader } from './row.ts'
import { STATE } from './schema.ts'

export function createImports(database: DatabaseSync, write: Write): Pick<InboxEngine, 'import' | 'remove'> {
  const { holds } = createReader(database)
  const { wake } = createParking(database)
  const insert = createInsert(database)
  const insertWork = database.prepare(
    'insert into work (id, state, attempts, due_at, error, finished_at, repeats) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const spread = prepareSpread(database)
  const key = database.prepare(
    'select coalesce(concurrency_key, subject) as key from notification where id = ?',
  )
  const remove = database.prepare(`delete from work where id = ? and state <> ${STATE.active}`)

  function importOne(entry: InboxEntry): void {
    const { id, receivedAt, attempts, error, dueAt, finishedAt } = entry
    if (holds(id)) return
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

  function removeOne(id: string): boolean {
    const freed = key.get(Number(id))?.key ?? null
    const isRemoved = remove.run(Number(id)).changes > 0
    if (isRemoved) wake([freed])
    return isRemoved
  }

  return {
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => entries.forEach(importOne), { bytes })
    },
    remove: (ids) => write(() => ids.filter(removeOne).length),
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
