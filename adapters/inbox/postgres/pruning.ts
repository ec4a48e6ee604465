import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Database } from './database.ts'
import { STATE } from './schema.ts'

/** How many rows a transaction deletes, which takes a few milliseconds. */
const DELETED_AT_ONCE = 500

interface Kept {
  readonly keepCompletedSeconds: number
  readonly dedupeSeconds: number
}

export function createPruning({ schema, query }: Database, { keepCompletedSeconds, dedupeSeconds }: Kept) {
  /** Oldest first, in small transactions. Leaves what is locked. An array keeps the planner from the rest. */
  async function deleteFrom(table: string, key: string, time: string, condition: string, then = '') {
    const text = `with gone as (
        delete from ${schema}.${table} where ${key} = any(array(
          select ${key} from ${schema}.${table} where ${condition}
          order by ${time} limit ${DELETED_AT_ONCE} for update skip locked
        )) returning ${key}
      ) ${then} select from gone`
    for (let total = 0; ; ) {
      const { length } = await query(text)
      total += length
      if (length < DELETED_AT_ONCE) return total
    }
  }

  const prune: InboxEngine['prune'] = (state, olderThan) =>
    deleteFrom(
      'work',
      'id',
      'finished_at',
      `state = ${STATE[state]} and finished_at < to_timestamp(${olderThan.getTime()} / 1000.0)`,
      `, bodies as (delete from ${schema}.notification where id = any(array(select id from gone)))`,
    )

  return {
    prune,
    async tidy(): Promise<void> {
      await prune('completed', new Date(Date.now() - keepCompletedSeconds * 1_000))
      // What is in the window of another process has not expired.
      const left = `least(now() - interval '${dedupeSeconds} s', (select max(stored_at) from ${schema}.recent))`
      await deleteFrom('recent', 'signature', 'stored_at', `stored_at < ${left} and expires_at < now()`)
      await deleteFrom('claimed', 'key', 'claimed_at', `claimed_at < now() - interval '1 year'`)
    },
  }
}
