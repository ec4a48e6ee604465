import type { Inbox } from '../../src/inbox/inbox.ts'
import type { Store } from './store.ts'

/** An inbox of payhook, to be stored into and no more. */
export function storeOf(inbox: Inbox): Store {
  return {
    put: (notification) => inbox.put(notification),
    count: async () => (await inbox.counts()).waiting,
    close: () => inbox.close(),
  }
}
