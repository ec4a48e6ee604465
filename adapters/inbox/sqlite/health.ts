import type { DatabaseSync } from 'node:sqlite'
import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { InboxState } from '../../../src/inbox/inbox.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { STATE, STATES_OF } from './schema.ts'

/** How many entries in a state are counted, which takes a few milliseconds. */
const MOST = 100_000
/** A put of one notification writes about as much. SQLite would not write what is unchanged. */
const PROBE_BYTES = 16 * 1024

export function createHealthReader(
  database: DatabaseSync,
  log: LogState,
  now: () => number,
): () => Promise<EngineHealth> {
  const write = createGroupCommit(database, log)
  const sql = prepareHealth(database)

  return async () => {
    // Reading needs neither a lock nor space, but a put does: if this write fails, it would, too.
    await write(() => sql.probe.run())
    const time = now()
    const due = sql.due.get(time)?.since ?? undefined
    const active = sql.active.get()
    const stored = sql.lastStored.get()?.stored_at
    const paused = sql.paused.get()
    return {
      now: time,
      waiting: {
        count: Number(sql.waiting.get()?.count),
        oldestDueAt: due === undefined ? undefined : Number(due),
      },
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
      paused: paused && { since: Number(paused.paused_at), reason: String(paused.pause_reason) },
      dead: { count: Number(sql.dead.get()?.count) },
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
  const count = (name: InboxState) =>
    database.prepare(`
      select count(*) as count from (select 1 from work where state in (${STATES_OF[name].join(', ')}) limit ${MOST})
    `)
  return {
    probe: database.prepare(`update probe set bytes = randomblob(${PROBE_BYTES})`),
    waiting: count('waiting'),
    dead: count('dead'),
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
    paused: database.prepare('select paused_at, pause_reason from file where paused_at is not null'),
    lastStored: database.prepare('select stored_at from recent order by id desc limit 1'),
  }
}
