import type { PayhookError } from '../errors.ts'

/** The reply to a request, as a plain value that an adapter passes to its framework. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * JSON text: `{ "received": true }`, with `"duplicate": true` for a duplicate, or `{ "code", "message" }`.
   */
  readonly body: string
}

/** The reply to a handled or stored notification. It is shared, so it is frozen. */
export const RECEIVED: Reply = toReply(200, { received: true })
/** The reply to a notification that the inbox has stored before. */
export const DUPLICATE: Reply = toReply(200, { received: true, duplicate: true })

/** The messages for senders. Causes and advice go to the log and the hooks. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The body is not a notification.',
  401: 'The request is not authenticated.',
  405: 'Only POST, PUT and PATCH are allowed.',
  413: 'The body is too large.',
  415: 'Compressed bodies are not supported.',
  500: 'The notification was not handled.',
  503: 'The notification could not be stored.',
}

/** The reply to a failure. It never contains the error's own message. */
export function toErrorReply({ code, status }: PayhookError): Reply {
  const reply = toReply(status, { code, message: MESSAGES[status] })
  return status === 405 ? { ...reply, headers: { ...reply.headers, allow: 'POST, PUT, PATCH' } } : reply
}

function toReply(status: number, content: object): Reply {
  const body = JSON.stringify(content)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(new TextEncoder().encode(body).length),
  }
  return Object.freeze({ status, headers: Object.freeze(headers), body })
}
