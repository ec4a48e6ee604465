import { NetworkError } from '../client-errors.ts'
import { type FailedRequest, isSuccess, saysInvalidToken, toApiError } from './http/answer.ts'
import type { HttpAnswer, HttpRequest } from './http/exchange.ts'
import type { Redaction } from './http/redaction.ts'
import { type Attempts, type Send, type SendPolicy, withArrival } from './http/send.ts'
import type { Rejection, TokenSource } from './tokens/token-keeper.ts'
import type { StoredToken } from './tokens/token-store.ts'

/** One call of the service's API, of which several requests may come. */
export interface Operation extends SendPolicy {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string | undefined
  readonly requestId?: string | undefined
  /**
   * Whether a new `X-Request-Id` may replace one that the service has already seen: `unless_done` if no earlier
   * request can have been done, `always` if it does no harm to do it twice. Default `never`.
   */
  readonly newId?: 'never' | 'unless_done' | 'always'
  /** Whether a 404 after a lost answer means that it was done. Default `false`. */
  readonly mayBeGone?: boolean
  /** Whether a 404 may mean that the token is invalid. Default `false`. */
  readonly hidesInvalidToken?: boolean
  /** Where its token comes from. Default: the client. */
  readonly tokens?: TokenSource
}

/** The answer to a call. */
export interface Answered {
  readonly answer: HttpAnswer
  /** Method and path, for an error. */
  readonly what: string
  /** The `X-Request-Id` of the last request. */
  readonly requestId: string | undefined
}

/** @throws ApiError if the answer is not a success */
export type Call = (operation: Operation) => Promise<Answered>

export function createCall(send: Send, ofClient: TokenSource, helloUrl: string, redaction: Redaction): Call {
  /** With the right meaning of an answer that follows a lost one. */
  async function call(operation: Operation): Promise<Answered> {
    // No query, which may be confidential.
    const what = `${operation.method} ${new URL(operation.url).pathname}`
    const attempts: Attempts = {}
    let { requestId } = operation
    let answer = await withToken(operation, { what, requestId }, attempts)
    if (answer.status === 409 && mayTakeNewId(operation, attempts)) {
      requestId = crypto.randomUUID()
      answer = await withToken({ ...operation, requestId }, { what, requestId }, attempts)
    }
    const isGone = operation.mayBeGone && answer.status === 404 && attempts.lost !== undefined
    if (isSuccess(answer) || isGone) return { answer, what, requestId }
    throw toApiError(answer, { what, requestId, lost: attempts.lost }, redaction)
  }

  /** With a token. If the service rejects it, renews it and sends the request again, once. */
  async function withToken(operation: Operation, failed: FailedRequest, attempts: Attempts) {
    const { tokens = ofClient, signal } = operation
    const token = await forRequest(tokens.current(signal), attempts)
    const answer = await send(toRequest(operation, token), operation, attempts)
    const rejection = attempts.renewed ? undefined : await toRejection(answer, token, operation, failed)
    if (rejection === undefined) return answer
    const replacement = await forRequest(tokens.replace(token, rejection, signal), attempts)
    if (replacement === undefined) throw toApiError(answer, failed, redaction)
    attempts.refused = attempts.renewed = true
    return await send(toRequest(operation, replacement), operation, attempts)
  }

  /** Why the service rejected the token; `undefined` if it did not, and the answer means what it says. */
  async function toRejection(
    answer: HttpAnswer,
    token: StoredToken,
    { hidesInvalidToken = false, signal }: Operation,
    failed: FailedRequest,
  ): Promise<Rejection | undefined> {
    const expired = answer.status === 401 ? 'expired' : undefined
    const isDoubtful = saysInvalidToken(answer) || (hidesInvalidToken && answer.status === 404)
    if (!isDoubtful) return expired
    try {
      const hello = toRequest({ method: 'GET', url: helloUrl }, token)
      const check = await send(hello, { repeatable: true, signal })
      if (check.status === 401 && !saysInvalidToken(check)) return 'expired'
      return saysInvalidToken(check) || check.status === answer.status ? 'invalid' : expired
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      if (expired === undefined) throw toApiError(answer, { ...failed, cause: error }, redaction)
      return expired
    }
  }

  return call
}

/** Whether a 409 means that the service has seen the id of an earlier attempt, and a new one may replace it. */
function mayTakeNewId({ newId = 'never' }: Operation, { lost, refused = false }: Attempts): boolean {
  return lost === undefined ? refused && newId !== 'never' : newId === 'always'
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
