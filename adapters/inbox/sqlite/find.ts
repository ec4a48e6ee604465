import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { STATES_OF } from '../../../src/inbox/entry-row.ts'
import { STATES } from '../../../src/inbox/entry-rules.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Write } from './group-commit.ts'
import { createReader, ENTRY, toStart } from './row.ts'

/** How many entries a transaction indexes, which takes a few milliseconds. Then other writes follow. */
const INDEXED_AT_ONCE = 1_000
/** The pause after it in a worker, so that indexing takes a few percent of a processor. */
const PAUSE_MS = 100
/** The pause while somebody waits, so that other processes can write. */
const SHORT_PAUSE_MS = 5

/** Finds entries by subject, once those are indexed that were stored since a worker has done it. */
export function createFind(database: DatabaseSync, write: Write) {
  const sql = prepareFind(database)
  const { firstPage } = createReader(database)

  const indexed = () => Number(sql.indexed.get()?.indexed)

  function indexSome(): void {
    const last = sql.last.get(INDEXED_AT_ONCE)?.last ?? null
    sql.index.run(last)
    sql.mark.run(last)
  }

  /** @param ref whether the process has to stay until it is done */
  async function indexAll(pauseMs: number, ref: boolean): Promise<void> {
    for (const newest = Number(sql.newest.get()?.id ?? 0); indexed() < newest; ) {
      await write(indexSome)
      if (indexed() < newest) await delay(pauseMs, undefined, { ref })
    }
  }

  const find: InboxEngine['find'] = async (subject, state, limit, after) => {
    const start = toStart(after)
    await indexAll(SHORT_PAUSE_MS, true)
    const states = (state === undefined ? STATES : [state]).flatMap((name) => STATES_OF[name])
    return firstPage(sql.find.iterate(start, subject, JSON.stringify(states), limit))
  }

  return { find, index: () => indexAll(PAUSE_MS, false) }
}

function prepareFind(database: DatabaseSync) {
  return {
    find: database.prepare(`
      select ${ENTRY} from work indexed by work_by_subject cross join notification using (id)
        where id > ? and indexed_subject = ? and state in (select value from json_each(?)) order by id limit ?
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
