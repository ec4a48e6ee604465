import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import type { InboxPlace } from './open-inbox.ts'

/** An inbox engine under test, and its limitations. */
export interface EngineUnderTest {
  readonly name: string
  /** Creates an empty store. */
  createStore(): Promise<InboxStore>
  /** How long a crashed process keeps its leases at most. A live process must keep them for longer. */
  readonly leaseMs: number
}

/** A store that several inboxes can open. */
export interface InboxStore {
  readonly place: InboxPlace
  /** Opens an inbox, which is closed with the store. */
  open(options?: InboxOptions): Promise<Inbox>
  /** Makes the engine unreachable. */
  interrupt(): Promise<void>
  /** Makes the engine accept calls and not respond to them. */
  hang(): Promise<void>
  /** Makes the engine reachable again. */
  restore(): Promise<void>
  /** Closes all inboxes and deletes the store. */
  dispose(): Promise<void>
}
