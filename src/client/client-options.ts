import { Buffer } from 'node:buffer'
import * as check from '../option-checks.ts'
import { ADDRESS_OPTIONS, type AddressOptions, toServiceUrls } from './http/service-urls.ts'
import { createMemoryTokenStore, type Grant, type TokenStore } from './tokens/token-store.ts'

/** Options of {@link createClient}. */
export interface ClientOptions extends AddressOptions {
  /** The client id of your application. */
  readonly clientId: string
  /** The client secret of your application. It is only sent to the token endpoint. */
  readonly clientSecret: string
  /** Where the token is kept. @default in memory, so each process gets its own */
  readonly tokenStore?: TokenStore | undefined
  /**
   * Whose token to use while the store has none. With `client_credentials`, the client gets one for the
   * application's own account; with `authorization_code`, calls fail with a `TokenError` `consent_required`
   * until `exchangeCode` gets the token of a user. @default `client_credentials`
   */
  readonly grant?: Grant | undefined
  /** The function that sends requests. @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined
  /** How long one attempt may take, from connecting to the last byte, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number | undefined
  /** How often a request that may safely be repeated is sent again, from 0 to 10. @default 2 */
  readonly maxRetries?: number | undefined
  /** The wait before the first retry, in milliseconds; doubles with each retry, with jitter. @default 500 */
  readonly retryDelayMs?: number | undefined
  /** The longest wait before a retry, in milliseconds; a longer `Retry-After` is an error. @default 30,000 */
  readonly maxRetryDelayMs?: number | undefined
  /** The largest response that is read, in bytes. @default 10 MiB */
  readonly maxResponseBytes?: number | undefined
  /** The clock, in milliseconds since 1970. @default `Date.now` */
  readonly now?: (() => number) | undefined
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. A request for a token goes on. */
  readonly signal?: AbortSignal | undefined
}

const CLIENT_OPTIONS = {
  ...ADDRESS_OPTIONS,
  // HTTP Basic ends the name at the first colon. A secret in a file often ends with a line break.
  clientId: check.text(undefined, /^(?!\s)[^:]+(?<!\s)$/, 'a string without a colon, nor spaces around it'),
  clientSecret: check.text(undefined, /^(?!\s).+(?<!\s)$/s, 'a non-empty string without spaces around it'),
  tokenStore: (name, store = createMemoryTokenStore()) => toTokenStore(name, store),
  grant: check.oneOf<Grant>(['client_credentials', 'authorization_code'], 'client_credentials'),
  // Looked up at each call, so that a test can replace the global one.
  fetch: check.callback<typeof fetch>((...call) => fetch(...call)),
  timeoutMs: check.delayMs(1, 10_000),
  maxRetries: check.integer(0, 10, 2),
  retryDelayMs: check.delayMs(0, 500),
  maxRetryDelayMs: check.delayMs(0, 30_000),
  maxResponseBytes: check.size(10 * 1024 * 1024),
  now: check.callback(Date.now),
} satisfies check.Checks<ClientOptions>

export type ClientSettings = ReturnType<typeof toClientSettings>

export function toClientSettings(options: ClientOptions) {
  const checked = check.checkOptions('createClient', options, CLIENT_OPTIONS)
  const { clientId, clientSecret } = checked
  return {
    ...checked,
    urls: toServiceUrls(checked),
    // As the service states it. OAuth (RFC 6749, 2.3.1) would percent-encode both first.
    credentials: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
  }
}

function toTokenStore(name: string, store: unknown): TokenStore {
  const { get, set, lock = get } = Object(store) as Partial<TokenStore>
  if ([get, set, lock].every((method) => typeof method === 'function')) return store as TokenStore
  throw check.invalidOption(
    name,
    'an object with get(key) and set(key, token), and optionally lock(key, work)',
    store,
  )
}
