import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { InboxState } from '../../../src/inbox/inbox.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { STATE, STATES_OF } from './schema.ts'

/** How many entries are counted at once, which takes a few milliseconds. */
const COUNTED_AT_ONCE = 25_000
/** Entries in a state are counted up to this number, so that a backlog never makes the health late. */
const MOST = 1_000_000
/** How long a write may wait for another process before it fails: as long as a put may. */
const BUSY_LIMIT_MS = 2_000

type Row = Record<string, SQLOutputValue> | undefined

/** Creates a function that reads how the entries of a file are doing. */
export function createHealthReader(
  database: DatabaseSync,
  log: LogState,
  now: () => number,
): () => Promise<EngineHealth> {
  const write = createGroupCommit(database, log, BUSY_LIMIT_MS)
  const sql = prepareHealth(database)

  async function count(name: InboxState): Promise<number> {
    let total = 0
    for (const state of STATES_OF[name]) {
      for (let last: number | undefined = 0; last !== undefined && total < MOST; ) {
        const some: Row = sql.count.get(state, last, Math.min(COUNTED_AT_ONCE, MOST - total))
        total += Number(some?.count)
        last = Number(some?.count) === COUNTED_AT_ONCE ? Number(some?.last) : undefined
        if (last !== undefined) await nextTurn()
      }
    }
    return total
  }

  return async () => {
    // Reading never waits for a lock, but a put does: if this write fails, it would, too.
    await write(() => {})
    const [waiting, dead] = [await count('waiting'), await count('dead')]
    const time = now()
    const due = sql.due.get(time)?.since ?? undefined
    const active = sql.active.get()
    const stored = sql.lastStored.get()?.stored_at
    return {
      now: time,
      waiting: { count: waiting, oldestDueAt: due === undefined ? undefined : Number(due) },
      active: {
        count: Number(active?.count),
        oldest:
          active?.count === 0
            ? undefined
            : {
                id: String(active?.id),
                subject: active?.subject as string | null,
                startedAt: Number(active?.oldest),
              },
      },
      dead: { count: dead },
      lastStoredAt: stored === undefined ? undefined : Number(stored),
    }
  }
}

function prepareHealth(database: DatabaseSync) {
  const { active, delayed, parked, ready } = STATE
  const first = (state: number) => `select * from (
    select coalesce(due_at, received_at) as since from work join notification using (id)
      where state = ${state} order by id limit 1
  )`
  return {
    count: database.prepare(`
      select count(*) as count, max(id) as last
        from (select id from work where state = ? and id > ? order by id limit ?)
    `),
    due: database.prepare(`
      select min(since) as since from (
        ${first(ready)} union all ${first(parked)}
        union all select min(due_at) from work indexed by work_by_due_at where state = ${delayed} and due_at <= ?
      )
    `),
    // SQLite takes the other columns from the row with the minimum.
    active: database.prepare(`
      select count(*) as count, min(started_at) as oldest, id, subject
        from work join notification using (id) where state = ${active}
    `),
    lastStored: database.prepare('select stored_at from recent order by id desc limit 1'),
  }
}
