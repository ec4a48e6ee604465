import { InboxError } from '../../../src/errors.ts'
import { entryActive, entryNotFound, toCounts } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine, Restart } from '../../../src/inbox/inbox-engine.ts'
import { type BulkReplay, isReplayedBy, noteReplay } from './attempts.ts'
import type { Connection, RedisClient } from './connection.ts'
import { type InboxQueue, readJobs, toEntry } from './job.ts'
import { PAUSED, runScript } from './scripts.ts'

/** BullMQ's collections for each state, in the order in which they are listed. */
const COLLECTIONS = {
  waiting: ['wait', 'prioritized', 'delayed'],
  active: ['active'],
  completed: ['completed'],
  dead: ['failed'],
} as const

export function createEntries(connection: Connection) {
  const { queue, reach } = connection

  async function read(id: string, state: InboxState, collection: string): Promise<InboxEntry | undefined> {
    const [job, score] = await Promise.all([
      queue.getJob(id),
      collection === 'delayed' ? (await reach()).zscore(queue.toKey('delayed'), id) : null,
    ])
    return job && toEntry(job, state, score === null ? undefined : Number(score))
  }

  async function startAfter(id: string, state: InboxState): Promise<[collection: number, index: number]> {
    const [, collection] = await locate(queue, id)
    const first = (COLLECTIONS[state] as readonly string[]).indexOf(collection)
    const index =
      first < 0 ? null : await indexOf(await reach(), queue.toKey(collection), id, isList(collection))
    if (index !== null) return [first, index + 1]
    const message = `The entry ${JSON.stringify(id)} is not ${state}, or no longer; list from the first page again.`
    throw new InboxError('entry_not_found', message)
  }

  async function list(state: InboxState, limit: number, after: string | undefined): Promise<InboxEntry[]> {
    await reach()
    let [first, position] = after === undefined ? [0, 0] : await startAfter(after, state)
    const entries: InboxEntry[] = []
    for (const collection of COLLECTIONS[state].slice(first)) {
      const ids = await queue.getRanges([collection], position, position + limit - entries.length - 1, true)
      if (await readJobs(entries, ids, (id) => read(id, state, collection))) break
      if (entries.length >= limit) break
      position = 0
    }
    return entries
  }

  return {
    ...createReplay(connection),
    ...createRemoval(connection, list),
    async counts() {
      await reach()
      const counts = await queue.getJobCounts(...Object.values(COLLECTIONS).flat())
      return toCounts((state) =>
        COLLECTIONS[state].reduce((sum, collection) => sum + (counts[collection] ?? 0), 0),
      )
    },
    list,
    // BullMQ's workers read with each job whether the queue is paused.
    async pause(reason) {
      await reach()
      await runScript(queue, 'payhookPause', [Date.now(), reason])
      await queue.pause()
    },
    async resume() {
      const client = await reach()
      await queue.resume()
      // Afterwards, as a pause without a reason is reported as that of another program.
      await client.del(queue.toKey(PAUSED))
    },
    async get(id) {
      await reach()
      const [state, collection] = await locate(queue, id)
      return state && (await read(id, state, collection))
    },
  } satisfies Partial<InboxEngine>
}

/** How many jobs are restarted at once. Each takes a few commands, one after the other. */
const RESTARTED_AT_ONCE = 20
/** How often a replay tries again if the job moves meanwhile. */
const TRIES = 3

