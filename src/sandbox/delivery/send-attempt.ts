import type { Buffer } from 'node:buffer'
import type { Closing } from './closing.ts'
import type { DeliveryAttempt } from './delivery.ts'
import { type Agents, postOnce } from './post-once.ts'

export interface AttemptOrder {
  readonly number: 1 | 2 | 3
  readonly url: string
  readonly bytes: Buffer
  /** The same as text, for the record. */
  readonly body: string
  readonly contentType: string
  /** The `ACCESS-SIGNATURE` header; none when it is `undefined`. */
  readonly signature: string | undefined
  /** Cut the connection after half of the body. */
  readonly truncate: boolean
  readonly timeoutMs: number
}

/** Sends a notification once and records what came of it; never rejects. */
export async function sendAttempt(
  order: AttemptOrder,
  agents: Agents,
  closing: Closing,
): Promise<DeliveryAttempt> {
  const { number, url, truncate, timeoutMs } = order
  const whole = order.bytes
  const bytes = truncate ? whole.subarray(0, whole.length >> 1) : whole
  const headers = {
    'Content-Type': order.contentType,
    'Content-Length': String(whole.length),
    ...(order.signature === undefined ? {} : { 'ACCESS-SIGNATURE': order.signature }),
  }
  const stop = new AbortController()
  const timer = setTimeout(
    () => stop.abort(new Error(`no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const forget = closing.add(() => stop.abort(new Error('the sandbox was closed')))
  const startedAt = new Date()
  const start = performance.now()
  const sending = { url, headers, bytes, truncate }
  let { wasStale, sentHeaders, ...outcome } = await postOnce(sending, agents, stop.signal)
  // The receiver closed a connection that was kept for it, which is no failure of the receiver: it is sent over
  // a new one.
  if (wasStale) ({ wasStale, sentHeaders, ...outcome } = await postOnce(sending, undefined, stop.signal))
  clearTimeout(timer)
  forget()
  return Object.freeze({
    number,
    startedAt,
    durationMs: performance.now() - start,
    request: Object.freeze({
      method: 'POST',
      url,
      headers: sentHeaders,
      body: truncate ? bytes.toString() : order.body,
    }),
    ...outcome,
  })
}

/** Whether an attempt was successful: a whole answer of 2xx. A redirect is not followed, and is none. */
export function isDelivered({ status, error }: DeliveryAttempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

/** An attempt that a fault keeps from being sent. */
export function toDroppedAttempt({ number, url, body }: AttemptOrder): DeliveryAttempt {
  const request = Object.freeze({ method: 'POST', url, headers: {}, body })
  const error = 'nothing was sent, because of the "drop" fault'
  return Object.freeze({ number, startedAt: new Date(), durationMs: 0, request, error })
}
