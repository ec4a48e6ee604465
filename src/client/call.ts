import { NetworkError, TokenError } from '../client-errors.ts'
import type { CallOptions } from './client-options.ts'
import { isSuccess, saysInvalidToken, toApiError } from './http/answer.ts'
import type { HttpAnswer, HttpRequest } from './http/exchange.ts'
import type { Redaction } from './http/redaction.ts'
import { type Lost, type Send, type Sent, withDetails } from './http/send.ts'
import type { Rejection, TokenKeeper } from './tokens/token-keeper.ts'
import { isOfSameOwner, type StoredToken } from './tokens/token-store.ts'

/** One call of the service's API, of which several requests may come. */
export interface Operation {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string | undefined
  /** The `X-Request-Id` of all its requests, until a new one replaces it. */
  readonly requestId?: string | undefined
  /**
   * Whether a new id may replace one that the service has already seen: `unless_done`, if no earlier request
   * can have been done; `always`, if it does no harm to do it twice. Default `never`.
   */
  readonly newId?: 'never' | 'unless_done' | 'always'
  readonly repeatable: boolean
  /** Whether a 404 may mean that the token is invalid. */
  readonly hidesInvalidToken?: boolean
  /** Of an operation that is one of several: for whom they are. */
  readonly owner?: Owner | undefined
  readonly signal?: AbortSignal | undefined
}

/** For whom the first of several operations was. */
export interface Owner {
  token?: StoredToken
}

/** Options of a call that may take several operations, all of them for the same owner. */
export interface Steps extends CallOptions {
  readonly owner?: Owner
}

/** A success, and the `X-Request-Id` of its request. */
export interface Outcome {
  readonly answer: HttpAnswer
  readonly requestId: string | undefined
}

/**
 * Calls the API with a token, and renews the token once where that is what is wrong.
 *
 * @throws ApiError if the answer is not a success; a `conflict` with a `cause` means that an earlier request
 *   failed with that error and may have been done
 */
export type Call = (operation: Operation) => Promise<Outcome>

interface CallSettings {
  readonly send: Send
  readonly tokens: TokenKeeper
  readonly helloUrl: string
  readonly createRequestId: () => string
  readonly redaction: Redaction
}

export function createCall({ send, tokens, helloUrl, createRequestId, redaction }: CallSettings): Call {
  return async (operation) => {
    const { signal, method, newId = 'never', hidesInvalidToken = false } = operation
    let { requestId } = operation
    let token = await beforehand(tokens.current(signal))
    holdTo(operation.owner, token)
    let renewed = false
    let renamed = false
    // How an earlier request failed that may have been done, and whether one was refused.
    let lost: Lost | undefined
    let refused = false
    for (;;) {
      const sent = await sendWith(token, requestId, operation, lost)
      const { answer } = sent
      lost ??= sent.lost
      refused ||= sent.refused
      if (isSuccess(answer)) return { answer, requestId }
      const { status } = answer
      const mayRename = newId === 'always' || (newId === 'unless_done' && lost === undefined)
      if (status === 409 && (lost !== undefined || refused) && mayRename && !renamed) {
        requestId = createRequestId()
        renamed = true
        continue
      }
      const fail = (cause?: unknown) =>
        toApiError(answer, { what: nameOf(operation), requestId, redaction, lost, cause })
      const rejection = renewed ? undefined : await toRejection(answer, token, operation, fail)
      if (rejection === undefined) {
        const isGone = status === 404 && hidesInvalidToken && method === 'DELETE' && lost !== undefined
        if (!isGone) throw fail()
        // Deleted by the request whose answer was lost.
        return { answer: { ...answer, text: '' }, requestId }
      }
      const replacement = await beforehand(tokens.replace(token, rejection, signal), lost !== undefined)
      if (replacement === undefined) throw fail()
      token = replacement
      renewed = true
      refused = true
    }
  }

  async function sendWith(
    token: StoredToken,
    requestId: string | undefined,
    operation: Operation,
    lost: Lost | undefined,
  ): Promise<Sent> {
    const { repeatable, signal } = operation
    try {
      return await send(toRequest(operation, token, requestId), { repeatable, signal })
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      throw withDetails(error, { requestId, ...(lost && { mayHaveArrived: true }) })
    }
  }

  /**
   * Why the service did not take the token; `undefined` when it did, and the answer means what it says.
   *
   * @param fail makes the error of the answer, for when the token cannot be verified
   */
  async function toRejection(
    answer: HttpAnswer,
    token: StoredToken,
    { hidesInvalidToken = false, signal }: Operation,
    fail: (cause: unknown) => Error,
  ): Promise<Rejection | undefined> {
    const expired = answer.status === 401 ? 'expired' : undefined
    const doubtful = saysInvalidToken(answer) || (hidesInvalidToken && answer.status === 404)
    if (!doubtful) return expired
    const hello = toRequest({ method: 'GET', url: helloUrl }, token, undefined)
    const check = await send(hello, { repeatable: true, signal }).catch((error: unknown) => {
      if (!(error instanceof NetworkError)) throw error
      if (expired === undefined) throw fail(error)
      return undefined
    })
    if (check === undefined) return expired
    if (check.answer.status === 401 && !saysInvalidToken(check.answer)) return 'expired'
    return saysInvalidToken(check.answer) || check.answer.status === answer.status ? 'invalid' : expired
  }
}

/** @throws TokenError when the token is not of the owner whom the operations before were for */
function holdTo(owner: Owner | undefined, token: StoredToken): void {
  if (owner === undefined) return
  owner.token ??= token
  if (isOfSameOwner(owner.token, token)) return
  const message =
    'The client began to act for somebody else in the middle of this call. Use one client for each user.'
  throw new TokenError('owner_changed', message)
}

/** A grant that fails for the network leaves the operation itself unsent, or refused. */
async function beforehand<Value>(grant: Promise<Value>, mayHaveArrived = false): Promise<Value> {
  try {
    return await grant
  } catch (error) {
    throw error instanceof NetworkError ? withDetails(error, { mayHaveArrived }) : error
  }
}

/** What an operation is called in an error: no query, which may hold what is nobody's business. */
export function nameOf({ method, url }: Pick<Operation, 'method' | 'url'>): string {
  return `${method} ${new URL(url).pathname}`
}

function toRequest(
  { method, url, headers = {}, body }: Pick<Operation, 'method' | 'url' | 'headers' | 'body'>,
  { accessToken }: StoredToken,
  requestId: string | undefined,
): HttpRequest {
  return {
    method,
    url,
    headers: {
      accept: 'application/json',
      'user-agent': 'payhook',
      ...headers,
      authorization: `Bearer ${accessToken}`,
      ...(requestId !== undefined && { 'x-request-id': requestId }),
    },
    body,
  }
}
