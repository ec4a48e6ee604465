import { Buffer } from 'node:buffer'
import type { MiddlewareHandler } from 'hono'
import type { RecordedRequests } from '../state/recorded-requests.ts'
import { readBody } from './read-body.ts'

const MAX_LENGTH = 2_000
const MAX_BODY_LENGTH = 16 * 1024
const NAMES = 'client_secret|password|ticket|code|code_verifier|(?:access_|refresh_|callback)?token'
const IN_PARAMETERS = new RegExp(`((?:^|[?&"\\s])(?:${NAMES})=)[^&#"\\s]+`, 'gi')
const IN_JSON = new RegExp(`("(?:${NAMES})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gi')
const SCHEME = /^(\w+) .*/s

export function recordRequests(requests: RecordedRequests): MiddlewareHandler {
  return async (c, next) => {
    const at = new Date()
    // Read here, so that the body is recorded even if the request is rejected for its headers.
    const body = await readBody(c.req).catch(() => Buffer.alloc(0))
    await next()
    const requestId = c.req.header('x-request-id')
    const { search } = new URL(c.req.url)
    requests.add({
      method: c.req.method,
      path: c.req.path.slice(0, MAX_LENGTH),
      query: maskSecrets(search.slice(0, MAX_LENGTH)),
      headers: maskHeaders(c.req.raw.headers),
      body: maskSecrets(Buffer.from(body).subarray(0, MAX_BODY_LENGTH).toString()),
      ...(requestId === undefined ? {} : { requestId: requestId.slice(0, MAX_LENGTH) }),
      status: c.res.status,
      ...(c.res.status < 400 ? {} : { responseBody: (await c.res.clone().text()).slice(0, MAX_LENGTH) }),
      at,
    })
  }
}

function maskSecrets(text: string): string {
  return text.replace(IN_PARAMETERS, '$1***').replace(IN_JSON, '$1"***"')
}

function maskHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (name === 'authorization')
        return [name, SCHEME.test(value) ? value.replace(SCHEME, '$1 ***') : '***']
      return [name, name === 'cookie' ? '***' : maskSecrets(value)]
    }),
  )
}
