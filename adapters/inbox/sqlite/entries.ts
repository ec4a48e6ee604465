import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fromIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import { STATES_OF } from '../../../src/inbox/entry-row.ts'
import { toCounts } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine, Restart } from '../../../src/inbox/inbox-engine.ts'
import type { Write } from './group-commit.ts'
import { createParking } from './parking.ts'
import { createInsert, createPuts } from './puts.ts'
import type { RecentSignatures } from './recent-signatures.ts'
import { createReader, ENTRY, KEY, toRowId, toStart } from './row.ts'
import { STATE } from './schema.ts'

/** How many entries a transaction prunes, which takes a few milliseconds. Then other writes follow. */
const PRUNED_AT_ONCE = 200

export function createEntries(
  database: DatabaseSync,
  write: Write,
  recent: RecentSignatures,
  onDue: () => void,
  now: () => number,
) {
  const sql = prepareEntries(database)
  const { toEntry, firstPage, holds } = createReader(database)
  const { wake } = createParking(database)
  const insert = createInsert(database)

  function importOne(entry: InboxEntry): void {
    const { id, receivedAt, attempts, error, dueAt, finishedAt } = entry
    if (holds(id)) return
    const row = insert([entry])
    const state = stateOf(entry)
    sql.import.run(
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
    const row = toRowId(id)
    const freed = sql.key.get(row)?.key ?? null
    const isRemoved = sql.remove.run(row).changes > 0
    if (isRemoved) wake([freed])
    return isRemoved
  }

  return {
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
    async get(id) {
      const row = sql.get.get(toRowId(id))
      return row && toEntry(row)
    },
    async restart(state, restarts) {
      const isChanged = ({ id, dueAt = now() }: Restart) =>
        sql.restart[state].run(dueAt, now(), toRowId(id)).changes > 0
      const restarted = await write(() => restarts.filter(isChanged).length)
      onDue()
      return restarted
    },
    async import(entries) {
      const bytes = entries.reduce((sum, { rawBody }) => sum + rawBody.length, 0)
      await write(() => entries.forEach(importOne), { bytes })
    },
    remove: (ids) => write(() => ids.filter(removeOne).length),
    async pause(reason) {
      await write(() => sql.pause.run(now(), reason))
    },
    async resume() {
      await write(() => sql.resume.run())
      onDue()
    },
    async prune(state, olderThan) {
      for (let total = 0; ; await nextTurn()) {
        const { changes } = await write(() => sql.prune.run(STATE[state], olderThan.getTime()))
        total += Number(changes)
        if (changes < PRUNED_AT_ONCE) return total
      }
    },
  } satisfies Partial<InboxEngine>
}

function stateOf({ state, error, dueAt }: InboxEntry): number {
  if (state === 'dead' || state === 'completed') return STATE[state]
  // A replay may have spread it.
  return error !== null || Number(dueAt) > Date.now() ? STATE.delayed : STATE.ready
}

function prepareEntries(database: DatabaseSync) {
  const entry = `select ${ENTRY} from work join notification using (id)`
  const list = (name: InboxState) => {
    const page = (state: number) =>
      `select * from (select id from work where state = ${state} and id > ?1 order by id limit ?2)`
    const pages = STATES_OF[name].map(page).join(' union all ')
    return database.prepare(`${entry} where id in (${pages}) order by id limit ?2`)
  }
  const { active, completed, delayed, parked, ready } = STATE
  const isDue = `state in (${parked}, ${ready})`
  const restart = (name: InboxState) =>
    database.prepare(`
      update work set state = iif(${isDue}, ${ready}, ${delayed}), due_at = iif(${isDue}, due_at, ?),
        repeats = repeats + (state = ${completed} and error is null), attempts = 0, crashes = 0, error = null, started_at = ?,
        finished_at = null where id = ? and state in (${STATES_OF[name].join(', ')})
    `)
  return {
    counts: database.prepare('select state, count(*) as number from work group by state'),
    get: database.prepare(`${entry} where id = ?`),
    list: {
      dead: list('dead'),
      active: list('active'),
      waiting: list('waiting'),
      completed: list('completed'),
    },
    restart: { dead: restart('dead'), waiting: restart('waiting'), completed: restart('completed') },
    import: database.prepare(
      'insert into work (id, state, attempts, due_at, error, finished_at, repeats) values (?, ?, ?, ?, ?, ?, ?)',
    ),
    key: database.prepare(`select ${KEY} as key from notification where id = ?`),
    remove: database.prepare(`delete from work where id = ? and state <> ${active}`),
    pause: database.prepare('update file set paused_at = coalesce(paused_at, ?), pause_reason = ?'),
    resume: database.prepare('update file set paused_at = null, pause_reason = null'),
    prune: database.prepare(`
      delete from work where id in (select id from work where state = ? and finished_at < ? limit ${PRUNED_AT_ONCE})
    `),
  }
}
