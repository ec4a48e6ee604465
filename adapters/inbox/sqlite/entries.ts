import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  entryActive,
  entryNotFound,
  kindOf,
  MAX_PAGE_BYTES,
  toCounts,
} from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { createImports } from './imports.ts'
import { createPuts } from './puts.ts'
import type { RecentSignatures } from './recent-signatures.ts'
import { STATE } from './schema.ts'

/** How many entries a transaction prunes or replays, which takes a few milliseconds. Then other writes follow. */
const CHANGED_AT_ONCE = 200
/** How long a put may wait for another process to end its transaction. */
const BUSY_LIMIT_MS = 2_000

const NAMES: Readonly<Record<number, InboxState>> = {
  [STATE.dead]: 'dead',
  [STATE.completed]: 'completed',
  [STATE.active]: 'active',
}

/**
 * The entries of an inbox in a SQLite database.
 *
 * @param recent the window for duplicates, if there is one
 * @param onDue called when an entry may have become due
 */
export function createEntries(
  database: DatabaseSync,
  log: LogState,
  recent: RecentSignatures | undefined,
  onDue: () => void,
): Omit<InboxEngine, 'start' | 'stop' | 'identity'> {
  const write = createGroupCommit(database, log, BUSY_LIMIT_MS, recent)
  const sql = prepareEntries(database)

  function pruneSome(state: number, before: number): number {
    const ids = sql.finished.all(state, before, CHANGED_AT_ONCE).map(({ id }) => Number(id))
    for (const id of ids) {
      sql.remove.run(id)
      sql.removeBody.run(id)
    }
    return ids.length
  }

  function get(id: string): InboxEntry | undefined {
    const row = sql.get.get(toRowId(id))
    return row === undefined ? undefined : toEntry(row)
  }

  return {
    ...createImports(database, write),
    put: createPuts(database, write, recent, onDue),
    async close() {
      // After all earlier puts.
      await write(() => {}).catch(() => {})
      database.close()
    },
    async counts() {
      const numbers = new Map(sql.counts.all().map(({ state, number }) => [Number(state), Number(number)]))
      const count = (state: keyof typeof STATE) => numbers.get(STATE[state]) ?? 0
      return toCounts((state) => (state === 'waiting' ? count('ready') + count('delayed') : count(state)))
    },
    async list(state, limit, after) {
      const start = after === undefined ? 0 : toRowId(after)
      if (after !== undefined && start === NO_ROW) throw entryNotFound(after)
      const rows =
        state === 'waiting'
          ? sql.listTwo.iterate(STATE.ready, start, limit, STATE.delayed, start, limit, limit)
          : sql.list.iterate(STATE[state], start, limit)
      return firstPage(rows)
    },
    get: async (id) => get(id),
    async replay(id) {
      const replayed = await write(() => sql.replay.run(toRowId(id)).changes > 0)
      if (!replayed) throw get(id) === undefined ? entryNotFound(id) : entryActive(id)
      onDue()
    },
    async replayDead(ids) {
      let replayed = 0
      for (let at = 0; at < ids.length; at += CHANGED_AT_ONCE) {
        const some = ids.slice(at, at + CHANGED_AT_ONCE)
        replayed += await write(() => some.filter((id) => sql.replayDead.run(toRowId(id)).changes > 0).length)
      }
      onDue()
      return replayed
    },
    async prune(state, olderThan) {
      let total = 0
      let pruned: number
      do {
        pruned = await write(() => pruneSome(STATE[state], olderThan.getTime()))
        total += pruned
        await nextTurn()
      } while (pruned === CHANGED_AT_ONCE)
      return total
    },
  }
}

function prepareEntries(database: DatabaseSync) {
  const { active, dead, ready } = STATE
  const entry = `
    select id, signature, client_id, received_at, body, state, attempts, due_at, error, finished_at
      from work join notification using (id)
  `
  const page = `select id from work where state = ? and id > ? order by id limit ?`
  const restart = `
    update work set state = ${ready}, attempts = 0, crashes = 0, cut_offs = 0, error = null, due_at = null,
      finished_at = null where id = ?
  `
  return {
    counts: database.prepare('select state, count(*) as number from work group by state'),
    get: database.prepare(`${entry} where id = ?`),
    list: database.prepare(`${entry} where id in (${page}) order by id`),
    listTwo: database.prepare(
      `${entry} where id in (select * from (${page}) union all select * from (${page})) order by id limit ?`,
    ),
    replay: database.prepare(`${restart} and state <> ${active}`),
    replayDead: database.prepare(`${restart} and state = ${dead}`),
    finished: database.prepare('select id from work where state = ? and finished_at < ? limit ?'),
    remove: database.prepare('delete from work where id = ?'),
    removeBody: database.prepare('delete from notification where id = ?'),
  }
}

/** The first entries that fit a page in bytes, and at least one. */
function firstPage(rows: Iterable<Record<string, unknown>>): InboxEntry[] {
  const page: InboxEntry[] = []
  let bytes = 0
  for (const row of rows) {
    const entry = toEntry(row)
    bytes += entry.rawBody.length
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break
    page.push(entry)
  }
  return page
}

function toEntry(row: Record<string, unknown>): InboxEntry {
  const state = row.state as number
  const rawBody = row.body as Uint8Array
  return {
    id: String(row.id),
    signature: String(row.signature),
    clientId: String(row.client_id),
    receivedAt: toDate(row.received_at),
    rawBody,
    kind: kindOf(rawBody),
    state: NAMES[state] ?? 'waiting',
    attempts: Number(row.attempts),
    error: row.error as string | null,
    dueAt: state === STATE.ready ? toDate(row.received_at) : row.due_at === null ? null : toDate(row.due_at),
    finishedAt: row.finished_at === null ? null : toDate(row.finished_at),
  }
}

const NO_ROW = -1

/** The row of an id, or a row that never exists. */
function toRowId(id: string): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : NO_ROW
}

const toDate = (milliseconds: unknown) => new Date(Number(milliseconds))
