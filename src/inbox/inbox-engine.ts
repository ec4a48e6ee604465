import type { InboxConsumer, InboxNotification } from '../receiver/receiver-inbox.ts'
import type { EngineHealth } from './health.ts'
import type { InboxCounts, InboxEntry, InboxState, ReplayFilter } from './inbox.ts'

export type ReplayState = NonNullable<ReplayFilter['state']>

export interface Restart {
  readonly id: string
  /** A Unix time in milliseconds, by the engine's clock; `undefined` for now. */
  readonly dueAt: number | undefined
}

/** What an inbox needs from an engine. Arguments are valid, and no method is called after `close`. */
export interface InboxEngine {
  /** The options of this process. */
  readonly keepCompletedSeconds: number
  readonly oneAtATime: boolean
  /** Finished entries are listed in the order in which they finished: one that finishes again comes again. */
  readonly listsByFinish?: true
  put(notification: InboxNotification): Promise<'stored' | 'duplicate'>
  /** Called while it is stopped. */
  start(consumer: InboxConsumer): Promise<void>
  /** Called while it is started. */
  stop(): Promise<void>
  counts(): Promise<InboxCounts>
  /** Reads indexes only, and nothing of the completed entries. */
  health(): Promise<EngineHealth>
  /** @throws InboxError `entry_not_found` if the engine cannot continue after `after` */
  list(state: InboxState, limit: number, after: string | undefined): Promise<InboxEntry[]>
  /**
   * Entries about a subject, in the order of arrival.
   *
   * @param state `undefined` for all
   * @throws InboxError `entry_not_found` if the engine cannot continue after `after`
   */
  find(
    subject: string,
    state: InboxState | undefined,
    limit: number,
    after: string | undefined,
  ): Promise<InboxEntry[]>
  get(id: string): Promise<InboxEntry | undefined>
  /**
   * Makes entries wait, with a full set of attempts, that are in the state. They are at most a few hundred, as
   * they may be changed in one transaction.
   *
   * @param call a number of the caller: it restarts an entry once, even if it comes back to the state
   * @returns how many it restarted
   */
  restart(state: ReplayState, entries: readonly Restart[], call?: number): Promise<number>
  /** Lets no process take an entry. The first call says since when, the last one why. */
  pause(reason: string): Promise<void>
  resume(): Promise<void>
  prune(state: 'completed' | 'dead', olderThan: Date): Promise<number>
  /** What it stores its entries in: the same text for every engine that works on the same entries. */
  identity(): Promise<string>
  /**
   * Stores entries of another inbox with their state, attempts, error and idempotency key. Their `id` is the
   * lasting one; what the inbox already holds under it stays as it is. Once it resolves, the inbox holds all of
   * them.
   */
  import(entries: readonly InboxEntry[]): Promise<void>
  /** Deletes entries that are not active. @returns how many of them are gone */
  remove(ids: readonly string[]): Promise<number>
  /** Called once, while it is stopped. */
  close(): Promise<void>
}
