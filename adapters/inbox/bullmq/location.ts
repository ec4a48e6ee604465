import type { InboxState } from '../../../src/inbox/inbox.ts'
import type { Connection } from './connection.ts'

/** BullMQ's collections for each state, in the order in which they are listed. */
export const COLLECTIONS = {
  waiting: ['wait', 'prioritized', 'delayed'],
  active: ['active'],
  completed: ['completed'],
  dead: ['failed'],
} as const

export type Collection = (typeof COLLECTIONS)[InboxState][number]

/** Where a job is. `index` counts from the oldest job of the collection. */
export interface JobLocation {
  readonly state: InboxState
  readonly collection: Collection
  readonly index: number
}

/** @returns where the job is; `undefined` if it is in none of the collections */
export async function locate({ queue, reach }: Connection, id: string): Promise<JobLocation | undefined> {
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
  return locationIn(asked, await transaction.exec())
}

function isList(collection: Collection): boolean {
  return collection === 'wait' || collection === 'active'
}

function locationIn(
  asked: [InboxState, Collection][],
  results: [unknown, unknown][] | null,
): JobLocation | undefined {
  let next = 0
  const read = () => {
    const [error, result] = results?.[next++] ?? []
    if (error) throw error
    return result as number | null
  }
  let found: JobLocation | undefined
  for (const [state, collection] of asked) {
    const position = read()
    // New jobs go to the head of a list.
    const index = isList(collection) ? (read() ?? 0) - 1 - (position ?? 0) : position
    if (position !== null && index !== null) found = { state, collection, index }
  }
  return found
}
