import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HttpError } from '../http-error.ts'

/**
 * An error response of the API. docs/protocol.md does not specify its body; this shape was observed.
 */
export function sendError(error: Error, c: Context): Response {
  const { status, message, headers } =
    error instanceof HttpError ? error : new HttpError(500, `Internal error: ${error.message}`)
  const body = { code: status, message, logTag: randomUUID(), timestamp: new Date().toISOString() }
  return c.json(body, status as ContentfulStatusCode, headers)
}
