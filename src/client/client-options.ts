import { Buffer } from 'node:buffer'
import {
  assertOptions,
  filledText,
  functionOption,
  milliseconds,
  positiveInteger,
  withinRange,
} from '../option-checks.ts'
import { type AddressOptions, toServiceUrls } from './http/service-urls.ts'
import { createMemoryTokenStore, type Grant, type TokenStore } from './tokens/token-store.ts'

/** Options of {@link createClient}. */
export interface ClientOptions extends AddressOptions {
  /** The client id of your application. */
  readonly clientId: string
  /** The client secret of your application. It is only sent to the token endpoint. */
  readonly clientSecret: string
  /** Where the token is kept. Default: in memory, so each process gets its own. */
  readonly tokenStore?: TokenStore | undefined
  /**
   * Whose token to use while the store has none. With `client_credentials`, the client gets one for the
   * application's own account; with `authorization_code`, calls fail with a `TokenError` `consent_required`
   * until `exchangeCode` gets the token of a user. Default `client_credentials`.
   */
  readonly grant?: Grant | undefined
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** How long one attempt may take, from connecting to the last byte, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** How often a request that may safely be repeated is sent again, from 0 to 10. Default 2. */
  readonly maxRetries?: number | undefined
  /** The wait before the first retry, in milliseconds; doubles with each retry, with jitter. Default 500. */
  readonly retryDelayMs?: number | undefined
  /** The longest wait before a retry, in milliseconds; a longer `Retry-After` is an error. Default 30,000. */
  readonly maxRetryDelayMs?: number | undefined
  /** The largest answer that is read, in bytes. Default 10 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. A request for a token goes on. */
  readonly signal?: AbortSignal | undefined
}

const KNOWN = [
  'baseUrl',
  'clientId',
  'clientSecret',
  'servicePath',
  'authorizePath',
  'tokenStore',
  'grant',
  'fetch',
  'timeoutMs',
  'maxRetries',
  'retryDelayMs',
  'maxRetryDelayMs',
  'maxResponseBytes',
  'allowInsecureHttp',
  'now',
] satisfies (keyof ClientOptions)[]

// The longest delay that setTimeout takes.
const MAX_DELAY_MS = 2 ** 31 - 1

/** The options, checked, with their defaults. */
export type ClientSettings = ReturnType<typeof toClientSettings>

/** @throws TypeError if an option is invalid */
export function toClientSettings(options: ClientOptions) {
  assertOptions(options, KNOWN)
  const urls = toServiceUrls(options)
  const clientId = filledText('clientId', options.clientId)
  // HTTP Basic ends the name at the first colon.
  if (clientId.includes(':')) throw new TypeError('"clientId" option must not contain a colon')
  const clientSecret = filledText('clientSecret', options.clientSecret)
  return {
    urls,
    clientId,
    clientSecret,
    // As the service states it. OAuth (RFC 6749, 2.3.1) would percent-encode both first.
    credentials: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
    tokenStore: toTokenStore(options.tokenStore),
    grant: toGrant(options.grant),
    // Looked up at each call, so that a test can replace the global one.
    fetch: functionOption('fetch', options.fetch, (...call) => fetch(...call)),
    timeoutMs: milliseconds('timeoutMs', options.timeoutMs, 10_000),
    maxRetries: withinRange('maxRetries', options.maxRetries, 2, 0, 10),
    retryDelayMs: withinRange('retryDelayMs', options.retryDelayMs, 500, 0, MAX_DELAY_MS),
    maxRetryDelayMs: withinRange('maxRetryDelayMs', options.maxRetryDelayMs, 30_000, 0, MAX_DELAY_MS),
    maxResponseBytes: positiveInteger('maxResponseBytes', options.maxResponseBytes, 10 * 1024 * 1024),
    now: functionOption('now', options.now, Date.now),
  }
}

function toGrant(grant: Grant = 'client_credentials'): Grant {
  if (grant === 'client_credentials' || grant === 'authorization_code') return grant
  throw new TypeError(`"grant" option must be 'client_credentials' or 'authorization_code'`)
}

function toTokenStore(store: TokenStore = createMemoryTokenStore()): TokenStore {
  const { get, set, lock = get } = Object(store) as Partial<TokenStore>
  if ([get, set, lock].every((method) => typeof method === 'function')) return store
  throw new TypeError(
    '"tokenStore" option must have get(key) and set(key, token), and may have lock(key, work)',
  )
}
