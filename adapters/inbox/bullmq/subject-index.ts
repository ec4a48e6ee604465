import { entryNotFound } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { Connection, RedisClient } from './connection.ts'
import { readEntry, readJobs } from './job.ts'
import { NEW, runScript } from './scripts.ts'

export type SubjectIndex = ReturnType<typeof createSubjectIndex>

interface IndexedJob {
  readonly id: string
  readonly subject: string | null
  /** Unix time in milliseconds. */
  readonly storedAt: number
}

type Place = readonly [id: string, state: InboxState, score: string]

function toItem({ storedAt, id, subject }: IndexedJob): string {
  return `${storedAt} ${id} ${subject ?? ''}`
}

/** The jobs about each subject. A put only notes its job: what is new is indexed when somebody looks. */
export function createSubjectIndex({ queue, reach }: Pick<Connection, 'queue' | 'reach'>) {
  return {
    /** Call it before the jobs are added to the queue. The command is sent when this returns. */
    async note(client: RedisClient, jobs: readonly IndexedJob[]): Promise<void> {
      await client.lpush(queue.toKey(NEW), jobs.map(toItem))
    },
    /** Replaces the note of a job that was not added, by that of the one it is a duplicate of. */
    async replace(job: IndexedJob, storedId: string): Promise<void> {
      await runScript(queue, 'payhookReplace', [toItem(job), toItem({ ...job, id: storedId })])
    },
    /** Adds jobs that come from another inbox. Call it before they are added to the queue. */
    async add(jobs: readonly IndexedJob[]): Promise<void> {
      await runScript(queue, 'payhookIndex', jobs.map(toItem))
    },
    /** Removes jobs that are gone, if the last look at them was that long ago. */
    async tidy(olderThanMs: number): Promise<void> {
      const now = Date.now()
      while ((await runScript<number>(queue, 'payhookTidy', [now, now - olderThanMs])).length > 0);
    },
    find: async (subject, state, limit, after = '') => {
      const redis = await reach()
      if (after !== '' && (await redis.exists(queue.toKey(after))) === 0) throw entryNotFound(after)
      const page: InboxEntry[] = []
      let from: string | undefined = after === '' ? '-' : `(${after}`
      do {
        const args: (string | number)[] = [subject, state ?? '', limit - page.length, from]
        const [next, ...places] = (await runScript<unknown>(queue, 'payhookFind', args)) as [
          string,
          ...Place[],
        ]
        if (await readJobs(page, places, (place) => readEntry(queue, ...place))) break
        from = next
      } while (page.length < limit && from)
      return page
    },
  } satisfies Record<'note' | 'replace' | 'add' | 'tidy', unknown> & Pick<InboxEngine, 'find'>
}
