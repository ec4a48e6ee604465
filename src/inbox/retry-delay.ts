import { backoff } from '../backoff.ts'
import type { CheckedInboxOptions } from './inbox-options.ts'

/** The delay after a failed attempt, in milliseconds; `undefined` if it is the last. */
export function retryDelay(
  attempt: number,
  { maxAttempts, retryDelayMs, maxRetryDelayMs }: RetryOptions,
): number | undefined {
  return attempt < maxAttempts ? backoff(attempt, retryDelayMs, maxRetryDelayMs) : undefined
}

export type RetryOptions = Pick<CheckedInboxOptions, 'maxAttempts' | 'retryDelayMs' | 'maxRetryDelayMs'>
