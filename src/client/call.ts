import { NetworkError } from '../client-errors.ts'
import { isSuccess, saysInvalidToken, toApiError } from './answer.ts'
import type { HttpAnswer, HttpRequest } from './exchange.ts'
import type { Redaction } from './redaction.ts'
import type { Send, Sent } from './send.ts'
import type { Rejection, TokenKeeper } from './token-keeper.ts'
import type { StoredToken } from './token-store.ts'

/** One call of the service's API, of which several requests may come. */
export interface Operation {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string | undefined
  /** The `X-Request-Id`, the same for all requests of the operation as long as it may have been used but once. */
  readonly requestId?: string | undefined
  readonly repeatable: boolean
  /** Whether a 404 may mean that the token is invalid (service.md 7). */
  readonly hidesInvalidToken?: boolean
  readonly signal?: AbortSignal | undefined
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
    const { signal, repeatable, method } = operation
    let { requestId } = operation
    let token = await tokens.current(signal)
    let renewed = false
    let uncertain = false
    for (let requests = 1; ; requests++) {
      const sent = await sendWith(token, requestId, operation)
      const { answer } = sent
      uncertain ||= sent.uncertain
      if (isSuccess(answer)) return { answer, requestId, arrivedBefore: false }
      if (answer.status === 409 && requestId !== undefined && (uncertain || renewed)) {
        const reads = method === 'GET'
        if (uncertain && !reads) return { answer, requestId, arrivedBefore: true }
        // Nothing was done under this id, or nothing that matters: the answer is all that a read is for.
        if (requests < 3 && repeatable) {
          requestId = createRequestId()
          uncertain = false
          continue
        }
      }
      const rejection = renewed ? undefined : await toRejection(answer, token, operation)
      if (rejection === undefined) {
        throw toApiError(answer, { what: nameOf(operation), requestId, redaction })
      }
      token = await tokens.replace(token, rejection, signal)
      renewed = true
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
      if (!(error instanceof NetworkError) || requestId === undefined) throw error
      const { code, message, mayHaveArrived, cause } = error
      throw new NetworkError(code, message, {
        mayHaveArrived,
        requestId,
        ...(cause !== undefined && { cause }),
      })
    }
  }

  /** Why the service did not take the token; `undefined` when it did, and the answer means what it says. */
  async function toRejection(
    answer: HttpAnswer,
    token: StoredToken,
    { hidesInvalidToken = false, signal }: Operation,
  ): Promise<Rejection | undefined> {
    const doubtful = saysInvalidToken(answer) || (hidesInvalidToken && answer.status === 404)
    if (!doubtful) return answer.status === 401 ? 'expired' : undefined
    const hello = { method: 'GET', url: helloUrl, repeatable: true }
    const { answer: check } = await send(toRequest(hello, token, undefined), { repeatable: true, signal })
    if (check.status === 401 && !saysInvalidToken(check)) return 'expired'
    return saysInvalidToken(check) || check.status === answer.status ? 'invalid' : undefined
  }
}

/** What an operation is called in an error: no query, which may hold what is nobody's business. */
export function nameOf({ method, url }: Pick<Operation, 'method' | 'url'>): string {
  return `${method} ${new URL(url).pathname}`
}

function toRequest(
  { method, url, headers = {}, body }: Operation,
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
