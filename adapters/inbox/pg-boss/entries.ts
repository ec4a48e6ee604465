import { readKind } from '../../../src/events/read-envelope.ts'
import { isUuid, toIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import { entryActive, entryNotFound } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { fromStored } from '../../../src/inbox/stored-notification.ts'
import type { PgBossConnection } from './connection.ts'
import {
  deleteAll,
  fromJobOutput,
  insertAll,
  type NewJob,
  NO_PAST,
  newJob,
  pastOf,
  type SqlRunner,
} from './engine.ts'
import { deleteEntries } from './imports.ts'
import { type JobRow, LOCKED_AT_ONCE, PRUNED_AT_ONCE, queueOf } from './table.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
type Entries = Pick<InboxEngine, 'counts' | 'list' | 'find' | 'get' | 'replay' | 'replayDead' | 'prune'>

/** @param onReplayed called when entries have become due */
export function createEntries(connection: PgBossConnection, onReplayed: () => void): Entries {
  const { queues, table } = connection

  function stateOf({ name, state }: JobRow): InboxState {
    if (name === queues.deadQueue) return 'dead'
    return state === 'active' || state === 'completed' ? state : 'waiting'
  }

  async function getDb(): Promise<SqlRunner> {
    return (await connection.ready()).getDb()
  }

  async function get(id: string): Promise<InboxEntry | undefined> {
    const [row] = isUuid(id) ? await table.find(await getDb(), [id]) : []
    return row && toEntry(row, stateOf(row))
  }

  /** Stores entries anew, except active ones and those that `accepts` rejects. Returns all. */
  async function restart(ids: readonly string[], accepts: (row: JobRow) => boolean): Promise<JobRow[]> {
    const rows = await connection.transact(async (db, engine) => {
      const found = await table.lock(db, ids)
      const idle = found.filter((row) => row.state !== 'active' && accepts(row))
      await deleteEntries(engine, idle, db)
      await insertAll(engine, queues.queue, idle.map(toReplayed), db)
      return found
    })
    onReplayed()
    return rows
  }

  async function replayDead(ids: readonly string[]): Promise<number> {
    const known = ids.filter(isUuid)
    const isDead = (row: JobRow) => row.name === queues.deadQueue
    let replayed = 0
    for (let at = 0; at < known.length; at += LOCKED_AT_ONCE)
      replayed += (await restart(known.slice(at, at + LOCKED_AT_ONCE), isDead)).filter(isDead).length
    return replayed
  }

  return {
    counts: async () => await table.counts(await getDb()),
    async list(state, limit, after = FIRST) {
      if (!isUuid(after)) throw entryNotFound(after)
      const rows = await table.page(await getDb(), state, after, limit)
      return rows.map((row) => toEntry(row, state))
    },
    async find(subject, state, limit, after) {
      if (after !== undefined && (await get(after)) === undefined) throw entryNotFound(after)
      const rows = await table.pageAbout(await getDb(), subject, state, after ?? FIRST, limit)
      return rows.map((row) => toEntry(row, stateOf(row)))
    },
    get,
    async replay(id) {
      const [row] = isUuid(id) ? await restart([id], () => true) : []
      if (row === undefined) throw entryNotFound(id)
      if (row.state === 'active') throw entryActive(id)
    },
    replayDead,
    async prune(state, olderThan) {
      let pruned = 0
      for (let after: string | undefined = FIRST; after !== undefined; ) {
        const from: string = after
        const ids = await connection.transact(async (db, engine) => {
          const old = await table.lockFinished(db, state, olderThan, from)
          await deleteAll(engine, queueOf(queues, state), old, db)
          return old
        })
        pruned += ids.length
        after = ids.length === PRUNED_AT_ONCE ? ids.at(-1) : undefined
      }
      return pruned
    },
  }
}

/** Only the replay of a completed entry is another run, with an idempotency key of its own. */
function toReplayed({ id, state, data }: JobRow): NewJob {
  const repeats = (pastOf(data).repeats ?? 0) + Number(state === 'completed')
  return newJob(id, { ...data, past: repeats === 0 ? undefined : { ...NO_PAST, repeats } })
}

function toEntry(row: JobRow, state: InboxState): InboxEntry {
  const notification = fromStored(row.data)
  const past = pastOf(row.data)
  return {
    id: row.id,
    idempotencyKey: toIdempotencyKey(row.id, past.repeats ?? 0),
    ...notification,
    kind: readKind(notification.rawBody),
    state,
    attempts: past.attempts + row.retry_count + Number(row.started !== null),
    error: state === 'completed' ? null : (fromJobOutput(row.output) ?? past.error),
    dueAt: state === 'waiting' ? toDate(row.due) : null,
    startedAt: state === 'active' ? toDate(row.started) : null,
    finishedAt: toDate(state === 'dead' ? row.created : row.completed),
  }
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(Math.floor(seconds * 1_000))
}
