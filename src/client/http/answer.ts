import { ApiError, type ApiErrorCode, NetworkError } from '../../client-errors.ts'
import { isJsonObject, type JsonValue } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { HttpAnswer } from './exchange.ts'
import { toOneLine } from './one-line.ts'
import type { Redaction } from './redaction.ts'
import type { Lost } from './send.ts'

/**
 * The body of an answer: with exact numbers where it is JSON, as text where it is not, `undefined` where it is
 * empty.
 */
export function toBody(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined
  try {
    return parseJson(text).exact
  } catch {
    return text
  }
}

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300
}

// More than an error needs to say, and little enough to be logged.
const MAX_SHOWN = 64 * 1024

/**
 * The body of an answer that goes into an error: no secret that the service sent back, and no more than can be
 * read.
 */
export function toShownBody({ text, tooLarge }: HttpAnswer, redaction: Redaction): JsonValue | undefined {
  if (tooLarge || text.length > MAX_SHOWN) return redaction.redactBeginning(text.slice(0, MAX_SHOWN))
  const body = toBody(text)
  return body === undefined ? undefined : redaction.redactJson(body)
}

/**
 * Whether an answer says that the token is invalid. The shape of it is not stated, so this goes by the words,
 * as they stand in OAuth's `invalid_token` and in the messages of such services.
 */
export function saysInvalidToken({ status, headers, text }: HttpAnswer): boolean {
  if (status < 400 || status >= 500) return false
  const words = /invalid[ _-]?(?:access[ _-]?|bearer[ _-]?)?token/i
  return words.test(headers.get('www-authenticate') ?? '') || words.test(text.slice(0, MAX_SHOWN))
}

/** What an answer is called that is no success, and why it probably came. */
const REFUSALS: Readonly<Record<number, readonly [ApiErrorCode, string]>> = {
  401: ['unauthorized', 'The token was not accepted.'],
  404: ['not_found', 'There is no such thing on this account, or no such path: is "servicePath" right?'],
  409: ['conflict', 'The X-Request-Id was used before.'],
  429: ['rate_limited', 'Too many requests; try again later.'],
}

/** The error for an answer that is no success. */
export function toApiError(answer: HttpAnswer, { lost, cause, ...call }: RefusedCall): ApiError {
  const { what, requestId, redaction } = call
  const { status } = answer
  const body = toShownBody(answer, redaction)
  const said = `answered ${status}${toReason(body)}`
  if (status === 409 && lost !== undefined) {
    const first = lost instanceof NetworkError ? 'not answered' : `answered ${lost.status}`
    const message = `${what} was ${first}, and ${said} when it was sent again. The first request may have been done: look before you try again.`
    const error = lost instanceof NetworkError ? lost : toApiError(lost, call)
    return new ApiError('conflict', message, { status, body, requestId, cause: error })
  }
  const [code, hint] = REFUSALS[status] ?? toRefusal(status)
  const details = { status, body, requestId, ...(cause !== undefined && { cause }) }
  return new ApiError(code, `${what} was ${said}. ${hint}`, details)
}

const MAX_REASON = 200

/** What the service says for a reason, in the shapes that were seen, for the end of a sentence. */
export function toReason(body: JsonValue | undefined): string {
  if (!isJsonObject(body)) return ''
  const reason = [body.error_description, body.message, body.error].find((text) => typeof text === 'string')
  return reason === undefined ? '' : `: ${toOneLine(String(reason)).slice(0, MAX_REASON)}`
}

interface RefusedCall {
  readonly what: string
  readonly requestId: string | undefined
  readonly redaction: Redaction
  /** How an earlier request failed that may have been done. */
  readonly lost?: Lost | undefined
  /** What kept the token from being verified. */
  readonly cause?: unknown
}

function toRefusal(status: number): readonly [ApiErrorCode, string] {
  if (status >= 500) return ['service_failed', 'The service failed; try again later.']
  if (status >= 400) return ['request_rejected', '`body` holds all that the service said.']
  return [
    'redirect_refused',
    'A token is not carried elsewhere: is "baseUrl" the address that the service answers at?',
  ]
}
