import { type Checked, type Checks, delayMs, flag, integer } from '../option-checks.ts'

/** Options of every inbox. */
export interface InboxOptions {
  /**
   * How long another notification with the same `signature` counts as a duplicate, in seconds, from 0 (off) to
   * 86,400. A duplicate is acknowledged but not handled again.
   * @default 120, which covers the service's three attempts
   */
  readonly dedupeSeconds?: number | undefined
  /**
   * Whether two notifications with the same subject, such as `payment:48121`, or with the same
   * `concurrencyKey` if the receiver gives one, are never handled at the same time. All processes must give the
   * same value. Recommended, though it costs throughput if the handlers do nothing.
   * @default false
   */
  readonly oneAtATime?: boolean | undefined
  /** How many notifications this process handles concurrently, from 1 to 1,000. @default 10 */
  readonly concurrency?: number | undefined
  /**
   * The number of failed attempts after which a notification is dead, from 1 to 1,000.
   * @default 20, which takes about six hours
   */
  readonly maxAttempts?: number | undefined
  /**
   * The delay before the second attempt, in milliseconds. It doubles for each further attempt, minus up to half
   * at random. @default 1,000
   */
  readonly retryDelayMs?: number | undefined
  /** The longest delay between two attempts, in milliseconds, at most 24.8 days. @default 3,600,000, an hour */
  readonly maxRetryDelayMs?: number | undefined
  /**
   * How long `stop()` waits for running handlers before it aborts their signal, in milliseconds.
   * @default 20,000
   */
  readonly stopTimeoutMs?: number | undefined
  /**
   * How long completed notifications are kept, in seconds, from 0 to ten years. A process that handles
   * notifications deletes them within a minute after that. Dead ones are kept until they are replayed or
   * pruned. @default 604,800, seven days; in Redis 3,600, an hour, since they take up memory
   */
  readonly keepCompletedSeconds?: number | undefined
}

export const keepCompleted = (fallback: number) => integer(0, 10 * 365 * 86_400, fallback)

export const INBOX_OPTIONS = {
  dedupeSeconds: integer(0, 86_400, 120),
  oneAtATime: flag(false),
  concurrency: integer(1, 1_000, 10),
  maxAttempts: integer(1, 1_000, 20),
  retryDelayMs: delayMs(1, 1_000),
  maxRetryDelayMs: delayMs(1, 3_600_000),
  stopTimeoutMs: delayMs(1, 20_000),
  keepCompletedSeconds: keepCompleted(7 * 86_400),
} satisfies Checks<InboxOptions>

export type CheckedInboxOptions = Checked<typeof INBOX_OPTIONS>
