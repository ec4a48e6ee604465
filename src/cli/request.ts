import { Failure } from './errors.ts'

export interface HttpRequest {
  readonly method: string
  readonly headers: Record<string, string> | [string, string][]
  readonly body?: string | Uint8Array | undefined
  /** How long to wait for the response. Default: forever. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** A URL without a name and a password, which fetch rejects, and headers that have them. */
export function toFetchable(target: URL, given?: HttpRequest['headers']): { url: URL; headers: Headers } {
  const url = new URL(target)
  const headers = new Headers(given)
  const { username, password } = url
  if (username !== '' || password !== '') {
    const credentials = decodeURIComponent(`${username}:${password}`)
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
    url.username = ''
    url.password = ''
  }
  return { url, headers }
}

/**
 * Sends a request and reads its response. Redirects are not followed. The name and password of a URL are sent
 * in the Authorization header.
 *
 * @throws Failure `no_response` or `timed_out`, whose message is the reason
 */
export async function request(target: URL, options: HttpRequest): Promise<HttpResponse> {
  const { method, body, timeoutMs, signal } = options
  const limits = [signal ?? [], timeoutMs === undefined ? [] : AbortSignal.timeout(timeoutMs)].flat()
  try {
    const { url, headers } = toFetchable(target, options.headers)
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      redirect: 'manual',
      signal: AbortSignal.any(limits),
    })
    const { status } = response
    return { status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    if (name === 'TimeoutError')
      throw new Failure('timed_out', `no response within ${timeoutMs} ms`, { cause: error })
    throw new Failure('no_response', cause?.message || cause?.code || message, { cause: error })
  }
}
