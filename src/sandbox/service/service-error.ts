import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Message for a bearer that the service does not know. */
export const INVALID_TOKEN = 'Invalid token'

/**
 * An answer of the API to a request that it refuses; the shape is one that was seen, docs/protocol.md does not
 * show any.
 */
export function serviceError(
  c: Context,
  status: ContentfulStatusCode,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const body = { code: status, message, logTag: randomUUID(), timestamp: new Date().toISOString() }
  return c.json(body, status, headers)
}

/** 401 for a token whose time is over. */
export function expiredToken(c: Context): Response {
  // RFC 6750 would have `error="invalid_token"` here too, but the service tells the two apart.
  return serviceError(c, 401, 'Access token expired', { 'www-authenticate': 'Bearer realm="sandbox"' })
}
