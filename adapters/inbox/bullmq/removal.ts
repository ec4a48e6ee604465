import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Connection } from './connection.ts'
import { subjectOf } from './job.ts'
import type { SubjectIndex } from './subject-index.ts'

/** How many jobs are removed at once. It blocks Redis for a few milliseconds. */
const PRUNED_AT_ONCE = 500

/** Removes jobs, and what the index has of them. What it has of completed jobs expires anyway. */
export function createRemoval(
  { queue, reach }: Connection,
  index: SubjectIndex,
  list: InboxEngine['list'],
): Pick<InboxEngine, 'remove' | 'prune'> {
  async function remove({ id, subject }: Pick<InboxEntry, 'id' | 'subject'>): Promise<boolean> {
    // One that a worker holds is not removed.
    if ((await queue.remove(id)) <= 0) return false
    await index.remove(subject, id)
    return true
  }

  async function removeAll(removing: Promise<boolean>[]): Promise<number> {
    return (await Promise.all(removing)).filter(Boolean).length
  }

  async function pruneDead(olderThan: Date): Promise<number> {
    const dead = await list('dead', PRUNED_AT_ONCE, undefined)
    const old = dead.filter(({ finishedAt }) => finishedAt !== null && finishedAt < olderThan)
    return await removeAll(old.map(remove))
  }

  async function pruneCompleted(olderThan: Date): Promise<number> {
    // clean() takes an age, and also removes jobs of exactly that age.
    const age = Date.now() - olderThan.getTime() + 1
    return (await queue.clean(age, PRUNED_AT_ONCE, 'completed')).length
  }

  return {
    async remove(ids) {
      await reach()
      const removing = ids.map(async (id) => {
        const job = await queue.getJob(id)
        return job !== undefined && (await remove({ id, subject: subjectOf(job) }))
      })
      return await removeAll(removing)
    },
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
