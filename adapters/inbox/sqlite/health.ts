import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { InboxState } from '../../../src/inbox/inbox.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { STATE, STATES_OF } from './schema.ts'

/** How many entries are counted at once, which takes a millisecond or two. Then the event loop goes on. */
const STEP = 50_000
/** How many entries in a state are counted, so that a backlog never makes the health late. */
const MOST = 20 * STEP
/** A put of one notification writes about as much. SQLite would not write what is unchanged. */
const PROBE_BYTES = 16 * 1024

export function createHealthReader(
  database: DatabaseSync,
  log: LogState,
  now: () => number,
): () => Promise<EngineHealth> {
  const write = createGroupCommit(database, log)
  const sql = prepareHealth(database)

  async function countState(state: number): Promise<number> {
    let total = 0
    for (let last: SQLOutputValue = 0; total < MOST; total += STEP) {
      const step = sql.step.get(state, last)
      if (step === undefined) return total + Number(sql.rest.get(state, last)?.count)
      last = step.id as number
      await nextTurn()
    }
    return total
  }

  async function count(name: InboxState): Promise<number> {
    let total = 0
    for (const state of STATES_OF[name]) total += await countState(state)
    return total
  }

  return async () => {
    // Reading needs neither a lock nor space, but a put does: if this write fails, it would, too.
    await write(() => sql.probe.run())
    const [waiting, dead] = [await count('waiting'), await count('dead')]
    const time = now()
    const due = sql.due.get(time)?.since ?? undefined
    const active = sql.active.get()
    const stored = sql.lastStored.get()?.stored_at
    const paused = sql.paused.get()
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
      paused: paused && { since: Number(paused.paused_at), reason: String(paused.pause_reason) },
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
    probe: database.prepare(`update probe set bytes = randomblob(${PROBE_BYTES})`),
    step: database.prepare(
      `select id from work where state = ? and id > ? order by id limit 1 offset ${STEP - 1}`,
    ),
    rest: database.prepare('select count(*) as count from work where state = ? and id > ?'),
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
