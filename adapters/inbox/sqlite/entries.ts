import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { entryActive, entryNotFound, toCounts } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine, ReplayState, Restart } from '../../../src/inbox/inbox-engine.ts'
import { createGroupCommit, type LogState, type Write } from './group-commit.ts'
import { createImports, prepareSpread } from './imports.ts'
import { createPuts } from './puts.ts'
import type { RecentSignatures } from './recent-signatures.ts'
import { createReader, ENTRY, toRowId, toStart } from './row.ts'
import { STATE, STATES_OF } from './schema.ts'

/** How many entries a transaction prunes, which takes a few milliseconds. Then other writes follow. */
const PRUNED_AT_ONCE = 200

export function createEntries(
  database: DatabaseSync,
  log: LogState,
  recent: RecentSignatures,
  onDue: () => void,
  now: () => number,
) {
  const write = createGroupCommit(database, log, { recent })
  const sql = prepareEntries(database)
  const { toEntry, firstPage } = createReader(database)

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
      return toCounts((name) => STATES_OF[name].reduce((sum, state) => sum + (numbers.get(state) ?? 0), 0))
    },
    async list(state, limit, after) {
      return firstPage(sql.list[state].iterate(toStart(after), limit))
    },
    get: async (id) => get(id),
    ...createReplay(database, write, get, onDue, now),
    async pause(reason) {
      await write(() => sql.pause.run(now(), reason))
    },
    async resume() {
      await write(() => sql.resume.run())
      onDue()
    },
    async prune(state, olderThan) {
      let total = 0
      let pruned: number
      do {
        pruned = await write(() => Number(sql.prune.run(STATE[state], olderThan.getTime()).changes))
        total += pruned
        await nextTurn()
      } while (pruned === PRUNED_AT_ONCE)
      return total
    },
  } satisfies Partial<InboxEngine>
}

function createReplay(
  database: DatabaseSync,
  write: Write,
  get: (id: string) => InboxEntry | undefined,
  onDue: () => void,
  now: () => number,
): Pick<InboxEngine, 'replay' | 'restart'> {
  const sql = prepareReplay(database)

  function restartSome(state: ReplayState, restarts: readonly Restart[]): number {
    const lastDueAt = restarts.at(-1)?.dueAt
    if (lastDueAt !== undefined) sql.spread.run(lastDueAt)
    const isChanged = ({ id, dueAt = now() }: Restart) =>
      state === 'waiting'
        ? sql.hasten.run(dueAt, toRowId(id), now()).changes > 0
        : sql.restart.run(dueAt, toRowId(id), STATE[state]).changes > 0
    return restarts.filter(isChanged).length
  }

  return {
    async replay(id) {
      const replayed = await write(() => sql.replay.run(now(), toRowId(id)).changes > 0)
      if (!replayed) throw get(id) === undefined ? entryNotFound(id) : entryActive(id)
      onDue()
    },
    async restart(state, restarts) {
      const restarted = await write(() => restartSome(state, restarts))
      onDue()
      return restarted
    },
  }
}

function prepareReplay(database: DatabaseSync) {
  const { active, completed, delayed, parked, ready } = STATE
  const isDue = `state in (${parked}, ${ready})`
  const restart = `
    update work set state = iif(${isDue}, ${ready}, ${delayed}), due_at = iif(${isDue}, due_at, ?),
      repeats = repeats + (state = ${completed}), attempts = 0, crashes = 0, error = null, finished_at = null
      where id = ?
  `
  return {
    replay: database.prepare(`${restart} and state <> ${active}`),
    restart: database.prepare(`${restart} and state = ?`),
    hasten: database.prepare(`${restart} and state = ${delayed} and due_at > ?`),
    spread: prepareSpread(database),
  }
}

function prepareEntries(database: DatabaseSync) {
  const entry = `select ${ENTRY} from work join notification using (id)`
  const list = (name: InboxState) => {
    const page = (state: number) =>
      `select * from (select id from work where state = ${state} and id > ?1 order by id limit ?2)`
    const pages = STATES_OF[name].map(page).join(' union all ')
    return database.prepare(`${entry} where id in (${pages}) order by id limit ?2`)
  }
  return {
    counts: database.prepare('select state, count(*) as number from work group by state'),
    get: database.prepare(`${entry} where id = ?`),
    list: {
      dead: list('dead'),
      active: list('active'),
      waiting: list('waiting'),
      completed: list('completed'),
    },
    pause: database.prepare('update file set paused_at = coalesce(paused_at, ?), pause_reason = ?'),
    resume: database.prepare('update file set paused_at = null, pause_reason = null'),
    prune: database.prepare(`
      delete from work where id in (select id from work where state = ? and finished_at < ? limit ${PRUNED_AT_ONCE})
    `),
  }
}
