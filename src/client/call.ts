import { type NetworkDetails, NetworkError, TokenError } from '../client-errors.ts'
import { isSuccess, saysInvalidToken, toApiError } from './answer.ts'
import type { CallOptions } from './client-options.ts'
import type { HttpAnswer, HttpRequest } from './exchange.ts'
import type { Redaction } from './redaction.ts'
import type { Send, Sent } from './send.ts'
import type { Rejection, TokenKeeper } from './token-keeper.ts'
import { isOfSameOwner, type StoredToken } from './token-store.ts'

/** One call of the service's API, of which several requests may come. */
export interface Operation {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string | undefined
  /** The `X-Request-Id`, the same for all requests of the operation as long as it may have been used but once. */
  readonly requestId?: string | undefined
  /** Whether another id may take its place where the service knows it from a request that it refused. */
  readonly renamable?: boolean
  readonly repeatable: boolean
  /** Whether a 404 may mean that the token is invalid (service.md 7). */
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

/** A success, or a 409 that means an earlier request of the operation has arrived. */
export interface Outcome {
  readonly answer: HttpAnswer
  readonly requestId: string | undefined
  readonly arrivedBefore: boolean
}

/** Calls the API with a token, and renews the token once where that is what is wrong (service.md 5.2). */
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
    const { signal, method, renamable = false, hidesInvalidToken = false } = operation
    let { requestId } = operation
    let token = await beforehand(tokens.current(signal))
    holdTo(operation.owner, token)
    let renewed = false
    let renamed = false
    // Whether an earlier request may have been done, and whether one was refused.
    let uncertain = false
    let refused = false
    for (;;) {
      const sent = await sendWith(token, requestId, operation)
      const { answer } = sent
      uncertain ||= sent.uncertain
      refused ||= sent.refused
      if (isSuccess(answer)) return { answer, requestId, arrivedBefore: false }
      const { status } = answer
      if (status === 409 && requestId !== undefined && (uncertain || refused)) {
        if (uncertain && !isRead(method)) return { answer, requestId, arrivedBefore: true }
        // Nothing was done under this id, or nothing but reading.
        if (renamable && !renamed) {
          requestId = createRequestId()
          renamed = true
          continue
        }
      }
      const fail = (cause?: unknown) =>
        toApiError(answer, { what: nameOf(operation), requestId, redaction, cause })
      if (renewed) throw fail()
      const rejection = await toRejection(answer, token, operation, fail)
      // Deleted by the request whose answer was lost.
      if (
        rejection === undefined &&
        status === 404 &&
        hidesInvalidToken &&
        method === 'DELETE' &&
        uncertain
      ) {
        return { answer, requestId, arrivedBefore: true }
      }
      const replacement = rejection && (await beforehand(tokens.replace(token, rejection, signal), uncertain))
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
  ): Promise<Sent> {
    const { repeatable, signal } = operation
    try {
      return await send(toRequest(operation, token, requestId), { repeatable, signal })
    } catch (error) {
      throw error instanceof NetworkError ? withDetails(error, { requestId }) : error
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

function withDetails(error: NetworkError, details: Partial<NetworkDetails>): NetworkError {
  const { code, message, mayHaveArrived, requestId, cause } = error
  const own = { mayHaveArrived, requestId, ...(cause !== undefined && { cause }) }
  return new NetworkError(code, message, { ...own, ...details })
}

function isRead(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
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
