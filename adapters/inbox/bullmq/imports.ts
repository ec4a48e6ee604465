import { setTimeout as delay } from 'node:timers/promises'
import { type JobsOptions, UnrecoverableError, Worker } from 'bullmq'
import { fromIdempotencyKey } from '../../../src/inbox/entry-ids.ts'
import type { InboxEntry } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import { importedOf } from './attempts.ts'
import type { Connection } from './connection.ts'
import { type InboxJob, type InboxQueue, JOB_NAME, type JobData, toStored } from './job.ts'
import type { SubjectIndex } from './subject-index.ts'

/** How long a process that was killed may keep what it was importing, in milliseconds. */
const LOCK_MS = 2_000
/** How often to look again at a job that another worker has. */
const PAUSE_MS = 50
const TOKEN = 'import'
/** How long a mark stays in Redis: both sides of a move look at it within moments. */
const MARK_MS = 60_000

interface ImportedJob {
  readonly name: string
  readonly data: JobData
  readonly opts: JobsOptions
}

export function createImports(
  connection: Connection,
  index: SubjectIndex,
): Pick<InboxEngine, 'identity' | 'import'> {
  const { queue, reach } = connection

  function toJob(entry: InboxEntry): ImportedJob {
    const { id, attempts, error, dueAt, idempotencyKey } = entry
    const { repeats } = fromIdempotencyKey(idempotencyKey)
    const state = entry.state === 'active' ? 'waiting' : entry.state
    const imported = { state, attempts, error, repeats }
    const waitMs = dueAt ? dueAt.getTime() - Date.now() : 0
    return {
      name: JOB_NAME,
      data: { ...toStored(entry), imported },
      opts: {
        jobId: id,
        ...(waitMs > 0 && { delay: waitMs }),
        ...(state !== 'waiting' && { lifo: true }),
      },
    }
  }

  return {
    async identity() {
      const client = await reach()
      const key = queue.toKey('payhook-mark')
      await client.set(key, crypto.randomUUID(), 'PX', MARK_MS, 'NX')
      return String(await client.get(key))
    },
    async import(entries) {
      await reach()
      const jobs = entries.map(toJob)
      const final = jobs.filter(({ data }) => isFinal(data.imported))
      const storedAt = Date.now()
      await index.add(entries.map(({ id, subject }) => ({ id, subject, storedAt })))
      // A job whose id is there already is left as it is. The last one added is the first to be settled.
      await queue.addBulk([...jobs.filter((job) => !final.includes(job)), ...final.toReversed()])
      if (final.length > 0) await settle(connection, final)
    },
  }
}

async function isUnsettled(queue: InboxQueue, id: string): Promise<boolean> {
  const job = await queue.getJob(id)
  return job !== undefined && job.finishedOn === undefined && isFinal(importedOf(job))
}

/**
 * Only a worker can finish a job. That of a running application does the same.
 *
 * @param jobs the next ones of the queue, unless a process that was killed left one elsewhere
 */
async function settle({ queue, workerOptions }: Connection, jobs: readonly ImportedJob[]): Promise<void> {
  const worker = new Worker<JobData, string | undefined, string>(queue.name, null, {
    ...workerOptions(),
    autorun: false,
    lockDuration: LOCK_MS,
  })
  // Its calls fail with the same errors.
  worker.on('error', () => {})
  try {
    for (const { name, data, opts } of jobs) {
      const id = String(opts.jobId)
      while (await isUnsettled(queue, id)) {
        if (await settleNext(queue, worker).catch(isTakenOver)) continue
        if ((await queue.remove(id)) > 0) await queue.add(name, data, opts)
        else await delay(PAUSE_MS)
      }
    }
  } finally {
    await worker.close(true)
  }
}

/** @returns whether the next job was one to settle */
async function settleNext(
  queue: InboxQueue,
  worker: Worker<JobData, string | undefined, string>,
): Promise<boolean> {
  const job: InboxJob | undefined = await worker.getNextJob(TOKEN, { block: false })
  const imported = job && importedOf(job)
  if (imported?.state === 'completed') await job?.moveToCompleted(imported.error ?? undefined, TOKEN, false)
  else if (imported?.state === 'dead') {
    const error = new UnrecoverableError(imported.error ?? '')
    // It would be this file's.
    error.stack = ''
    await job?.moveToFailed(error, TOKEN, false)
  } else {
    await job?.moveToWait(TOKEN)
    if (await queue.isPaused()) throw new Error(`The queue "${queue.name}" is paused. Resume it first.`)
    return false
  }
  return true
}

/** Whether a process that stood still has lost its lock, so that another one may have the job by now. */
function isTakenOver(error: Error & { readonly code?: unknown }): true {
  if (typeof error.code === 'number') return true
  throw error
}

function isFinal(imported: JobData['imported']): boolean {
  return imported !== undefined && imported.state !== 'waiting'
}
