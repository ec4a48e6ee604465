import { ApiError } from '../client-errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { assertOptions, filledText } from '../option-checks.ts'
import { createCall, nameOf, type Operation } from './call.ts'
import { type CallOptions, type ClientOptions, toClientSettings } from './client-options.ts'
import { toBody, toShownBody } from './http/answer.ts'
import { createExchange } from './http/exchange.ts'
import { createRedaction } from './http/redaction.ts'
import { createSend } from './http/send.ts'
import type { Query } from './http/service-urls.ts'
import { createGrants, toBasicCredentials } from './tokens/grants.ts'
import { createKeptToken } from './tokens/kept-token.ts'
import { IssuedToken, type Token } from './tokens/token.ts'
import { createTokenKeeper } from './tokens/token-keeper.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** A call of {@link Client.request}. */
export interface ApiRequest extends CallOptions {
  /**
   * An HTTP method. GET, HEAD, PUT, DELETE and OPTIONS are repeated when they fail; others only when they were
   * not taken.
   */
  readonly method: string
  /** Below the base URL, beginning with a slash. */
  readonly path: string
  readonly query?: Query | undefined
  /** Sent as JSON: anything that `JSON.stringify` takes. */
  readonly body?: JsonValue | object | undefined
  /**
   * The `X-Request-Id`, a UUID, for operations that are to be recognised by it (`originalRequestId` of a
   * payment). Default: a new one.
   */
  readonly requestId?: string | undefined
}

/**
 * Calls the service's API. All calls throw `ApiError` when the service answers no success, `TokenError` when
 * there is no token to call with, and `NetworkError` when no answer comes; and `TypeError` for arguments that
 * cannot be.
 */
export interface Client {
  /** Where to send a user's browser, to have them consent. Check `state` when they come back. */
  authorizeUrl(parameters: { readonly redirectUri: string; readonly state?: string | undefined }): string
  /**
   * Trades the code that the user brought back for their token, which the client then uses. Simultaneous calls
   * with the same code share one request.
   */
  exchangeCode(
    parameters: { readonly code: string; readonly redirectUri: string },
    options?: CallOptions,
  ): Promise<Token>
  /** Refreshes the token now, however long it is valid. */
  refresh(options?: CallOptions): Promise<Token>
  /**
   * The token that calls are made with: that of the store, renewed when it expires soon; else a new one of the
   * application's own account.
   */
  token(options?: CallOptions): Promise<Token>
  /** Verifies the token; gives what the service answers, whatever that is. */
  hello(options?: CallOptions): Promise<JsonValue | undefined>
  /** The callback configurations. */
  readonly webhooks: Webhooks
  /**
   * Any other operation. Gives the body of the answer: parsed where it is JSON, with numbers as everywhere in
   * payhook (one that JavaScript would print otherwise is its source text), else text; `undefined` where it is
   * empty.
   *
   * @example
   * await client.request({ method: 'GET', path: '/svc/v1.0/hello' })
   */
  request(request: ApiRequest): Promise<JsonValue | undefined>
}

/**
 * Creates a client of the service's API. Tokens are asked for when they are needed, shared by concurrent calls,
 * and renewed before they expire; neither they nor the secret show up in an error, a log, `JSON.stringify` or
 * `util.inspect`.
 *
 * @throws TypeError for an option that cannot be
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', clientId, clientSecret })
 * await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }])
 */
