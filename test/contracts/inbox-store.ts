import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxStore } from './engine-under-test.ts'
import { type InboxPlace, openInbox } from './open-inbox.ts'
import { waitFor } from './wait-for.ts'

/** Creates a store from a place, and functions to interrupt, hang, restore and delete it. */
export function createStore(
  place: InboxPlace,
  {
    clear,
    interrupt,
    hang,
    restore,
  }: Pick<InboxStore, 'interrupt' | 'hang' | 'restore'> & { clear(): Promise<void> },
): InboxStore {
  const opened: Inbox[] = []
  let isReachable = true
  const set = (reachable: boolean, act: () => Promise<void>) => async () => {
    isReachable = reachable
    await act()
  }
  return {
    place,
    interrupt: set(false, interrupt),
    hang: set(false, hang),
    restore: set(true, restore),
    async open(options) {
      const inbox = await openInbox(place, options)
      opened.push(inbox)
      if (isReachable) await connected(inbox)
      return inbox
    },
    async dispose() {
      await Promise.all(opened.map((inbox) => inbox.close()))
      await clear()
    },
  }
}

/** Waits for the first connection: on a busy machine, it takes longer than a put would wait. */
export async function connected(inbox: Inbox): Promise<void> {
  await waitFor(() => inbox.counts().catch(() => undefined))
}
