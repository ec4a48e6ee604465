import type { SignedNotification } from '../notification/signed-notification.ts'

/** A stored notification, handed over to be handled. */
export interface InboxDelivery extends SignedNotification {
  /** The inbox's name for it. Unlike `deliveryId` no two have the same. */
  readonly id: string
  /** Which attempt at handling this is, from 1. */
  readonly attempt: number
  /**
   * How long the inbox waits after this attempt if it fails, in milliseconds; `undefined` if there is no
   * further one.
   */
  readonly retryDelayMs?: number | undefined
  /** Aborted when `stop()` no longer waits. */
  readonly signal: AbortSignal
}

/** A notification that was given up: it is kept, with its error and its exact bytes, and can be replayed. */
export interface DeadNotification extends SignedNotification {
  /** The inbox's name for it, which `replay` takes. */
  readonly id: string
  /** How often handling it was tried. */
  readonly attempts: number
  /** What went wrong the last time: name and message of the error. */
  readonly error: string
}

/** Whom an inbox hands over to. */
export interface InboxConsumer {
  /**
   * Resolves when the notification has been handled. A rejection with a `PayloadError` means that it never will
   * be; any other that it is to be tried again.
   */
  handle(delivery: InboxDelivery): Promise<void>
  /** Told of every notification that is given up. It never rejects. */
  dead(notification: DeadNotification): Promise<void>
  /**
   * Called when the inbox itself fails outside of a call, as when its engine is gone; with a delivery when
   * `stop()` has cut that off so often that it counts as a failed attempt. It never throws.
   */
  failed(error: unknown, delivery?: Omit<InboxDelivery, 'signal'>): void
}

/**
 * What a receiver needs of an inbox: `payhook/sqlite`, `payhook/bullmq` and `payhook/pg-boss` make whole ones.
 */
export interface ReceiverInbox {
  /**
   * Stores a notification; resolves once it would survive the loss of the process, and rejects when it might
   * not.
   *
   * @returns `duplicate` when the same delivery was stored a short while ago, and this one therefore was not
   */
  put(notification: SignedNotification): Promise<'stored' | 'duplicate'>
  /**
   * Starts handing over. It is done once the inbox works at it, even while its engine is out of reach.
   * Idempotent.
   */
  start(consumer: InboxConsumer): Promise<void>
  /** Takes nothing more, lets running handlers finish, and aborts those that take too long. Idempotent. */
  stop(): Promise<void>
}

/** @throws TypeError unless it has the methods of an inbox */
export function assertInbox(inbox: ReceiverInbox | undefined): void {
  if (inbox === undefined) return
  const methods = ['put', 'start', 'stop'] as const
  if (methods.every((name) => typeof inbox?.[name] === 'function')) return
  throw new TypeError('"inbox" option must be an inbox, as createSqliteInbox() of payhook/sqlite makes one')
}
