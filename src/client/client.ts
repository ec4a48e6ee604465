import type { JsonValue } from '../json/json-value.ts'
import { anything, type Checks, checkOptions, option, optional, text } from '../option-checks.ts'
import { UUID } from '../to-uuid.ts'
import { createCall, type Operation, READS } from './call.ts'
import { type CallOptions, type ClientOptions, toClientSettings } from './client-options.ts'
import { createRedaction } from './http/redaction.ts'
import { toBody } from './http/response.ts'
import { createSend } from './http/send.ts'
import { createSendOnce } from './http/send-once.ts'
import type { Query } from './http/service-urls.ts'
import { createCheckedTokenStore } from './tokens/checked-token-store.ts'
import { createGrants } from './tokens/grants.ts'
import { createTokenKeeper } from './tokens/token-keeper.ts'
import { type Token, toToken } from './tokens/token-store.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** A request of {@link Client.request}. */
export interface ApiRequest extends CallOptions {
  /** POST and PATCH are only repeated if they had no effect, the others whenever they fail. */
  readonly method: string
  /** Below the base URL, beginning with a slash. */
  readonly path: string
  readonly query?: Query | undefined
  /** Sent as JSON: anything that `JSON.stringify` takes. */
  readonly body?: JsonValue | object | undefined
  /** The `X-Request-Id`, a UUID, which notifications repeat as `originalRequestId`. @default a new one */
  readonly requestId?: string | undefined
}

/**
 * Calls the service's API. All calls reject with `ApiError` if the response is not a success, `TokenError` if
 * there is no token to call with, `NetworkError` if there is no response, and `TypeError` if an argument is
 * invalid.
 */
export interface Client {
  /** Makes the URL to send a user's browser to, so that they consent. Check `state` when they come back. */
  authorizeUrl(parameters: { readonly redirectUri: string; readonly state?: string | undefined }): string
  /**
   * Trades the code that the user's browser brought back for their token, which the client uses from then
   * on. `redirectUri` is that of `authorizeUrl`. Simultaneous calls with the same code share one request.
   */
  exchangeCode(
    parameters: { readonly code: string; readonly redirectUri: string },
    options?: CallOptions,
  ): Promise<Token>
  /** Refreshes the token, even if it is still valid. */
  refresh(options?: CallOptions): Promise<Token>
  /** Gets the token that calls are made with, renewed if it expires soon. */
  token(options?: CallOptions): Promise<Token>
  /** Verifies the token with the service's hello operation, and resolves to its response. */
  hello(options?: CallOptions): Promise<JsonValue | undefined>
  /** The callback configurations. */
  readonly webhooks: Webhooks
  /**
   * Sends any other request. Resolves to the body of the response: parsed if it is JSON, else text; `undefined`
   * if it is empty. An integer beyond 2^53, or a number that would lose digits, is returned as the text of it.
   *
   * @example
   * await client.request({ method: 'GET', path: '/svc/v1.0/hello' })
   */
  request(request: ApiRequest): Promise<JsonValue | undefined>
}

/**
 * Creates a client of the service's API. It gets a token when it needs one, shares it between concurrent calls
 * and renews it before it expires. Neither tokens nor the secret appear in errors, logs, `JSON.stringify` or
 * `util.inspect`.
 *
 * @throws TypeError if an option is invalid
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', clientId, clientSecret })
 * await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }])
 */
export function createClient(options: ClientOptions): Client {
  const settings = toClientSettings(options)
  const { urls, clientId, clientSecret, credentials } = settings
  const redaction = createRedaction(clientSecret, credentials)
  const send = createSend(createSendOnce(settings, redaction), settings)
  const store = createCheckedTokenStore(settings, redaction)
  const tokens = createTokenKeeper(store, createGrants(settings, send, redaction), settings)
  const call = createCall(send, tokens, urls.hello, redaction)

  async function callForBody(operation: Operation): Promise<JsonValue | undefined> {
    const { response } = await call(operation)
    return toBody(response.text)
  }

  return {
    authorizeUrl({ redirectUri, state }) {
      const url = new URL(urls.authorize)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('redirect_uri', toRedirectUri(redirectUri))
      url.searchParams.set('response_type', 'code')
      if (state !== undefined) url.searchParams.set('state', text()('state', state))
      return url.href
    },

    exchangeCode: async ({ code, redirectUri }, { signal } = {}) =>
      toToken(await tokens.exchangeCode(text()('code', code), toRedirectUri(redirectUri), signal)),
    refresh: async ({ signal } = {}) => toToken(await tokens.refresh(signal)),
    token: async ({ signal } = {}) => toToken(await tokens.current(signal)),
    hello: ({ signal } = {}) => callForBody({ method: 'GET', url: urls.hello, repeatable: true, signal }),
    webhooks: createWebhooks(call, tokens, urls.webhooks, redaction),

    async request(request) {
      const checked = checkOptions('client.request', request, REQUEST_OPTIONS)
      const { path, query, body, requestId, signal } = checked
      const method = checked.method.toUpperCase()
      if (body !== undefined && (method === 'GET' || method === 'HEAD'))
        throw new TypeError(`"body" is not allowed: ${method} has none`)
      const newId = READS.includes(method) ? 'always' : 'until_lost'
      return await callForBody({
        method,
        url: urls.to(path, query),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        requestId,
        newId: requestId === undefined ? newId : undefined,
        repeatable: IDEMPOTENT.includes(method),
        signal,
      })
    },
  }
}

const IDEMPOTENT = [...READS, 'PUT', 'DELETE']
const METHODS = [...IDEMPOTENT, 'POST', 'PATCH']

const REQUEST_OPTIONS = {
  method: option<string>(
    `one of ${METHODS.join(', ')}`,
    (value) => typeof value === 'string' && METHODS.includes(value.toUpperCase()),
  ),
  path: text(),
  query: anything(),
  body: anything(),
  requestId: optional(text(undefined, UUID, 'a UUID, such as crypto.randomUUID() makes')),
  signal: anything(),
} satisfies Checks<ApiRequest>

/** Accepts any scheme: applications on phones and desktops have their own. */
function toRedirectUri(redirectUri: unknown): string {
  if (typeof redirectUri === 'string' && URL.canParse(redirectUri)) return redirectUri
  throw new TypeError('"redirectUri" must be an absolute URL, as registered with the service')
}
