import { InboxError } from '../../../src/errors.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { MAX_PAGE_BYTES, toCounts } from '../../../src/inbox/recovery.ts'
import type { Connection } from './connection.ts'
import { toEntry } from './job.ts'
import { COLLECTIONS, type JobLocation, locate } from './location.ts'
import { createReplay } from './replay.ts'

export type Entries = Pick<InboxEngine, 'counts' | 'list' | 'get' | 'replay' | 'replayDead' | 'prune'>

/** How many jobs one command removes. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500
/** The score of a delayed job is its time in milliseconds, times this. */
const DELAYED_SCORES_PER_MS = 0x1000

/** How many jobs are read at once. Their sizes are not known before. */
const READ_AT_ONCE = 8

export function createEntries(connection: Connection): Entries {
  const { queue, reach } = connection

  async function read(id: string, { state, collection }: Pick<JobLocation, 'state' | 'collection'>) {
    const [job, score] = await Promise.all([
      queue.getJob(id),
      collection === 'delayed' ? (await reach()).zscore(queue.toKey('delayed'), id) : null,
    ])
    if (job === undefined) return undefined
    return toEntry(
      job,
      state,
      score === null ? undefined : new Date(Math.floor(Number(score) / DELAYED_SCORES_PER_MS)),
    )
  }

  async function startOf(
    state: InboxState,
    after: string | undefined,
  ): Promise<[collection: number, index: number]> {
    if (after === undefined) return [0, 0]
    const location = await locate(connection, after)
    if (location?.state !== state) throw noLongerListed(after, state)
    return [(COLLECTIONS[state] as readonly string[]).indexOf(location.collection), location.index + 1]
  }

  return {
    ...createReplay(connection),
    async counts() {
      await reach()
      const counts = await queue.getJobCounts(...Object.values(COLLECTIONS).flat())
      return toCounts((state) =>
        COLLECTIONS[state].reduce((sum, collection) => sum + (counts[collection] ?? 0), 0),
      )
    },
    async list(state, limit, after) {
      await reach()
      let [first, index] = await startOf(state, after)
      const entries: InboxEntry[] = []
      let bytes = 0
      for (const collection of COLLECTIONS[state].slice(first)) {
        const ids = await queue.getRanges([collection], index, index + limit - entries.length - 1, true)
        for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
          const some = ids.slice(at, at + READ_AT_ONCE)
          for (const entry of await Promise.all(some.map((id) => read(id, { state, collection })))) {
            if (entry === undefined) continue
            bytes += entry.rawBody.length
            if (bytes > MAX_PAGE_BYTES && entries.length > 0) return entries
            entries.push(entry)
          }
        }
        if (entries.length >= limit) break
        index = 0
      }
      return entries
    },
    async get(id) {
      const location = await locate(connection, id)
      return location && (await read(id, location))
    },
    async prune(state, olderThan) {
      await reach()
      const [collection] = COLLECTIONS[state]
      let total = 0
      let pruned: number
      do {
        // clean() takes an age, and also removes jobs of exactly that age.
        const age = Date.now() - olderThan.getTime() + 1
        pruned = (await queue.clean(age, PRUNED_AT_ONCE, collection)).length
        total += pruned
      } while (pruned === PRUNED_AT_ONCE)
      return total
    },
  }
}

function noLongerListed(id: string, state: InboxState): InboxError {
  return new InboxError(
    'entry_not_found',
    `The entry ${JSON.stringify(id)} is not ${state}, or no longer; list from the first page again.`,
  )
}
