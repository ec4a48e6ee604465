import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxStore } from './engine-under-test.ts'
import { type InboxPlace, openInbox } from './open-inbox.ts'

/** Creates a store from a place, and functions to interrupt, hang, restore and delete it. */
export function createStore(
  place: InboxPlace,
  { clear, ...ways }: Pick<InboxStore, 'interrupt' | 'hang' | 'restore'> & { clear(): Promise<void> },
): InboxStore {
  const opened: Inbox[] = []
  return {
    place,
    ...ways,
    async open(options) {
      const inbox = await openInbox(place, options)
      opened.push(inbox)
      return inbox
    },
    async dispose() {
      await Promise.all(opened.map((inbox) => inbox.close()))
      await clear()
    },
  }
}
