import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Connection } from './connection.ts'
import { runScript } from './scripts.ts'

/** How many jobs are removed at once. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500

/** Removes jobs. What the index has of them is removed later. */
export function createRemoval(
  { queue, reach }: Connection,
  list: InboxEngine['list'],
): Pick<InboxEngine, 'remove' | 'prune'> {
  async function remove(ids: readonly string[]): Promise<number> {
    const client = await reach()
    await runScript(queue, 'payhookUndefer', ids)
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
