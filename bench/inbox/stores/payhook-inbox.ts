import type { Inbox } from '../../../src/inbox/inbox.ts'
import type { Store } from './store.ts'

/** A payhook inbox that only stores. */
export function storeOf(inbox: Inbox): Store {
  return {
    put: (notification) => inbox.put(notification),
    count: async () => (await inbox.counts()).waiting,
    close: () => inbox.close(),
  }
}
