import { backoff } from '../../backoff.ts'
import { NetworkError } from '../../client-errors.ts'
import type { ClientSettings } from '../client-options.ts'
import { type Exchange, type HttpAnswer, type HttpRequest, orAborted } from './exchange.ts'

/** A failed attempt that the service may have done all the same: an answer such as 503, or none. */
export type Lost = HttpAnswer | NetworkError

/** What became of the attempts of a call, filled in by {@link Send}. */
export interface Attempts {
  /** The first one that was lost. */
  lost?: Lost | undefined
  /** Whether the service refused one without doing anything. */
  refused?: boolean
  /** Whether the token was renewed. */
  renewed?: boolean
}

/** How a request may be repeated. */
export interface SendPolicy {
  /**
   * Whether it is repeated although the service may have taken it; with `unless_answered`, only after a lost
   * connection, not after an answer or a time-out.
   */
  readonly repeatable: boolean | 'unless_answered'
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request, and repeats it with backoff while the service is unreachable, busy (429) or failing (5xx).
 *
 * @returns the last answer, whatever its status
 * @throws NetworkError if the last attempt has no answer
 */
export type Send = (request: HttpRequest, policy: SendPolicy, attempts?: Attempts) => Promise<HttpAnswer>

/** Whether the same request may succeed later. */
export function isTransient(status: number): boolean {
  return [408, 425, 429, 500, 502, 503, 504].includes(status)
}

export function createSend(exchange: Exchange, settings: ClientSettings): Send {
  const { maxRetries, retryDelayMs, maxRetryDelayMs, now } = settings

  /** The wait before the next attempt; `undefined` if this was the last. */
  function delayAfter(attempt: number, retryAfterMs = 0): number | undefined {
    if (attempt > maxRetries || retryAfterMs > maxRetryDelayMs) return undefined
    return Math.max(retryAfterMs, backoff(attempt, retryDelayMs, maxRetryDelayMs))
  }

  return async (request, { repeatable, signal }, attempts = {}) => {
    for (let attempt = 1; ; attempt++) {
      let delayMs: number | undefined
      try {
        const answer = await exchange(request, signal)
        const { status } = answer
        const again = status === 429 || (repeatable === true && isTransient(status))
        delayMs = again ? delayAfter(attempt, retryAfterOf(answer, now())) : undefined
        if (delayMs === undefined) return answer
        if (status === 429) attempts.refused = true
        else attempts.lost ??= answer
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        const isCut = error.code === 'network_failed'
        const again = repeatable === true || !error.mayHaveArrived || (repeatable && isCut)
        delayMs = again ? delayAfter(attempt) : undefined
        if (error.mayHaveArrived) attempts.lost ??= error
        if (delayMs === undefined) throw withArrival(error, attempts)
      }
      await pause(delayMs, signal)
    }
  }
}

/** The error of the last attempt, which says whether any of the attempts may have arrived. */
export function withArrival(error: NetworkError, { lost }: Attempts): NetworkError {
  const { code, message, requestId, cause } = error
  const options = { requestId, mayHaveArrived: lost !== undefined, ...(cause !== undefined && { cause }) }
  return new NetworkError(code, message, options)
}

/** The `Retry-After` of an answer, seconds or a date, in milliseconds. */
function retryAfterOf({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  if (Number.isNaN(date)) return undefined
  // The service's clock may differ from this one.
  const answeredAt = Date.parse(headers.get('date') ?? '')
  return Math.max(0, date - (Number.isNaN(answeredAt) ? now : answeredAt))
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, delayMs)
  await orAborted(promise, signal).finally(() => clearTimeout(timer))
}
