import { ApiError, type ApiErrorCode, NetworkError } from '../../client-errors.ts'
import { isJsonObject, type JsonValue } from '../../json/json-value.ts'
import { parseForCaller } from '../../json/parse-json.ts'
import { encodeControls, type Redaction } from './redaction.ts'
import type { Lost } from './send.ts'
import type { HttpResponse } from './send-once.ts'

/** The body of a response: parsed with exact numbers if it is JSON, else text; `undefined` if it is empty. */
export function toBody(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined
  try {
    return parseForCaller(text)
  } catch {
    return text
  }
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300
}

// Enough for an error, and little enough for a log.
const MAX_SHOWN = 64 * 1024

/** The body of a response for an error: redacted, and cut off if it is long. */
export function toShownBody({ text, tooLarge }: HttpResponse, redaction: Redaction): JsonValue | undefined {
  if (tooLarge || text.length > MAX_SHOWN) return redaction.redactBeginning(text.slice(0, MAX_SHOWN))
  const body = toBody(text)
  return body === undefined ? undefined : redaction.redactJson(body)
}

/** Its shape is not specified: looks for words as in `invalid_token` of OAuth, or "Invalid access token". */
export function saysInvalidToken({ status, headers, text }: HttpResponse): boolean {
  if (status < 400 || status >= 500) return false
  const words = /invalid[ _-]?(?:access[ _-]?|bearer[ _-]?)?token/i
  return words.test(headers.get('www-authenticate') ?? '') || words.test(text.slice(0, MAX_SHOWN))
}

/** Whether a response is a web page, so that it comes from something other than the API. */
export function isHtml({ headers, text }: HttpResponse): boolean {
  return /^text\/html\b/i.test(headers.get('content-type') ?? '') || /^\s*<(?:!doctype|html)\b/i.test(text)
}

const ERRORS: Readonly<Record<number, readonly [ApiErrorCode, string]>> = {
  401: ['unauthorized', 'The token was not accepted.'],
  403: ['request_rejected', 'Is the address of this machine admitted by the service?'],
  404: ['not_found', 'No such resource on this account, or no such path: is the service path right?'],
  409: ['conflict', 'The X-Request-Id was used before.'],
  429: ['rate_limited', 'Too many requests; try again later.'],
}

function errorOf(status: number, isRead: boolean): readonly [ApiErrorCode, string] {
  if (status >= 500) return ['service_failed', isRead ? 'The service failed; try again later.' : MAY_BE_DONE]
  if (status >= 400) return ['request_rejected', 'The service rejected the request.']
  return ['redirect_rejected', 'Tokens are not sent to other addresses: is the base URL right?']
}

export interface FailedRequest extends ErrorOptions {
  readonly what: string
  readonly lost?: Lost | undefined
  /** Whether it changes nothing, so that it can always be sent again. @default `false` */
  readonly isRead?: boolean
}

const MAY_BE_DONE = 'The service failed. The request may have taken effect: check before you try again.'
export const IN_DOUBT = 'The first request may have taken effect: check before you try again.'

export function toApiError(response: HttpResponse, request: FailedRequest, redaction: Redaction): ApiError {
  const { what, lost, isRead = false, cause } = request
  const { requestId, status, retryAfterMs } = response
  const body = toShownBody(response, redaction)
  const got = `got a ${status}${toReason(body)}`
  const [code, hint] = ERRORS[status] ?? errorOf(status, isRead)
  const details = { status, body, requestId, retryAfterMs }
  // Of a 5xx, the hint says that anyway.
  if (lost !== undefined && status < 500) {
    const isResponse = !(lost instanceof NetworkError)
    const first = isResponse ? `a ${lost.status}` : 'no response'
    const message = `${what} got ${first}, and ${got} when it was sent again. ${IN_DOUBT}`
    const firstError = isResponse ? toApiError(lost, { what }, redaction) : lost
    return new ApiError(code, message, { ...details, cause: firstError })
  }
  return new ApiError(code, `${what} ${got}. ${hint}`, { ...details, ...(cause !== undefined && { cause }) })
}

const MAX_REASON = 200

/** The reason that a body gives, in the known shapes, for the end of a sentence. */
export function toReason(body: JsonValue | undefined): string {
  if (!isJsonObject(body)) return ''
  const reason = [body.error_description, body.message, body.error].find((text) => typeof text === 'string')
  return reason === undefined ? '' : `: ${encodeControls(String(reason)).slice(0, MAX_REASON)}`
}
