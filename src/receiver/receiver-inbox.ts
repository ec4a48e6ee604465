import type { NotificationSource, SignedNotification } from '../notification/signed-notification.ts'

/** A notification as an inbox stores it. */
export interface InboxNotification extends SignedNotification {
  /** What it is about, such as `payment:48121`; `null` if that is unknown. */
  readonly subject: string | null
  /** Whether the service sent it, or `reconcile` found it. */
  readonly source: NotificationSource
  /** The lasting id that the entry gets, if it is not a new one. */
  readonly id?: string
}

/** A stored notification to handle. */
export interface InboxDelivery extends InboxNotification {
  /** The id of the entry. Unlike `signature`, it is unique. */
  readonly id: string
  /**
   * The same for every attempt, in every inbox that the entry is moved to, and after the replay of an entry
   * that is dead, or that no handler took. The replay of a handled one has a new one, which ends with a colon
   * and the number of such replays.
   */
  readonly idempotencyKey: string
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /**
   * How long the inbox waits before the next attempt if this one fails, in milliseconds. `undefined` for the
   * last attempt.
   */
  readonly retryDelayMs?: number | undefined
  /** Aborted when `stop()` no longer waits for the handlers. */
  readonly signal: AbortSignal
}

/** A notification that the inbox gave up on. It is kept, and can be replayed. */
export interface DeadNotification extends InboxNotification {
  /** The id of the entry, for `replay`. */
  readonly id: string
  /** The number of attempts. */
  readonly attempts: number
  /** The last error with its stack and causes, at most 8,000 characters. */
  readonly error: string
}

/** Handles the notifications of an inbox. */
export interface InboxConsumer {
  /**
   * Resolves once the notification has been handled, to `'unhandled'` if there is no handler for it, which the
   * inbox notes as the error of the completed entry. After a rejection, the inbox tries again, unless it is a
   * `PayloadError` or a `NonRetriableError`, which are final. After a `RetryAfterError`, it does so when that
   * says, and the attempt does not count.
   */
  handle(delivery: InboxDelivery): Promise<unknown>
  /** Called for every notification that the inbox gives up on. Never rejects. */
  dead(notification: DeadNotification): Promise<void>
  /**
   * Called when the inbox itself fails outside of a call, such as when its engine is unreachable. Never throws.
   */
  failed(error: unknown): void
  /**
   * Called if the handlers of a notification still run after `stop()` has aborted their signal. Never throws.
   *
   * @param ms for how long they have run
   */
  abandoned?(delivery: Omit<InboxDelivery, 'signal'>, ms: number): void
}

/**
 * The part of an inbox that a receiver uses. `payhook/sqlite`, `payhook/bullmq` and `payhook/postgres` have
 * complete ones.
 */
export interface ReceiverInbox {
  /**
   * Whether it never handles two notifications with the same concurrency key at the same time. @default false
   */
  readonly oneAtATime?: boolean | undefined
  /**
   * Stores a notification. Resolves once it is sure to survive a crash of the process, and rejects otherwise.
   *
   * @returns `duplicate` if it was not stored: the same body was stored a short while ago, or there is an entry
   *   with its `id`
   */
  put(notification: SignedNotification): Promise<'stored' | 'duplicate'>
  /**
   * Starts delivering notifications to the consumer. Resolves once the inbox is running, even if its engine is
   * unreachable, but rejects with InboxError `inbox_misconfigured` if waiting will not help. Idempotent.
   */
  start(consumer: InboxConsumer): Promise<void>
  /**
   * Stops delivering, lets running handlers finish, and aborts those that take too long. Idempotent. Does
   * nothing if a consumer is given, and another one was started.
   */
  stop(consumer?: InboxConsumer): Promise<void>
}
