import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import type { InboxPlace } from './open-inbox.ts'

/** An engine as the contract suite sees it, with what it cannot give. */
export interface EngineUnderTest {
  readonly name: string
  /** A new, empty place for notifications. */
  createStore(): Promise<InboxStore>
  /** For how long a dead process keeps what it handled, at most; a live one has to keep it for longer. */
  readonly leaseMs: number
}

/** One place for notifications, which several inboxes open. */
export interface InboxStore {
  readonly place: InboxPlace
  /** Opens an inbox that is closed with the store. */
  open(options?: InboxOptions): Promise<Inbox>
  /** Takes the engine away. */
  interrupt(): Promise<void>
  /** Brings it back. */
  restore(): Promise<void>
  /** Closes what was opened and deletes what was stored. */
  dispose(): Promise<void>
}
