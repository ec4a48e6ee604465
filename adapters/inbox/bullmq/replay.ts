import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { entryActive, entryNotFound } from '../../../src/inbox/recovery.ts'
import { forgetAttempts } from './attempts.ts'
import type { Connection } from './connection.ts'
import { type Collection, locate } from './location.ts'

/** How often a replay tries again if the job moves meanwhile. */
const TRIES = 3

export function createReplay(connection: Connection): Pick<InboxEngine, 'replay' | 'replayDead'> {
  /** @returns whether this call made a job of that collection due, with no attempts yet */
  async function restart(id: string, collection: Collection): Promise<boolean> {
    await connection.reach()
    const job = await connection.queue.getJob(id)
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
    for (let tries = 0; tries < TRIES; tries++) {
      const location = await locate(connection, id)
      if (location === undefined) throw entryNotFound(id)
      if (location.state === 'active') throw entryActive(id)
      if (await restart(id, location.collection)) return
    }
    // It moved each time, so it is being handled.
    throw entryActive(id)
  }

  return { replay, replayDead: (id) => restart(id, 'failed') }
}
