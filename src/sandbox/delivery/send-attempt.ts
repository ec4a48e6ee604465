import type { Buffer } from 'node:buffer'
import type { Closing } from './closing.ts'
import type { DeliveryAttempt } from './delivery.ts'
import { type Agents, postOnce } from './post-once.ts'

export interface AttemptOrder {
  readonly number: 1 | 2 | 3
  readonly url: string
  readonly bytes: Buffer
  /** The body as text, for the record. */
  readonly body: string
  readonly contentType: string
  /** The `ACCESS-SIGNATURE` header; `undefined` for none. */
  readonly signature: string | undefined
  /** Close the connection after half of the body. */
  readonly truncate: boolean
  readonly timeoutMs: number
}

/** Sends a notification once and returns the record of the attempt. Never rejects. */
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
    () => stop.abort(new Error(`no complete response within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const forget = closing.add(() => stop.abort(new Error('the sandbox was closed')))
  const startedAt = new Date()
  const start = performance.now()
  const sending = { url, headers, bytes, truncate }
  let { wasStale, sentHeaders, ...outcome } = await postOnce(sending, agents, stop.signal)
  // The receiver may close an idle connection, which is not a failure. Send again over a new one.
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

/** Whether an attempt succeeded: a complete 2xx response. Redirects are not followed. */
export function isDelivered({ status, error }: DeliveryAttempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

/** The record of an attempt that a fault drops. */
export function toDroppedAttempt({ number, url, body }: AttemptOrder): DeliveryAttempt {
  const request = Object.freeze({ method: 'POST', url, headers: {}, body })
  const error = 'nothing was sent, because of the "drop" fault'
  return Object.freeze({ number, startedAt: new Date(), durationMs: 0, request, error })
}
