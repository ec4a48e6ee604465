import { NetworkError } from '../../client-errors.ts'
import type { Redaction } from './redaction.ts'

/** One HTTP request to the service. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** What came back, read to its end. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body; of one that is too large, the beginning. */
  readonly text: string
  readonly tooLarge: boolean
}

/**
 * Sends a request once and reads the answer, whatever its status; redirects are not followed.
 *
 * @throws NetworkError when no answer came in time; what `signal` was aborted with, when it was
 */
export type Exchange = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpAnswer>

interface ExchangeSettings {
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly redaction: Redaction
}

/** What a connection fails with before a byte of the request was sent; on Bun, too. */
const NEVER_SENT: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ConnectionRefused',
]

export function createExchange({
  fetch,
  timeoutMs,
  maxResponseBytes,
  redaction,
}: ExchangeSettings): Exchange {
  return async ({ method, url, headers, body }, signal) => {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    const abort = () => controller.abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const init: RequestInit = {
        method,
        headers: { ...headers },
        redirect: 'manual',
        signal: controller.signal,
      }
      const response = fetch(url, body === undefined ? init : { ...init, body })
      // A fetch of the user's, or a body, need not listen to the signal.
      return await orAborted(
        response.then((answer) => readAnswer(answer, maxResponseBytes, controller.signal)),
        controller.signal,
      )
    } catch (error) {
      signal?.throwIfAborted()
      throw toNetworkError(error, `${method} ${new URL(url).pathname}`, controller.signal.aborted)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      // Lets go of what is still coming.
      controller.abort()
    }
  }

  function toNetworkError(error: unknown, what: string, timedOut: boolean): NetworkError {
    if (timedOut) {
      const message = `${what} was not answered within ${timeoutMs} ms. Is the service slow? "timeoutMs" is how long it may take.`
      return new NetworkError('network_timeout', message, { mayHaveArrived: true })
    }
    const cause = redaction.toShown(error)
    const reasons = reasonsOf(cause)
    const message = `${what} failed: ${reasons.join(': ')}. Does "baseUrl" name the service, and can it be reached from here?`
    return new NetworkError('network_failed', message, {
      cause,
      mayHaveArrived: !wasNeverSent(error),
    })
  }
}

async function readAnswer(response: Response, maxBytes: number, signal: AbortSignal): Promise<HttpAnswer> {
  if (typeof response?.headers?.get !== 'function') throw new TypeError('"fetch" option gave no Response')
  const { status, headers } = response
  const reader = response.body?.getReader()
  // Whoever made the stream need not know of the signal.
  const cancel = () => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const rest = maxBytes - length
    chunks.push(part.value.subarray(0, rest))
    length += part.value.byteLength
    // The exchange ends here, and with it the stream.
    if (part.value.byteLength > rest) return { status, headers, text: toText(chunks), tooLarge: true }
  }
  return { status, headers, text: toText(chunks), tooLarge: false }
}

function toText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}

/** The promise, or a rejection once the signal is aborted. */
export function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const MAX_CAUSES = 5

/** Judged by codes alone: a message may hold anything. */
function wasNeverSent(error: unknown, depth = 1): boolean {
  const { code, syscall, cause } = Object(error) as Partial<NodeJS.ErrnoException>
  if (NEVER_SENT.includes(code)) return true
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return syscall === 'connect'
  return cause !== undefined && depth < MAX_CAUSES && wasNeverSent(cause, depth + 1)
}

/** The messages and codes of an error and its causes. */
function reasonsOf(error: Error): string[] {
  const { code } = error as { code?: string }
  const own =
    code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`
  return [own, ...(error.cause instanceof Error ? reasonsOf(error.cause) : [])].filter(
    (reason) => reason !== '',
  )
}
