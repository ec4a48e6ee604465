import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { STATES_OF } from '../../../src/inbox/entry-row.ts'
import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { InboxState } from '../../../src/inbox/inbox.ts'
import type { Write } from './group-commit.ts'
import { STATE } from './schema.ts'

/** How many entries in a state are counted, which takes a few milliseconds. */
const MOST = 100_000
/** A put of one notification writes about as much. SQLite would not write what is unchanged. */
const PROBE_BYTES = 16 * 1024

export function createHealthReader(database: DatabaseSync, write: Write, now: () => number) {
  const sql = prepareHealth(database)

  return async (): Promise<EngineHealth> => {
    // Reading needs neither a lock nor space, but a put does: if this write fails, it would, too.
    await write(() => sql.probe.run())
    const time = now()
    const read = sql.read.get(time) as Record<string, number | null>
    const { count, oldest, id, subject } = sql.active.get() as Record<string, SQLOutputValue>
    const paused = sql.paused.get()
    return {
      now: time,
      waiting: { count: Number(read.waiting), oldestDueAt: read.due_since ?? undefined },
      active: {
        count: Number(count),
        oldest:
          count === 0
            ? undefined
            : { id: String(id), subject: subject as string | null, startedAt: Number(oldest) },
      },
      paused: paused && { since: Number(paused.paused_at), reason: String(paused.pause_reason) },
      dead: { count: Number(read.dead) },
      lastStoredAt: read.stored_at ?? undefined,
    }
  }
}

function prepareHealth(database: DatabaseSync) {
  const { active, delayed, parked, ready } = STATE
  const first = (state: number) => `select * from (
    select coalesce(due_at, received_at) as since from work join notification using (id)
      where state = ${state} order by id limit 1
  )`
  const count = (name: InboxState) =>
    `(select count(*) from (select 1 from work where state in (${STATES_OF[name].join(', ')}) limit ${MOST}))`
  return {
    probe: database.prepare(`update probe set bytes = randomblob(${PROBE_BYTES})`),
    read: database.prepare(`
      select ${count('waiting')} as waiting, ${count('dead')} as dead, (
        select min(since) from (
          ${first(ready)} union all ${first(parked)}
          union all select min(due_at) from work indexed by work_by_due_at where state = ${delayed} and due_at <= ?
        )
      ) as due_since, (select stored_at from recent order by id desc limit 1) as stored_at
    `),
    // SQLite takes the other columns from the row with the minimum.
    active: database.prepare(`
      select count(*) as count, min(started_at) as oldest, id, subject
        from work join notification using (id) where state = ${active}
    `),
    paused: database.prepare('select paused_at, pause_reason from file where paused_at is not null'),
  }
}
