import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as openHttp,
  type RequestOptions,
} from 'node:http'
import { request as openHttps } from 'node:https'
import { orAborted } from '../client/http/send-once.ts'
import { readResponse } from '../testing/read-response.ts'
import { Failure } from './errors.ts'

export interface HttpRequest {
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string | Uint8Array | undefined
  /** How long to wait for the response. Default: forever. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Without the limit of fetch, which waits for a response for five minutes at most. */
export function openRequest(target: URL, options: RequestOptions): ClientRequest {
  return (target.protocol === 'https:' ? openHttps : openHttp)(target, options)
}

/**
 * Sends a request and reads its response. Redirects are not followed. The name and password of a URL are sent
 * in the Authorization header.
 *
 * @throws Failure `no_response` or `timed_out`, whose message is the reason
 */
export async function request(
  target: URL,
  { method, headers, body, timeoutMs, signal }: HttpRequest,
): Promise<HttpResponse> {
  const limits = [signal ?? [], timeoutMs === undefined ? [] : AbortSignal.timeout(timeoutMs)].flat()
  const limit = AbortSignal.any(limits)
  try {
    const outgoing = openRequest(target, { method, headers, signal: limit }).end(body)
    const { head, body: read, error } = await orAborted(readResponse(outgoing, Infinity), limit)
    if (error !== undefined) throw error
    const { statusCode = 0, headers: received } = head as IncomingMessage
    return { status: statusCode, headers: received, body: read }
  } catch (error) {
    const { name, message, code = 'the connection was closed' } = error as NodeJS.ErrnoException
    if (name === 'TimeoutError')
      throw new Failure('timed_out', `no response within ${timeoutMs} ms`, { cause: error })
    throw new Failure('no_response', message || code, { cause: error })
  }
}