function createReplay({ queue, reach }: Connection): Pick<InboxEngine, 'replay' | 'restart'> {
  /** @returns whether this call made a job of that collection wait, with no attempts yet */
  async function restart(id: string, collection: string, bulk?: BulkReplay): Promise<boolean> {
    const job = await queue.getJob(id)
    if (job === undefined || (bulk && isReplayedBy(job, bulk.call))) return false
    try {
      if (collection === 'failed' || collection === 'completed') {
        await noteReplay(job, collection === 'completed', bulk)
        await job.retry(collection, { resetAttemptsMade: true })
      } else {
        await noteReplay(job, false, bulk)
        if (collection === 'delayed') {
          if (bulk?.dueAt) await job.changeDelay(bulk.dueAt - Date.now())
          else await job.promote()
          // A parked job has one.
          if (job.priority > 0) await job.changePriority({ priority: 0 })
        }
      }
      return true
    } catch (error) {
      // A worker may have taken the job meanwhile, or another process may have replayed it.
      if (typeof (error as { code?: unknown }).code !== 'number') throw error
      return false
    }
  }

  async function replay(id: string): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      await reach()
      const [state, collection] = await locate(queue, id)
      if (state === undefined) throw entryNotFound(id)
      if (state === 'active') throw entryActive(id)
      if (await restart(id, collection)) return
    }
    // It moved each time, so it is being handled.
    throw entryActive(id)
  }

  return {
    replay,
    async restart(state, restarts, call) {
      await reach()
      const restartOne = async ({ id, dueAt }: Restart) => {
        const [current, collection] = await locate(queue, id)
        return current === state && (await restart(id, collection, { call, dueAt }))
      }
      let restarted = 0
      for (let at = 0; at < restarts.length; at += RESTARTED_AT_ONCE) {
        const results = await Promise.all(restarts.slice(at, at + RESTARTED_AT_ONCE).map(restartOne))
        restarted += results.filter(Boolean).length
      }
      return restarted
    },
  }
}

/** How many jobs are removed at once. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500

/** Removes jobs. What the index has of them is removed later. */
function createRemoval(
  { queue, reach }: Connection,
  list: InboxEngine['list'],
): Pick<InboxEngine, 'remove' | 'prune'> {
  async function remove(ids: readonly string[]): Promise<number> {
    const client = await reach()
    const removed = await Promise.all(
      ids.map(async (id) => {
        // One that a worker holds is not removed.
        return (await client.exists(queue.toKey(id))) > 0 && (await queue.remove(id)) > 0
      }),
    )
    return removed.filter(Boolean).length
  }

  async function pruneDead(olderThan: Date): Promise<number> {
    const dead = await list('dead', PRUNED_AT_ONCE, undefined)
    const old = dead.filter(({ finishedAt }) => finishedAt !== null && finishedAt < olderThan)
    return await remove(old.map(({ id }) => id))
  }

  async function pruneCompleted(olderThan: Date): Promise<number> {
    // clean() takes an age, and also removes jobs of exactly that age.
    const age = Date.now() - olderThan.getTime() + 1
    return (await queue.clean(age, PRUNED_AT_ONCE, 'completed')).length
  }

  return {
    remove,
    async prune(state, olderThan) {
      await reach()
      let total = 0
      let pruned: number
      do {
        pruned = await (state === 'dead' ? pruneDead(olderThan) : pruneCompleted(olderThan))
        total += pruned
      } while (pruned > 0)
      return total
    },
  }
}

async function locate(queue: InboxQueue, id: string): Promise<[InboxState | undefined, collection: string]> {
  const found = await queue.getJobState(id)
  const collection = found === 'waiting' ? 'wait' : found
  const states = Object.keys(COLLECTIONS) as InboxState[]
  const holds = (state: InboxState) => (COLLECTIONS[state] as readonly string[]).includes(collection)
  return [states.find(holds), collection]
}

function isList(collection: string): boolean {
  return collection === 'wait' || collection === 'active'
}

/** The index of a job in its collection, counted from the oldest; `null` if it has left. */
async function indexOf(client: RedisClient, key: string, id: string, list: boolean): Promise<number | null> {
  if (!list) return await client.zrank(key, id)
  // New jobs go to the head of a list.
  const results = await client.multi().lpos(key, id).llen(key).exec()
  const [position, length] = (results ?? []).map(([error, result]) => {
    if (error) throw error
    return result as number | null
  })
  return typeof position === 'number' ? (length ?? 0) - 1 - position : null
}
