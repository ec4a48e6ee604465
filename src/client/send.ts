import { backoff } from '../backoff.ts'
import { NetworkError } from '../client-errors.ts'
import { type Exchange, type HttpAnswer, type HttpRequest, orAborted } from './exchange.ts'

/** What became of a request that was sent once or several times. */
export interface Sent {
  readonly answer: HttpAnswer
  /** Whether an earlier attempt may have arrived and done its work, without its answer having come back. */
  readonly uncertain: boolean
  /** Whether an earlier attempt was certainly not served. */
  readonly refused: boolean
}

/** How a request may be repeated. */
export interface SendPolicy {
  /** Whether it does no harm to send it twice; else it is repeated only when it was certainly not taken. */
  readonly repeatable: boolean
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
    let uncertain = false
    let refused = false
    for (let attempt = 1; ; attempt++) {
      let delayMs: number | undefined
      try {
        const answer = await exchange(request, signal)
        const { status } = answer
        // Who is told to slow down has not been served.
        const again = status === 429 || (repeatable && isTransient(status))
        delayMs = again ? delayAfter(attempt, retryAfterOf(answer, now())) : undefined
        if (delayMs === undefined) return { answer, uncertain, refused }
        if (status === 429) refused = true
        else uncertain = true
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        delayMs = repeatable || !error.mayHaveArrived ? delayAfter(attempt) : undefined
        if (delayMs === undefined) throw error
        if (error.mayHaveArrived) uncertain = true
      }
      await pause(delayMs, signal)
    }
  }
}

/** `Retry-After` in milliseconds, from seconds or a date. */
function retryAfterOf({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await orAborted(new Promise((resolve) => (timer = setTimeout(resolve, delayMs))), signal)
  } finally {
    clearTimeout(timer)
  }
}
