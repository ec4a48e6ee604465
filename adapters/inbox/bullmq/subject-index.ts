import { entryNotFound } from '../../../src/inbox/entry-rules.ts'
import type { InboxEntry, InboxState } from '../../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../../src/inbox/inbox-engine.ts'
import type { InboxNotification } from '../../../src/receiver/receiver-inbox.ts'
import { createBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import { toEntry } from './job.ts'
import { readJobs } from './read-jobs.ts'
import { runScript } from './scripts.ts'

export type SubjectIndex = ReturnType<typeof createSubjectIndex>

/** The jobs about each subject. A worker moves those that are completed to where they expire. */
export function createSubjectIndex({ queue, reach }: Connection) {
  const change = createBatch((args) => runScript(queue, 'payhookIndex', [Date.now(), ...args]))

  async function read([id, state, score]: [string, InboxState, string]): Promise<InboxEntry | undefined> {
    const job = await queue.getJob(id)
    return job && toEntry(job, state, score === '' ? undefined : Number(score))
  }

  return {
    /** Adds a job that is being stored, and remembers the time for `health`. */
    async put({ subject, signature }: InboxNotification, id: string): Promise<void> {
      await change('put', id, signature, ...(subject === null ? [] : ['add', id, subject]))[0]
    },
    async add(subject: string | null, id: string): Promise<void> {
      if (subject !== null) await change('add', id, subject)[0]
    },
    async remove(subject: string | null, id: string): Promise<void> {
      if (subject !== null) await change('remove', id, subject)[0]
    },
    find: async (subject, state, limit, after = '') => {
      const client = await reach()
      if (after !== '' && (await client.exists(queue.toKey(after))) === 0) throw entryNotFound(after)
      const page: InboxEntry[] = []
      let from: string | undefined = after
      do {
        const args: (string | number)[] = [subject, state ?? '', limit - page.length, from]
        const [next, ...values]: string[] = await runScript(queue, 'payhookFind', args)
        const places = Array.from(
          { length: values.length / 3 },
          (_, index) => values.slice(index * 3, index * 3 + 3) as [string, InboxState, string],
        )
        if (await readJobs(page, places, read)) break
        from = next
      } while (page.length < limit && from)
      return page
    },
  } satisfies Record<'put' | 'add' | 'remove', unknown> & Pick<InboxEngine, 'find'>
}
