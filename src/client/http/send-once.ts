import { causesOf } from '../../cause-of.ts'
import { NetworkError } from '../../client-errors.ts'
import type { ClientSettings } from '../client-options.ts'
import type { Redaction } from './redaction.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface HttpResponse {
  /** The `X-Request-Id` that was sent. */
  readonly requestId: string | undefined
  readonly status: number
  readonly headers: Headers
  /** The body, or its beginning if it is too large. */
  readonly text: string
  readonly tooLarge: boolean
  /** Its `Retry-After`, seconds or a date, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

export type SendOnce = ReturnType<typeof createSendOnce>

/** What a connection fails with before a byte of the request was sent, in Node and in Bun. */
const NEVER_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** @throws NetworkError if there is no response in time; the signal's reason if it is aborted */
export function createSendOnce(settings: ClientSettings, redaction: Redaction) {
  const { fetch, timeoutMs } = settings
  return async ({ method, url, headers, body }: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> => {
    signal?.throwIfAborted()
    const requestId = headers['x-request-id']
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    const abort = () => controller.abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const init = { method, headers: { ...headers }, signal: controller.signal, redirect: 'manual' } as const
      const response = fetch(url, body === undefined ? init : { ...init, body })
      // The user's fetch may ignore the signal.
      return await orAborted(
        response.then((received) => readResponse(received, requestId, settings)),
        controller.signal,
      )
    } catch (error) {
      signal?.throwIfAborted()
      const what = `${method} ${new URL(url).pathname}`
      if (controller.signal.aborted) {
        const message = `${what} got no response within ${timeoutMs} ms. If the service is slow, increase "timeoutMs".`
        throw new NetworkError('network_timeout', message, { requestId, mayHaveArrived: true })
      }
      const cause = redaction.redactError(error)
      const chain: NodeJS.ErrnoException[] = causesOf(cause)
      const reasons = chain.map(describe).filter((reason) => reason !== '')
      const message = `${what} failed: ${reasons.join(': ')}. Is the base URL right, and is the service reachable from here?`
      const mayHaveArrived = !chain.some(wasNeverSent)
      throw new NetworkError('network_failed', message, { requestId, mayHaveArrived, cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

async function readResponse(
  response: Response,
  requestId: string | undefined,
  { maxResponseBytes, now }: ClientSettings,
): Promise<HttpResponse> {
  if (typeof response?.headers?.get !== 'function')
    throw new TypeError('"fetch" option must resolve to a Response')
  const { status, headers } = response
  const head = { requestId, status, headers, retryAfterMs: readRetryAfter(headers, now()) }
  const chunks: Uint8Array[] = []
  let left = maxResponseBytes
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, left))
    left -= chunk.byteLength
    if (left < 0) return { ...head, text: toText(chunks), tooLarge: true }
  }
  return { ...head, text: toText(chunks), tooLarge: false }
}

function readRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  // All forms of a date begin with the day of the week. Alone, Date.parse takes 1.5 for one, too.
  const date = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(date)) return undefined
  // The service's clock may differ from this one.
  const respondedAt = Date.parse(headers.get('date') ?? '')
  return Math.max(0, date - (Number.isNaN(respondedAt) ? now : respondedAt))
}

function toText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}

/** The promise, or a rejection with the signal's reason as soon as it is aborted. */
export function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  // `fetch` takes null, too.
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Goes by codes alone: a message can contain anything. */
function wasNeverSent({ code = '', syscall }: NodeJS.ErrnoException): boolean {
  return NEVER_SENT.test(code) || (/^E(?:HOST|NET)UNREACH$/.test(code) && syscall === 'connect')
}

function describe({ message, code = '' }: NodeJS.ErrnoException): string {
  return message.includes(code) ? message : `${message} (${code})`.trim()
}
