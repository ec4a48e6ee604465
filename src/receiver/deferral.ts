import { MAX_AFTER_MS, RetryAfterError } from '../errors.ts'
import { isPayhookError } from '../is-payhook-error.ts'

/** How long after it arrived a notification can be deferred. Then it fails, so that somebody hears of it. */
const DEFERRABLE_MS = 86_400_000
/** A service that is busy may say 0, or a time that is over. */
const LEAST_AFTER_MS = 1_000
const BUSY: readonly number[] = [429, 503]

/** What the inbox gets to know of what was thrown: to an inbox, the errors of payhook mean something. */
export function toInboxFailure(thrown: unknown, receivedAt: Date, now: number): unknown {
  if (!isPayhookError(thrown) || isNever(thrown)) return thrown
  if (now - receivedAt.getTime() <= DEFERRABLE_MS) {
    if (isDeferral(thrown)) return thrown
    // Of any copy of payhook, which may be older.
    const { retryAfterMs } = thrown as { readonly retryAfterMs?: unknown }
    if (typeof retryAfterMs === 'number' && retryAfterMs >= 0 && BUSY.includes(thrown.status)) {
      const afterMs = Math.min(Math.max(retryAfterMs, LEAST_AFTER_MS), MAX_AFTER_MS)
      return new RetryAfterError(String(thrown), { afterMs, cause: thrown })
    }
  }
  // Such as a PayloadError, which is not about this notification if a handler throws it.
  return new Error(String(thrown), { cause: thrown })
}

/** Whether it says "not yet", until a time that an inbox can store: one of another copy may say anything. */
export function isDeferral(failure: unknown): failure is RetryAfterError {
  return (
    isPayhookError(failure) &&
    failure.code === 'retry_after' &&
    typeof failure.afterMs === 'number' &&
    failure.afterMs > 0 &&
    failure.afterMs <= MAX_AFTER_MS
  )
}

export function isNever(thrown: unknown): boolean {
  return isPayhookError(thrown) && thrown.code === 'non_retriable'
}
