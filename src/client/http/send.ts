import { backoff } from '../../backoff.ts'
import { type NetworkDetails, NetworkError } from '../../client-errors.ts'
import { type Exchange, type HttpAnswer, type HttpRequest, orAborted } from './exchange.ts'

/** What became of a request that was sent once or several times. */
export interface Sent {
  readonly answer: HttpAnswer
  /** How the first attempt failed that may have been done. */
  readonly lost: Lost | undefined
  /** Whether an earlier attempt was certainly not served. */
  readonly refused: boolean
}

/** The failure of an attempt that may have been done all the same: an answer such as 503, or none. */
export type Lost = HttpAnswer | NetworkError

/** How a request may be repeated. */
export interface SendPolicy {
  /**
   * Whether it does no harm to send it twice; if it does, it is repeated only if it was certainly not taken.
   * `unless_answered` repeats it after a lost connection as well, but not after an answer or a time-out.
   */
  readonly repeatable: boolean | 'unless_answered'
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request, and again with backoff while the service is out of reach, busy (429) or failing (5xx).
 *
 * @returns the last answer, whatever its status
 * @throws NetworkError when the last attempt had none
 */
export type Send = (request: HttpRequest, policy: SendPolicy) => Promise<Sent>

interface SendSettings {
  readonly maxRetries: number
  readonly retryDelayMs: number
  readonly maxRetryDelayMs: number
  readonly now: () => number
}

/** Whether a status says that the same request may be answered otherwise later. */
export function isTransient(status: number): boolean {
  return [408, 425, 429, 500, 502, 503, 504].includes(status)
}

export function createSend(
  exchange: Exchange,
  { maxRetries, retryDelayMs, maxRetryDelayMs, now }: SendSettings,
): Send {
  /** How long to wait before the next attempt; `undefined` where there is to be none. */
  function delayAfter(attempt: number, retryAfterMs = 0): number | undefined {
    if (attempt > maxRetries || retryAfterMs > maxRetryDelayMs) return undefined
    return Math.max(retryAfterMs, backoff(attempt, retryDelayMs, maxRetryDelayMs))
  }

  return async (request, { repeatable, signal }) => {
    let lost: Lost | undefined
    let refused = false
    for (let attempt = 1; ; attempt++) {
      let delayMs: number | undefined
      try {
        const answer = await exchange(request, signal)
        const { status } = answer
        // Who is told to slow down has not been served.
        const again = status === 429 || (repeatable === true && isTransient(status))
        delayMs = again ? delayAfter(attempt, retryAfterOf(answer, now())) : undefined
        if (delayMs === undefined) return { answer, lost, refused }
        if (status === 429) refused = true
        else lost ??= answer
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        const isCut = error.code === 'network_failed'
        const again = repeatable === true || !error.mayHaveArrived || (repeatable && isCut)
        delayMs = again ? delayAfter(attempt) : undefined
        if (error.mayHaveArrived) lost ??= error
        if (delayMs === undefined) throw withDetails(error, { mayHaveArrived: lost !== undefined })
      }
      await pause(delayMs, signal)
    }
  }
}

/** A copy of an error, with other details. */
export function withDetails(error: NetworkError, details: Partial<NetworkDetails>): NetworkError {
  const { code, message, mayHaveArrived, requestId, cause } = error
  const own = { mayHaveArrived, requestId, ...(cause !== undefined && { cause }) }
  return new NetworkError(code, message, { ...own, ...details })
}

/** `Retry-After` in milliseconds, from seconds or a date. */
function retryAfterOf({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  if (Number.isNaN(date)) return undefined
  // On the service's clock, which need not agree with this one.
  const answeredAt = Date.parse(headers.get('date') ?? '')
  return Math.max(0, date - (Number.isNaN(answeredAt) ? now : answeredAt))
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await orAborted(new Promise((resolve) => (timer = setTimeout(resolve, delayMs))), signal)
  } finally {
    clearTimeout(timer)
  }
}
