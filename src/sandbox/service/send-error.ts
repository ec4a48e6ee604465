import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HttpError } from '../http-error.ts'

/** The body of an error response of the API. docs/protocol.md does not specify it; this shape was observed. */
export interface ServiceErrorJson {
  /** The status. */
  readonly code: number
  readonly message: string
  /** Identifies the response in the service's log. */
  readonly logTag: string
  /** An ISO date-time. */
  readonly timestamp: string
}

export function sendError(error: Error, c: Context): Response {
  const { status, message, headers } =
    error instanceof HttpError ? error : new HttpError(500, `Internal error: ${error.message}`)
  const body = {
    code: status,
    message,
    logTag: randomUUID(),
    timestamp: new Date().toISOString(),
  } satisfies ServiceErrorJson
  return c.json(body, status as ContentfulStatusCode, headers)
}
