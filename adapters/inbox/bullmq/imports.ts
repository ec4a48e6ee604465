import { setTimeout as delay } from 'node:timers/promises'
import { type JobsOptions, UnrecoverableError, Worker } from 'bullmq'
import { toImportId } from '../../../src/inbox/import-id.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { setAttempts } from './attempts.ts'
import type { Connection } from './connection.ts'
import { type InboxJob, JOB_NAME, toStored, withoutDefaults } from './job.ts'

/** How long a process that was killed may keep what it was importing, in milliseconds. */
const LOCK_MS = 2_000
const TOKEN = 'import'

/** Entries that come from another inbox, or go to one. */
export function createImports(connection: Connection): Pick<InboxEngine, 'import' | 'remove'> {
  const { queue, reach } = connection

  async function importWaiting(entries: readonly InboxEntry[]): Promise<void> {
    const jobs = entries.map((entry) => ({ name: JOB_NAME, data: toStored(entry), opts: toOptions(entry) }))
    // A job whose id is there already is left as it is.
    const added = await queue.addBulk(jobs)
    await Promise.all(
      entries.map(async ({ attempts }, index) => {
        if (attempts > 0) await setAttempts(added[index] as InboxJob, attempts)
      }),
    )
  }

  /** Only a worker can finish a job, so each is put at the head of the queue and taken from there. */
  async function importFinished(entries: readonly InboxEntry[]): Promise<void> {
    const worker = new Worker(queue.name, null, {
      ...connection.workerOptions,
      autorun: false,
      lockDuration: LOCK_MS,
    })
    // Its calls fail with the same errors.
    worker.on('error', () => {})
    try {
      for (const entry of entries) await importOne(entry, worker as Worker<InboxJob['data'], void, string>)
    } finally {
      await worker.close(true)
    }
  }

  async function importOne(entry: InboxEntry, worker: Worker<InboxJob['data'], void, string>): Promise<void> {
    const id = toImportId(entry)
    if (await isFinished(id)) return
    await removeUnfinished(id)
    const added = await queue.add(JOB_NAME, toStored(entry), { ...toOptions(entry), lifo: true })
    // Finishing it counts as one attempt.
    await setAttempts(added, entry.attempts, 1)
    const job = await worker.getNextJob(TOKEN, { block: false })
    if (job?.id !== id) {
      await job?.moveToWait(TOKEN)
      throw new Error(`The queue "${queue.name}" is paused, or a worker takes from it. Stop the application.`)
    }
    if (entry.state === 'completed') await job.moveToCompleted(undefined, TOKEN, false)
    else await job.moveToFailed(toError(entry), TOKEN, false)
  }

  async function isFinished(id: string): Promise<boolean> {
    return ['completed', 'failed'].includes(await queue.getJobState(id))
  }

  /** Takes away what a process left that was killed on the way; it may still be locked. */
  async function removeUnfinished(id: string): Promise<void> {
    while ((await queue.getJobState(id)) !== 'unknown' && (await queue.remove(id)) === 0) {
      await delay(LOCK_MS / 10)
    }
  }

  function toOptions(entry: InboxEntry): JobsOptions {
    const { state, attempts, dueAt } = entry
    const waitMs = state === 'waiting' && attempts > 0 && dueAt ? dueAt.getTime() - Date.now() : 0
    return { ...withoutDefaults(queue), jobId: toImportId(entry), ...(waitMs > 0 && { delay: waitMs }) }
  }

  return {
    async import(entries) {
      await reach()
      const isFinal = ({ state }: InboxEntry) => state === 'completed' || state === 'dead'
      const waiting = entries.filter((entry) => !isFinal(entry))
      const finished = entries.filter(isFinal)
      if (waiting.length > 0) await importWaiting(waiting)
      if (finished.length > 0) await importFinished(finished)
    },
    async remove(ids) {
      await reach()
      // One that a worker holds is not removed.
      const removed = await Promise.all(ids.map((id) => queue.remove(id)))
      return removed.filter((count) => count > 0).length
    },
  }
}

function toError({ error }: InboxEntry): UnrecoverableError {
  const reason = new UnrecoverableError(error ?? '')
  reason.stack = ''
  return reason
}
