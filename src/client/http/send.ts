import { backoff } from '../../backoff.ts'
import { NetworkError } from '../../client-errors.ts'
import type { ClientSettings } from '../client-options.ts'
import { type HttpRequest, type HttpResponse, orAborted, type SendOnce } from './send-once.ts'

/** A failed attempt that may have taken effect: a response such as 503, or none. */
export type Lost = HttpResponse | NetworkError

/** The last response to a request, and the first attempt of the call that was lost. */
export interface Sent {
  readonly response: HttpResponse
  readonly lost: Lost | undefined
}

export interface SendPolicy {
  /**
   * Whether it is repeated although it may have taken effect; with `after_lost_connection`, only then, and not
   * after a response or a time-out.
   */
  readonly repeatable: boolean | 'after_lost_connection'
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request, and repeats it with backoff while the service is unreachable, busy (429) or failing (5xx).
 *
 * @param before what the call has lost already
 * @returns the last response, whatever its status
 * @throws NetworkError if the last attempt has no response
 */
export type Send = (
  toRequest: (lost: Lost | undefined) => HttpRequest,
  policy: SendPolicy,
  before?: Lost,
) => Promise<Sent>

export function isTransient(status: number): boolean {
  return [408, 425, 429, 500, 502, 503, 504].includes(status)
}

export function createSend(sendOnce: SendOnce, settings: ClientSettings): Send {
  const { maxRetries, retryDelayMs, maxRetryDelayMs } = settings

  /** The wait before the next attempt; `undefined` if this was the last. */
  function delayAfter(attempt: number, retryAfterMs = 0): number | undefined {
    if (attempt > maxRetries || retryAfterMs > maxRetryDelayMs) return undefined
    return Math.max(retryAfterMs, backoff(attempt, retryDelayMs, maxRetryDelayMs))
  }

  return async (toRequest, { repeatable, signal }, before) => {
    let lost = before
    for (let attempt = 1; ; attempt++) {
      let delayMs: number | undefined
      try {
        const response = await sendOnce(toRequest(lost), signal)
        const { status } = response
        const isBusy = status === 429 && repeatable !== 'after_lost_connection'
        const again = isBusy || (repeatable === true && isTransient(status))
        delayMs = again ? delayAfter(attempt, response.retryAfterMs) : undefined
        if (delayMs === undefined) return { response, lost }
        if (!isBusy) lost ??= response
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        const isCut = error.code === 'network_failed'
        const again = repeatable === true || !error.mayHaveArrived || (repeatable && isCut)
        delayMs = again ? delayAfter(attempt) : undefined
        if (error.mayHaveArrived) lost ??= error
        if (delayMs === undefined) throw withArrival(error, lost)
      }
      await pause(delayMs, signal)
    }
  }
}

/** The error of the last attempt, which says whether any of the attempts may have arrived. */
export function withArrival(error: NetworkError, lost: Lost | undefined): NetworkError {
  const { code, message, requestId, cause } = error
  const options = { requestId, mayHaveArrived: lost !== undefined, ...(cause !== undefined && { cause }) }
  return new NetworkError(code, message, options)
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, delayMs)
  await orAborted(promise, signal).finally(() => clearTimeout(timer))
}
