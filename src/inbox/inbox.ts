import type { InboxDelivery, ReceiverInbox } from '../receiver/receiver-inbox.ts'
import type { HealthOptions, InboxHealth } from './health.ts'

/**
 * - `waiting`: not handled yet, or to be retried at `dueAt`
 * - `active`: being handled
 * - `completed`: handled
 * - `dead`: failed for good, and kept
 */
export type InboxState = 'waiting' | 'active' | 'completed' | 'dead'

/** A notification as the inbox stores it. */
export interface InboxEntry extends Omit<InboxDelivery, 'attempt' | 'retryDelayMs' | 'signal'> {
  /** The `type` of the body, or `null` if the body cannot be parsed. */
  readonly kind: string | null
  readonly state: InboxState
  /** The number of attempts, including the current one. A replay resets it to 0. */
  readonly attempts: number
  /**
   * The last attempt's error with its stack and causes, at most 8,000 characters; `null` if there was none. If
   * a handler said "not yet", it is that. Of a completed entry, that there was no handler for it. A replay
   * resets it.
   */
  readonly error: string | null
  /** The earliest time of the next attempt; `null` unless `state` is `waiting`. */
  readonly dueAt: Date | null
  /** When the current attempt began; `null` unless `state` is `active`. */
  readonly startedAt: Date | null
  /** When the entry became completed or dead; `null` before. */
  readonly finishedAt: Date | null
}

/** The number of entries in each state. */
export type InboxCounts = Readonly<Record<InboxState, number>>

/** Options of {@link Inbox.entries}. */
export interface EntriesOptions {
  /** @default all states, in the order dead, active, waiting, completed */
  readonly state?: InboxState | undefined
  /**
   * Only entries about this, such as `payment:48121`, whatever their state, unless `state` is set. @default all
   */
  readonly subject?: string | undefined
}

/** Options of {@link Inbox.list}. */
export interface ListOptions extends EntriesOptions {
  /** The largest number of entries, from 1 to 1,000. @default 100 */
  readonly limit?: number | undefined
  /**
   * The `id` of the last entry of the previous page. Without `state` and `subject`, the next page begins in the
   * state that this entry has by now: while entries are handled, read all of them with {@link Inbox.entries}.
   * @default the first page
   */
  readonly after?: string | undefined
}

/** What {@link Inbox.replayAll} replays. It has at least one field, and none that is `undefined`. */
export interface ReplayFilter {
  /** `waiting` is what waits for a retry, and is not due yet. @default `dead` */
  readonly state?: 'dead' | 'completed' | 'waiting'
  /** Only entries of this kind; `null` for those whose body cannot be parsed. @default all */
  readonly kind?: string | null
  /** Only entries about this, such as `payment:48121`. @default all */
  readonly subject?: string
  /** Only entries that finished at this time or later; of what waits, that arrived then. @default all */
  readonly since?: Date
  /** Only entries that finished before this time; of what waits, that arrived before. @default all */
  readonly until?: Date
  /** Only entries whose error contains this text, such as `ECONNREFUSED`. @default all */
  readonly error?: string
}

/** Options of {@link Inbox.replayAll}. */
export interface ReplayOptions {
  /**
   * How many become due in a second at most, from 0.001 to 10,000, evenly spread: for an API with a limit. It
   * is a tenth less, for those that are handled late. Nothing has to keep running for that. @default all are
   * due at once
   */
  readonly perSecond?: number | undefined
  /** Replays nothing, and counts what would be replayed. @default `false` */
  readonly dryRun?: boolean | undefined
  /** Called and awaited from time to time, with how many were read and replayed by then. @default none */
  readonly onProgress?:
    | ((progress: { readonly checked: number; readonly replayed: number }) => unknown)
    | undefined
}

/** Options of {@link Inbox.prune}. */
export interface PruneOptions {
  /** Deletes only entries that finished before this time. */
  readonly olderThan: Date
  /** @default `completed`: dead entries are deleted only if you ask for it */
  readonly state?: 'completed' | 'dead' | undefined
}

/** Options of {@link Inbox.forget}. */
export interface ForgetOptions {
  /** The id of an account, a decimal string. */
  readonly accountId: string
  /** Also deletes entries that were not handled yet, so that they never are. @default `false` */
  readonly waiting?: boolean | undefined
  /** Deletes nothing. @default `false` */
  readonly dryRun?: boolean | undefined
  /** Called with each entry that names the account, or that cannot be read, and awaited. @default none */
  readonly onEntry?: ((entry: InboxEntry, outcome: ForgetOutcome) => unknown) | undefined
}

