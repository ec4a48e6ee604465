import { ApiError, NetworkError, TokenError } from '../client-errors.ts'
import type { Redaction } from './http/redaction.ts'
import {
  type FailedRequest,
  IN_DOUBT,
  isSuccess,
  saysInvalidToken,
  toApiError,
  toShownBody,
} from './http/response.ts'
import { type Lost, type Send, type SendPolicy, type Sent, withArrival } from './http/send.ts'
import type { HttpRequest, HttpResponse } from './http/send-once.ts'
import type { Rejection, TokenSource } from './tokens/token-keeper.ts'
import type { StoredToken } from './tokens/token-store.ts'

/** One call of the service's API. It may take several requests. */
export interface Operation extends SendPolicy {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The caller's own `X-Request-Id`. */
  readonly requestId?: string | undefined
  /**
   * Which attempts get a new `X-Request-Id`; with `until_lost`, none after one that may have been done. The
   * service then rejects what it would do twice. With `always`, that does no harm.
   */
  readonly newId?: 'until_lost' | 'always' | undefined
  /** Whether a 404 may mean that the token is invalid, or that an earlier DELETE was done. @default `false` */
  readonly isWebhook?: boolean
  /** Where its token comes from. @default the client */
  readonly tokens?: TokenSource
}

export const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

export interface CallResult {
  readonly response: HttpResponse
  /** Method and path, for an error. */
  readonly what: string
}

export type Call = ReturnType<typeof createCall>

export function createCall(send: Send, ofClient: TokenSource, helloUrl: string, redaction: Redaction) {
  /** Sends an operation, and once more with a new token if the service rejects the first one. */
  async function call(operation: Operation): Promise<CallResult> {
    const { method, url, newId, tokens = ofClient, signal } = operation
    // No query, which may be confidential.
    const what = `${method} ${new URL(url).pathname}`
    let { requestId } = operation
    const requestWith = (token: StoredToken) => (lost: Lost | undefined) => {
      if (newId === 'always' || (newId === 'until_lost' && lost === undefined))
        requestId = crypto.randomUUID()
      return toRequest({ ...operation, requestId }, token)
    }

    const token = await forRequest(method, tokens.current(signal))
    const isRead = READS.includes(method)
    const failed = ({ lost }: Sent) => ({ what, isRead, lost: isRead ? undefined : lost })
    let sent = await send(requestWith(token), operation)
    const rejection = await toRejection(sent.response, token, operation, failed(sent))
    if (rejection !== undefined) {
      const renewed = await forRequest(method, tokens.replace(token, rejection, signal), sent.lost)
      if (renewed === undefined) throw toApiError(sent.response, failed(sent), redaction)
      sent = await send(requestWith(renewed), operation, sent.lost)
    }
    const { response } = sent
    if (!isSuccess(response) && !isGone(operation, sent)) throw toApiError(response, failed(sent), redaction)
    if (!response.tooLarge) return { response, what }
    const message = `The response to ${what} is larger than "maxResponseBytes".`
    const body = toShownBody(response, redaction)
    throw new ApiError('response_invalid', message, { body, requestId: response.requestId })
  }

  /** Why the service rejected the token; `undefined` if the token was not the problem. */
  async function toRejection(
    response: HttpResponse,
    token: StoredToken,
    { isWebhook = false, signal }: Operation,
    failed: FailedRequest,
  ): Promise<Rejection | undefined> {
    const expired = response.status === 401 ? 'expired' : undefined
    const isDoubtful = saysInvalidToken(response) || (isWebhook && response.status === 404)
    if (!isDoubtful) return expired
    try {
      const hello = toRequest({ method: 'GET', url: helloUrl }, token)
      const { response: check } = await send(() => hello, { repeatable: true, signal })
      if (check.status === 401 && !saysInvalidToken(check)) return 'expired'
      if (saysInvalidToken(check) || check.status === response.status) return 'invalid'
      // Only a hello that succeeds tells that the token is valid, so that a DELETE may have been done.
      if (expired === undefined && !isSuccess(check)) throw toApiError(response, failed, redaction)
      return expired
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      if (expired === undefined) throw toApiError(response, { ...failed, cause: error }, redaction)
      return expired
    }
  }

  return call
}

/** Whether a 404 means that an earlier DELETE, whose response was lost, was done. */
function isGone({ isWebhook = false, method }: Operation, { response, lost }: Sent): boolean {
  const isNotFound = response.status === 404 && !saysInvalidToken(response)
  return isWebhook && method === 'DELETE' && isNotFound && lost !== undefined
}

/** A token that cannot be had says nothing about the request itself. */
async function forRequest<Token>(method: string, token: Promise<Token>, lost?: Lost): Promise<Token> {
  try {
    return await token
  } catch (error) {
    if (error instanceof NetworkError) throw withArrival(error, lost)
    if (!(error instanceof TokenError) || lost === undefined || READS.includes(method)) throw error
    const { code, message, status, oauthError } = error
    throw new TokenError(code, `${message} ${IN_DOUBT}`, { status, oauthError, cause: error })
  }
}

function toRequest(operation: Omit<Operation, 'repeatable'>, { accessToken }: StoredToken): HttpRequest {
  const { method, url, headers, body, requestId } = operation
  const authorization = `Bearer ${accessToken}`
  const id = requestId !== undefined && { 'x-request-id': requestId }
  const always = { accept: 'application/json', 'user-agent': 'payhook', authorization }
  return { method, url, headers: { ...always, ...headers, ...id }, body }
}
