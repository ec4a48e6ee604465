import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { STATES } from '../../../src/inbox/entry-rules.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { createGroupCommit, type LogState } from './group-commit.ts'
import { createReader, ENTRY, toStart } from './row.ts'
import { STATES_OF } from './schema.ts'

/** How many entries a transaction indexes, which takes a few milliseconds. Then other writes follow. */
const INDEXED_AT_ONCE = 1_000
/** The pause after it in a worker, so that indexing takes a few percent of a processor. */
const PAUSE_MS = 100
/** The pause while somebody waits, so that other processes can write. */
const SHORT_PAUSE_MS = 5
/** How many entries that are not indexed yet are read at once, which takes a few milliseconds. */
const READ_AT_ONCE = 5_000

/**
 * Finds entries by subject: those that are indexed, and then the few that were stored since. If there are many,
 * they are indexed first.
 */
export function createFind(database: DatabaseSync, log: LogState) {
  const write = createGroupCommit(database, log)
  const sql = prepareFind(database)
  const { firstPage } = createReader(database)

  const newest = () => Number(sql.newest.get()?.id ?? 0)
  const indexed = () => Number(sql.indexed.get()?.indexed)

  function indexSome(): void {
    const last = sql.last.get(INDEXED_AT_ONCE)?.last ?? null
    sql.index.run(last)
    sql.mark.run(last)
  }

  /** @param ref whether the process has to stay until it is done */
  function createIndexing(pauseMs: number, ref: boolean): () => Promise<void> {
    let indexing: Promise<void> | undefined
    async function indexAll(): Promise<void> {
      for (const end = newest(); indexed() < end; ) {
        await write(indexSome)
        await delay(pauseMs, undefined, { ref })
      }
    }
    return () => {
      indexing ??= indexAll().finally(() => {
        indexing = undefined
      })
      return indexing
    }
  }

  const catchUp = createIndexing(SHORT_PAUSE_MS, true)

  const find: InboxEngine['find'] = async (subject, state, limit, after) => {
    const start = toStart(after)
    const states = (state === undefined ? STATES : [state]).flatMap((name) => STATES_OF[name])
    // If it cannot be written, all of them are read.
    if (newest() - indexed() >= INDEXED_AT_ONCE) await catchUp().catch(() => {})
    const rest = [subject, JSON.stringify(states)] as const
    let from = Math.max(start, indexed())
    const found = sql.find.all(start, ...rest, limit)
    for (const end = newest(); found.length < limit && from < end; from += READ_AT_ONCE) {
      found.push(...sql.read.all(from, from + READ_AT_ONCE, ...rest, limit - found.length))
      await nextTurn()
    }
    const ids = JSON.stringify(found.map(({ id }) => id))
    return firstPage(sql.entries.iterate(ids, JSON.stringify(states)))
  }

  return {
    find,
    /** Indexes what has been stored until now. */
    index: createIndexing(PAUSE_MS, false),
  }
}

function prepareFind(database: DatabaseSync) {
  const isIn = (list: string) => `in (select value from json_each(${list}))`
  return {
    find: database.prepare(`
      select id from work indexed by work_by_subject
        where id > ? and indexed_subject = ? and state ${isIn('?')} order by id limit ?
    `),
    read: database.prepare(`
      select id from notification cross join work using (id)
        where id > ? and id <= ? and subject = ? and state ${isIn('?')} order by id limit ?
    `),
    entries: database.prepare(`
      select ${ENTRY} from notification cross join work using (id)
        where id ${isIn('?')} and state ${isIn('?')} order by id
    `),
    newest: database.prepare(`select seq as id from sqlite_sequence where name = 'notification'`),
    indexed: database.prepare('select indexed from file'),
    /** The last entry to index next, or if there is none, the row id that was last given to one. */
    last: database.prepare(`
      select coalesce(max(id), (select seq from sqlite_sequence where name = 'notification')) as last
        from (select id from work where id > (select indexed from file) order by id limit ?)
    `),
    index: database.prepare(`
      update work set indexed_subject = (select subject from notification where notification.id = work.id)
        where id > (select indexed from file) and id <= ?
    `),
    mark: database.prepare('update file set indexed = ?'),
  }
}