export function createClient(options: ClientOptions): Client {
  const { urls, clientId, clientSecret, tokenStore, grant, now, ...settings } = toClientSettings(options)
  const credentials = toBasicCredentials(clientId, clientSecret)
  const redaction = createRedaction(clientSecret, `${clientId}:${clientSecret}`)
  const send = createSend(createExchange({ ...settings, redaction }), { ...settings, now })
  const grants = createGrants({ urls, credentials, now, send, redaction })
  const key = `${urls.base} ${clientId}`
  const { timeoutMs } = settings
  const kept = createKeptToken({ store: tokenStore, key, timeoutMs, redaction })
  const tokens = createTokenKeeper({ kept, grants, grant, now })
  const createRequestId = () => crypto.randomUUID()
  const call = createCall({ send, tokens, helloUrl: urls.hello, createRequestId, redaction })

  async function callForBody(operation: Operation): Promise<JsonValue | undefined> {
    const { answer, requestId } = await call(operation)
    if (!answer.tooLarge) return toBody(answer.text)
    const message = `${nameOf(operation)} was answered with more than "maxResponseBytes".`
    const { status } = answer
    throw new ApiError('response_invalid', message, {
      status,
      body: toShownBody(answer, redaction),
      requestId,
    })
  }

  return Object.freeze({
    authorizeUrl({ redirectUri, state }) {
      const query = {
        client_id: clientId,
        redirect_uri: toRedirectUri(redirectUri),
        response_type: 'code',
        state,
      }
      if (state !== undefined) filledText('state', state)
      const url = new URL(urls.authorize)
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, value)
      return url.href
    },

    exchangeCode: async ({ code, redirectUri }, { signal } = {}) =>
      new IssuedToken(await tokens.exchangeCode(toCode(code), toRedirectUri(redirectUri), signal)),
    refresh: async ({ signal } = {}) => new IssuedToken(await tokens.refresh(signal)),
    token: async ({ signal } = {}) => new IssuedToken(await tokens.current(signal)),
    hello: ({ signal } = {}) => callForBody({ method: 'GET', url: urls.hello, repeatable: true, signal }),
    webhooks: Object.freeze(createWebhooks({ call, urls, createRequestId, redaction })),

    async request(request) {
      assertOptions(request, ['method', 'path', 'query', 'body', 'requestId', 'signal'])
      const { path, query, body, signal } = request
      const requestId = request.requestId ?? createRequestId()
      const method = toMethod(request.method)
      const json = toJsonText(method, body)
      if (!UUID.test(requestId))
        throw new TypeError('"requestId" must be a UUID, as crypto.randomUUID() makes it')
      return await callForBody({
        method,
        url: urls.to(path, query),
        headers: json === undefined ? {} : { 'content-type': 'application/json' },
        body: json,
        requestId,
        newId: request.requestId !== undefined ? 'never' : READS.includes(method) ? 'always' : 'unless_done',
        repeatable: IDEMPOTENT.includes(method),
        signal,
      })
    },
  } satisfies Client)
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const READS = ['GET', 'HEAD', 'OPTIONS']
const IDEMPOTENT = [...READS, 'PUT', 'DELETE']

function toMethod(method: unknown): string {
  const name = typeof method === 'string' ? method.toUpperCase() : ''
  if ([...IDEMPOTENT, 'POST', 'PATCH'].includes(name)) return name
  throw new TypeError(`"method" must be one of ${IDEMPOTENT.join(', ')}, POST and PATCH`)
}

function toJsonText(method: string, body: unknown): string | undefined {
  if (body === undefined) return undefined
  if (method === 'GET' || method === 'HEAD')
    throw new TypeError(`"body" must be left out: ${method} has none`)
  try {
    const json: string | undefined = JSON.stringify(body)
    if (json !== undefined) return json
  } catch (error) {
    throw new TypeError('"body" must be JSON', { cause: error })
  }
  throw new TypeError('"body" must be JSON')
}

const MAX_CODE_LENGTH = 4_096

/** A code comes from the address bar of a browser, where anybody can write anything. */
function toCode(code: unknown): string {
  const text = filledText('code', code)
  if (text.length <= MAX_CODE_LENGTH) return text
  throw new TypeError(`"code" must have at most ${MAX_CODE_LENGTH} characters`)
}

function toRedirectUri(redirectUri: unknown): string {
  // Of any scheme: applications on phones and desktops have their own.
  if (typeof redirectUri === 'string' && URL.canParse(redirectUri)) return redirectUri
  throw new TypeError('"redirectUri" must be the absolute URL that is registered with the service')
}
