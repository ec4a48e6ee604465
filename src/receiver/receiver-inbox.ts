import type { SignedNotification } from '../notification/signed-notification.ts'

/** A stored notification, handed over to be handled. */
export interface InboxDelivery extends SignedNotification {
  /** The inbox's id for it. Unlike `deliveryId`, it is unique. */
  readonly id: string
  /** Which attempt at handling this is, from 1. */
  readonly attempt: number
  /**
   * How long the inbox waits before the next attempt if this one fails, in milliseconds. `undefined` for the
   * last attempt.
   */
  readonly retryDelayMs?: number | undefined
  /** Aborted when `stop()` no longer waits for the handlers. */
  readonly signal: AbortSignal
}

/** A notification that was given up. The inbox keeps it, and it can be replayed. */
export interface DeadNotification extends SignedNotification {
  /** The inbox's id for it, which `replay` takes. */
  readonly id: string
  /** The number of attempts. */
  readonly attempts: number
  /** Name and message of the last error. */
  readonly error: string
}

/** Handles the notifications of an inbox. */
export interface InboxConsumer {
  /**
   * Resolves once the notification has been handled. A rejection with a `PayloadError` is final; after any
   * other, the inbox tries again.
   */
  handle(delivery: InboxDelivery): Promise<void>
  /** Called for every notification that is given up. Never rejects. */
  dead(notification: DeadNotification): Promise<void>
  /**
   * Called when the inbox itself fails outside of a call, such as when its engine is unreachable. With a
   * delivery if `stop()` cut it off so often that it counts as a failed attempt. Never throws.
   */
  failed(error: unknown, delivery?: Omit<InboxDelivery, 'signal'>): void
}

/**
 * The part of an inbox that a receiver uses. `payhook/sqlite`, `payhook/bullmq` and `payhook/pg-boss` have
 * complete ones.
 */
export interface ReceiverInbox {
  /**
   * Stores a notification. Resolves once it would survive a crash of the process, and rejects if it might not.
   *
   * @returns `duplicate` if the same delivery was stored a short while ago, so that this one was not stored
   */
  put(notification: SignedNotification): Promise<'stored' | 'duplicate'>
  /**
   * Starts handing over. Resolves once the inbox is running, even while its engine is unreachable. Idempotent.
   */
  start(consumer: InboxConsumer): Promise<void>
  /** Hands over nothing more, lets running handlers finish, and aborts those that take too long. Idempotent. */
  stop(): Promise<void>
}

/** @throws TypeError unless it has the methods of an inbox */
export function assertInbox(inbox: ReceiverInbox | undefined): void {
  if (inbox === undefined) return
  const methods = ['put', 'start', 'stop'] as const
  if (methods.every((name) => typeof inbox?.[name] === 'function')) return
  throw new TypeError('"inbox" option must be an inbox, as createSqliteInbox() of payhook/sqlite makes one')
}
