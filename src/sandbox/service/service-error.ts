import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The message for an unknown bearer token. */
export const INVALID_TOKEN = 'Invalid token'

/**
 * An error response of the API. docs/protocol.md does not specify its body; this shape was observed.
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

/** A 401 for an expired token. */
export function expiredToken(c: Context): Response {
  // RFC 6750 requires `error="invalid_token"` here, too, but the service distinguishes the two.
  return serviceError(c, 401, 'Access token expired', { 'www-authenticate': 'Bearer realm="sandbox"' })
}
