import type { SignedNotification } from '../notification/signed-notification.ts'
import type { ReceiverInbox } from '../receiver/receiver-inbox.ts'

/**
 * - `waiting`: not handled yet, or to be tried again at `dueAt`
 * - `active`: being handled
 * - `completed`: handled
 * - `dead`: given up, and kept
 */
export type InboxState = 'waiting' | 'active' | 'completed' | 'dead'

/** A notification as the inbox keeps it. */
export interface InboxEntry extends SignedNotification {
  /** The inbox's name for it. Unlike `deliveryId` no two have the same. */
  readonly id: string
  /** `type` as it stands on the wire, or `null` when the body cannot be read. */
  readonly kind: string | null
  readonly state: InboxState
  /** How often handling it has been tried, with the attempt under way; from 0 again after a replay. */
  readonly attempts: number
  /**
   * What went wrong the last time: name and message of the error. `null` when nothing did, or since a replay.
   */
  readonly error: string | null
  /** When it is handled at the earliest; `null` unless it is waiting. */
  readonly dueAt: Date | null
  /** When it was completed or given up; `null` before. */
  readonly finishedAt: Date | null
}

/** How many entries there are in each state. */
export type InboxCounts = Readonly<Record<InboxState, number>>

/** Options of {@link Inbox.list}. */
export interface ListOptions {
  readonly state: InboxState
  /** How many at most, from 1 to 1,000. Default 100. */
  readonly limit?: number | undefined
  /** `id` of the last entry of the page before. Default: the first page. */
  readonly after?: string | undefined
}

/** Options of {@link Inbox.replayDead}. */
export interface ReplayOptions {
  /** Only those of this kind; `null` for those whose body cannot be read. Default: all. */
  readonly kind?: string | null
}

/** Options of {@link Inbox.prune}. */
export interface PruneOptions {
  /** Only entries that were finished before. */
  readonly olderThan: Date
  /** Default `completed`: what is dead goes only when you say so. */
  readonly state?: 'completed' | 'dead' | undefined
}

/**
 * A durable list of acknowledged notifications, processed later. Every engine gives the same; where one cannot,
 * the function that makes its inbox says so.
 */
export interface Inbox extends ReceiverInbox {
  /** How many entries there are in each state. */
  counts(): Promise<InboxCounts>
  /**
   * A page of the entries in a state, oldest first. It also ends when its bodies would exceed 16 MiB: the last
   * page is the one that is empty.
   */
  list(options: ListOptions): Promise<InboxEntry[]>
  /** One entry, or `undefined` when there is none of that id. */
  get(id: string): Promise<InboxEntry | undefined>
  /**
   * Has an entry handled again, at once and with all its attempts: one that is dead or completed, or one that
   * waits for its next attempt.
   *
   * @throws InboxError `entry_not_found`; `entry_active` while it is being handled
   */
  replay(id: string): Promise<void>
  /**
   * Has all dead entries handled again, or all of a kind.
   *
   * @returns how many
   */
  replayDead(options?: ReplayOptions): Promise<number>
  /**
   * Deletes finished entries, a few at a time so that nothing else has to wait.
   *
   * @returns how many
   */
  prune(options: PruneOptions): Promise<number>
  /** Stops and lets go of the engine: file, connections. Idempotent. */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
