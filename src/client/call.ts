import { NetworkError } from '../client-errors.ts'
import type { ClientSettings } from './client-options.ts'
import type { Redaction } from './http/redaction.ts'
import { type FailedRequest, isSuccess, saysInvalidToken, toApiError } from './http/response.ts'
import { type Attempts, type Send, type SendPolicy, type Sent, withArrival } from './http/send.ts'
import type { HttpRequest, HttpResponse } from './http/send-once.ts'
import type { Rejection, TokenSource } from './tokens/token-keeper.ts'
import type { StoredToken } from './tokens/token-store.ts'

/** One call of the service's API. It may take several requests. */
export interface Operation extends SendPolicy {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly requestId?: string | undefined
  /**
   * Whether a new `X-Request-Id` may replace one that the service has already seen: `unless_done` if no earlier
   * request can have been done, `always` if it does no harm to do it twice. @default `never`
   */
  readonly newId?: 'never' | 'unless_done' | 'always'
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
  readonly requestId: string | undefined
}

export type Call = ReturnType<typeof createCall>

export function createCall(
  send: Send,
  ofClient: TokenSource,
  { urls, maxRetries }: ClientSettings,
  redaction: Redaction,
) {
  /**
   * Sends an operation, until the response is one to settle with:
   *
   *     the token is rejected           ──▶ send it again with a new token, once
   *     409: the id was seen, not done  ──▶ send it again with a new id, once, or a read more often
   *     anything else                   ──▶ settle
   *
   * @throws ApiError if the response is not a success
   */
  async function call(operation: Operation): Promise<CallResult> {
    const { method, url, tokens = ofClient, signal } = operation
    // No query, which may be confidential.
    const what = `${method} ${new URL(url).pathname}`
    const isRead = READS.includes(method)
    let { requestId } = operation
    let newIds = isRead ? Math.max(1, maxRetries) : 1
    let attempts: Attempts = {}
    let isRenewed = false
    let token = await forRequest(tokens.current(signal), attempts)
    for (;;) {
      const sent = await send(toRequest({ ...operation, requestId }, token), operation, attempts)
      const { response } = sent
      attempts = sent.attempts
      const failed = { what, requestId }
      const rejection = isRenewed ? undefined : await toRejection(response, token, operation, failed)
      if (rejection !== undefined) {
        const replacement = await forRequest(tokens.replace(token, rejection, signal), attempts)
        if (replacement === undefined) throw toApiError(response, failed, redaction)
        token = replacement
        isRenewed = true
        attempts = { ...attempts, rejected: true }
      } else if (newIds > 0 && mayTakeNewId(operation, sent)) {
        newIds--
        requestId = crypto.randomUUID()
      } else if (isSuccess(response) || isGone(operation, sent)) {
        return { response, what, requestId }
      } else {
        throw toApiError(response, { ...failed, lost: isRead ? undefined : attempts.lost }, redaction)
      }
    }
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
      const hello = toRequest({ method: 'GET', url: urls.hello }, token)
      const { response: check } = await send(hello, { repeatable: true, signal })
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

/** Whether a 409 means that the service has seen the id of an earlier attempt, and a new one may replace it. */
function mayTakeNewId({ newId = 'never' }: Operation, { response, attempts }: Sent): boolean {
  const { lost, rejected = false } = attempts
  return response.status === 409 && (lost === undefined ? rejected && newId !== 'never' : newId === 'always')
}

/** Whether a 404 means that an earlier DELETE, whose response was lost, was done. */
function isGone({ isWebhook = false, method }: Operation, { response, attempts }: Sent): boolean {
  const isNotFound = response.status === 404 && !saysInvalidToken(response)
  return isWebhook && method === 'DELETE' && isNotFound && attempts.lost !== undefined
}

/** A network that fails for the token says nothing about the request itself. */
async function forRequest<Token>(token: Promise<Token>, attempts: Attempts): Promise<Token> {
  try {
    return await token
  } catch (error) {
    throw error instanceof NetworkError ? withArrival(error, attempts) : error
  }
}

function toRequest(operation: Omit<Operation, 'repeatable'>, { accessToken }: StoredToken): HttpRequest {
  const { method, url, headers, body, requestId } = operation
  const authorization = `Bearer ${accessToken}`
  const id = requestId !== undefined && { 'x-request-id': requestId }
  const always = { accept: 'application/json', 'user-agent': 'payhook', authorization }
  return { method, url, headers: { ...always, ...headers, ...id }, body }
}
