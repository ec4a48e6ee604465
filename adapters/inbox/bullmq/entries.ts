import { InboxError } from '../../../src/errors.ts'
import { toCounts } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine, Restart } from '../../../src/inbox/inbox-engine.ts'
import { isReplayedBy, noteReplay } from './attempts.ts'
import type { Connection } from './connection.ts'
import { type InboxQueue, readEntry, readJobs } from './job.ts'
import { PAUSED, runScript } from './scripts.ts'

/** BullMQ's collections for each state, in the order in which they are listed. */
const COLLECTIONS = {
  waiting: ['wait', 'prioritized', 'delayed'],
  active: ['active'],
  completed: ['completed'],
  dead: ['failed'],
} as const

/** Where a job was listed: its id, its collection and, if it is delayed, its score. */
type Place = readonly [id: string, collection: string, score: string]

/** How many jobs a connection knows where it listed them. */
const REMEMBERED = 5000

export function createEntries(connection: Connection) {
  const { queue, reach } = connection

  // A job that moves while pages are read must not take the place of the next page with it.
  const listedIn = new Map<string, string>()

  async function startAfter(id: string, collections: readonly string[]): Promise<number> {
    const listed = listedIn.get(id)
    const collection = listed && collections.includes(listed) ? listed : (await locate(queue, id))[1]
    return collections.indexOf(collection)
  }

  async function list(state: InboxState, limit: number, after: string | undefined): Promise<InboxEntry[]> {
    await reach()
    const collections: readonly string[] = COLLECTIONS[state]
    const first = after === undefined ? 0 : await startAfter(after, collections)
    const args = [limit, after ?? '', ...collections.slice(first)]
    const places = first < 0 ? undefined : (await runScript<Place[]>(queue, 'payhookList', args))[0]
    if (!places) {
      const message = `The entry ${JSON.stringify(after)} is not ${state}, or no longer; list from the first page again.`
      throw new InboxError('entry_not_found', message)
    }
    const entries: InboxEntry[] = []
    await readJobs(entries, places, ([id, , score]) => readEntry(queue, id, state, score))
    for (const [id, collection] of places) {
      listedIn.delete(id)
      listedIn.set(id, collection)
    }
    for (const id of [...listedIn.keys()].slice(0, -REMEMBERED)) listedIn.delete(id)
    return entries
  }

  return {
    restart: createRestart(connection),
    ...createRemoval(connection),
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
      const client = await reach()
      const [state, collection] = await locate(queue, id)
      const score = collection === 'delayed' ? await client.zscore(queue.toKey('delayed'), id) : null
      return state && (await readEntry(queue, id, state, score))
    },
  } satisfies Partial<InboxEngine>
}

/** How many jobs are restarted at once. Each takes a few commands, one after the other. */
const RESTARTED_AT_ONCE = 20

function createRestart({ queue, reach }: Connection): InboxEngine['restart'] {
  /** @returns whether this call made a job of that collection wait, with no attempts yet */
  async function restart({ id, dueAt }: Restart, collection: string, call?: number): Promise<boolean> {
    const job = await queue.getJob(id)
    if (job === undefined || (call !== undefined && isReplayedBy(job, call))) return false
    try {
      if (collection === 'failed' || collection === 'completed') {
        // Another process has replayed it meanwhile.
        if (!job.finishedOn) return false
        await noteReplay(job, collection === 'completed' && !job.returnvalue, dueAt, call)
        await job.retry(collection, { resetAttemptsMade: true })
      } else {
        await noteReplay(job, false, dueAt, call)
        if (collection === 'delayed') {
          if (dueAt) await job.changeDelay(dueAt - Date.now())
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

  return async (state, restarts, call) => {
    await reach()
    const restartOne = async (one: Restart) => {
      const [current, collection] = await locate(queue, one.id)
      return current === state && (await restart(one, collection, call))
    }
    let restarted = 0
    for (let at = 0; at < restarts.length; at += RESTARTED_AT_ONCE) {
      const results = await Promise.all(restarts.slice(at, at + RESTARTED_AT_ONCE).map(restartOne))
      restarted += results.filter(Boolean).length
    }
    return restarted
  }
}

/** How many jobs are removed at once. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500

/** Removes jobs. What the index has of them is removed later. */
function createRemoval({ queue, reach }: Connection): Pick<InboxEngine, 'remove' | 'prune'> {
  return {
    async remove(ids) {
      const client = await reach()
      // One that a worker holds is not removed.
      const isRemoved = async (id: string) =>
        (await client.exists(queue.toKey(id))) > 0 && (await queue.remove(id)) > 0
      return (await Promise.all(ids.map(isRemoved))).filter(Boolean).length
    },
    async prune(state, olderThan) {
      await reach()
      const [collection] = COLLECTIONS[state]
      // What finished at exactly this time is removed, too.
      const last = olderThan.getTime() - 1
      for (let total = 0; ; ) {
        const { length } = await queue.getBackend().cleanJobsByState(collection, last, PRUNED_AT_ONCE)
        if (length === 0) return total
        total += length
      }
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
