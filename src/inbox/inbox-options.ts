import { milliseconds, withinRange } from '../option-checks.ts'

/** Options of every inbox. */
export interface InboxOptions {
  /**
   * How long another notification with the same `signature` counts as a duplicate, in seconds, from 0 (off) to
   * 86,400. A duplicate is acknowledged but not handled again. Default 120, which covers the service's three
   * attempts.
   */
  readonly dedupeSeconds?: number | undefined
  /** How many notifications this process handles concurrently, from 1 to 1,000. Default 10. */
  readonly concurrency?: number | undefined
  /**
   * The number of failed attempts after which a notification is dead, from 1 to 1,000. Default 20, which takes
   * about six hours.
   */
  readonly maxAttempts?: number | undefined
  /**
   * The delay before the second attempt, in milliseconds. It doubles for each further attempt, minus up to half
   * at random. Default 1,000.
   */
  readonly retryDelayMs?: number | undefined
  /** The longest delay between two attempts, in milliseconds, at most 24.8 days. Default 3,600,000, an hour. */
  readonly maxRetryDelayMs?: number | undefined
  /**
   * How long `stop()` waits for running handlers before it aborts their signal, in milliseconds. Default
   * 20,000.
   */
  readonly stopTimeoutMs?: number | undefined
  /**
   * How long completed notifications are kept, in seconds, from 0 to ten years. Default 604,800, seven days.
   * Dead notifications are kept until they are replayed or pruned.
   */
  readonly keepCompletedSeconds?: number | undefined
}

export const INBOX_OPTIONS = [
  'dedupeSeconds',
  'concurrency',
  'maxAttempts',
  'retryDelayMs',
  'maxRetryDelayMs',
  'stopTimeoutMs',
  'keepCompletedSeconds',
] as const

export type CheckedInboxOptions = { readonly [Name in keyof InboxOptions]-?: number }

/** @throws TypeError if an option is out of range */
export function checkInboxOptions(options: InboxOptions): CheckedInboxOptions {
  return {
    dedupeSeconds: withinRange('dedupeSeconds', options.dedupeSeconds, 120, 0, 86_400),
    concurrency: withinRange('concurrency', options.concurrency, 10, 1, 1_000),
    maxAttempts: withinRange('maxAttempts', options.maxAttempts, 20, 1, 1_000),
    retryDelayMs: milliseconds('retryDelayMs', options.retryDelayMs, 1_000),
    maxRetryDelayMs: milliseconds('maxRetryDelayMs', options.maxRetryDelayMs, 3_600_000),
    stopTimeoutMs: milliseconds('stopTimeoutMs', options.stopTimeoutMs, 20_000),
    keepCompletedSeconds: withinRange(
      'keepCompletedSeconds',
      options.keepCompletedSeconds,
      7 * 86_400,
      0,
      10 * 365 * 86_400,
    ),
  }
}