/**
 * - `deleted`: it named the account, and is gone
 * - `kept`: it names the account, but was not handled yet
 * - `unreadable`: its body cannot be parsed, so nobody knows
 */
export type ForgetOutcome = 'deleted' | 'kept' | 'unreadable'

/**
 * A durable list of acknowledged notifications, processed later. All engines behave the same; the function that
 * creates an inbox documents its engine's exceptions.
 */
export interface Inbox extends ReceiverInbox {
  /** Whether it handles notifications with the same key one at a time: the option that it was created with. */
  readonly oneAtATime: boolean
  /** How long completed notifications are kept, in seconds: the option that it was created with. */
  readonly keepCompletedSeconds: number
  /** Counts the entries in each state. */
  counts(): Promise<InboxCounts>
  /**
   * Tells how the inbox is doing, within two seconds and at a low cost: for a health endpoint. Never rejects
   * because of the engine: one that is unreachable is a `fail`.
   *
   * @throws TypeError if an option is unknown or out of range
   * @example
   * const { status, problems } = await inbox.health({ lagMs: 60_000, silenceMs: 86_400_000 })
   */
  health(options?: HealthOptions): Promise<InboxHealth>
  /**
   * Returns a page of entries, oldest first within a state, and those about one subject in the order in which
   * they arrived; SQLite has those that were moved into it last. A page has at most 16 MiB of bodies, so it may
   * be shorter than `limit`; only an empty page means that there are no more.
   *
   * @example
   * await inbox.list({ subject: 'payment:48121' }) // what happened to this payment?
   */
  list(options?: ListOptions): Promise<InboxEntry[]>
  /**
   * Iterates over all entries, or those in a state or about a subject, in the order of `list`. They are read
   * page by page: memory does not grow with their number. An entry whose state changes meanwhile may be
   * missing, or come twice.
   *
   * @example
   * for await (const { id, error } of inbox.entries({ state: 'dead' })) console.log(id, error)
   */
  entries(options?: EntriesOptions): AsyncIterableIterator<InboxEntry>
  /** Returns an entry, or `undefined` if there is none with this id. */
  get(id: string): Promise<InboxEntry | undefined>
  /**
   * Makes a dead, completed or waiting entry due now, with a full set of attempts. What handlers have
   * completed, they do again.
   *
   * @throws InboxError `entry_not_found`, or `entry_active` while the entry is being handled
   */
  replay(id: string): Promise<void>
  /**
   * Replays what a filter matches, in batches: memory does not grow with the number. Several calls at the same
   * time replay an entry once, unless it finishes in between: what was completed, and is replayed, matches
   * again then. So give those calls, and one that repeats an interrupted call, the same `until`.
   *
   * @returns how many entries were replayed
   * @throws TypeError if the filter is empty, or something is invalid
   * @example
   * await inbox.replayAll({ state: 'dead', error: 'ECONNREFUSED' }, { perSecond: 50 })
   */
  replayAll(filter: ReplayFilter, options?: ReplayOptions): Promise<number>
  /**
   * Lets no handler begin until `resume()`, in any process and within a second. Running handlers end, `put`
   * stores, and a restart changes nothing. If the inbox is paused already, it stays paused since then, for the
   * new reason.
   *
   * @param reason what `health()` says, 1 to 200 characters
   * @throws TypeError if the reason is invalid
   * @example
   * await inbox.pause('bad deploy of 14:20')
   */
  pause(reason: string): Promise<void>
  /** Ends the pause for all processes, within a second. Does nothing if there is none. */
  resume(): Promise<void>
  /**
   * Deletes an entry with its body.
   *
   * @throws InboxError `entry_not_found`, or `entry_active` while the entry is being handled
   */
  delete(id: string): Promise<void>
  /**
   * Deletes finished entries in small batches, so that nothing else has to wait long. For `reconcile`, they
   * have never come.
   *
   * @returns how many entries were deleted
   */
  prune(options: PruneOptions): Promise<number>
  /**
   * Deletes the entries of payments and invoices with a given payer or payee, and those about that account.
   * Reads all entries, and compares whole ids. What was not handled yet is kept: call it again when that is
   * done. Notifications of an earlier form name no account, and those of kinds without a documented payload are
   * not searched.
   *
   * @returns how many entries had each outcome
   * @throws TypeError if an option is invalid
   * @example
   * const { deleted, kept } = await inbox.forget({ accountId: '710021' })
   */
  forget(options: ForgetOptions): Promise<Readonly<Record<ForgetOutcome, number>>>
  /** Stops, then closes the engine's file or connections. Idempotent. */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
