import { InboxError } from '../../../src/errors.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { entryActive, entryNotFound, MAX_PAGE_BYTES } from '../../../src/inbox/recovery.ts'
import { forgetAttempts } from './attempts.ts'
import type { Connection } from './connection.ts'
import { toEntry } from './job.ts'

export type Entries = Pick<InboxEngine, 'counts' | 'list' | 'get' | 'replay' | 'replayDead' | 'prune'>

/** BullMQ's collections for each state, in the order in which they are listed. */
const COLLECTIONS = {
  waiting: ['wait', 'prioritized', 'delayed'],
  active: ['active'],
  completed: ['completed'],
  dead: ['failed'],
} as const

type Collection = (typeof COLLECTIONS)[InboxState][number]

/** Where a job is. `index` counts from the oldest job of the collection. */
interface Place {
  readonly state: InboxState
  readonly collection: Collection
  readonly index: number
}

/** How many jobs one command removes. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500
/** The score of a delayed job is its time in milliseconds, times this. */
const DELAYED_SCORES_PER_MS = 0x1000

/** How many jobs are read at once. Their sizes are not known before. */
const READ_AT_ONCE = 8

/** How often a replay tries again if the job moves meanwhile. */
const REPLAY_TRIES = 3

export function createEntries({ queue, reach }: Connection): Entries {
  async function locate(id: string): Promise<Place | undefined> {
    const asked: [InboxState, Collection][] = []
    const transaction = (await reach()).multi()
    for (const [state, collections] of Object.entries(COLLECTIONS)) {
      for (const collection of collections) {
        asked.push([state as InboxState, collection])
        const key = queue.toKey(collection)
        if (isList(collection)) {
          transaction.lpos(key, id)
          transaction.llen(key)
        } else transaction.zrank(key, id)
      }
    }
    return placeIn(asked, await transaction.exec())
  }

  async function read(id: string, { state, collection }: Pick<Place, 'state' | 'collection'>) {
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
    const place = await locate(after)
    if (place?.state !== state) throw noLongerListed(after, state)
    return [(COLLECTIONS[state] as readonly string[]).indexOf(place.collection), place.index + 1]
  }

  /** @returns whether this call made a job of that collection due, with no attempts yet */
  async function restart(id: string, collection: Collection): Promise<boolean> {
    await reach()
    const job = await queue.getJob(id)
    if (job === undefined) return false
    try {
      if (collection === 'failed' || collection === 'completed') {
        await forgetAttempts(job, 0)
        await job.retry(collection, { resetAttemptsMade: true, resetAttemptsStarted: true })
      } else {
        await forgetAttempts(job, job.attemptsMade)
        if (collection === 'delayed') await job.promote()
      }
      return true
    } catch (error) {
      // A worker may have taken the job meanwhile, or another process may have replayed it.
      if (typeof (error as { code?: unknown }).code !== 'number') throw error
      return false
    }
  }

  async function replay(id: string): Promise<void> {
    for (let tries = 0; tries < REPLAY_TRIES; tries++) {
      const place = await locate(id)
      if (place === undefined) throw entryNotFound(id)
      if (place.state === 'active') throw entryActive(id)
      if (await restart(id, place.collection)) return
    }
    // It moved each time, so it is being handled.
    throw entryActive(id)
  }

  return {
    replay,
    replayDead: (id) => restart(id, 'failed'),
    async counts() {
      await reach()
      const counts = await queue.getJobCounts(...Object.values(COLLECTIONS).flat())
      const count = (state: InboxState) =>
        COLLECTIONS[state].reduce((sum, collection) => sum + (counts[collection] ?? 0), 0)
      return {
        waiting: count('waiting'),
        active: count('active'),
        completed: count('completed'),
        dead: count('dead'),
      }
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
      const place = await locate(id)
      return place && (await read(id, place))
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

function isList(collection: Collection): boolean {
  return collection === 'wait' || collection === 'active'
}

function placeIn(asked: [InboxState, Collection][], answers: [unknown, unknown][] | null): Place | undefined {
  let next = 0
  const answer = () => {
    const [error, result] = answers?.[next++] ?? []
    if (error) throw error
    return result as number | null
  }
  let place: Place | undefined
  for (const [state, collection] of asked) {
    const position = answer()
    // New jobs go to the head of a list.
    const index = isList(collection) ? (answer() ?? 0) - 1 - (position ?? 0) : position
    if (position !== null && index !== null) place = { state, collection, index }
  }
  return place
}

function noLongerListed(id: string, state: InboxState): InboxError {
  return new InboxError(
    'entry_not_found',
    `The entry ${JSON.stringify(id)} is not ${state}, or no longer; list from the first page again.`,
  )
}
