import type { JsonObject } from '../json/json-value.ts'
import {
  assertOptions,
  filledText,
  functionOption,
  milliseconds,
  positiveInteger,
  withinRange,
} from '../option-checks.ts'
import { type ServiceUrls, toServiceUrls } from './http/service-urls.ts'
import { createMemoryTokenStore, type Grant, type TokenStore } from './tokens/token-store.ts'

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** The service's address: an absolute URL, with a path where it has one. Plain http only to this machine. */
  readonly baseUrl: string
  /** The client id of your application. */
  readonly clientId: string
  /** The client secret of your application. It is sent to the token endpoint and nowhere else. */
  readonly clientSecret: string
  /** The service's own name in its paths. Default `svc`. */
  readonly servicePath?: string | undefined
  /** Path of the authorize call, which the specification does not state. Default `/oauth/authorize`. */
  readonly authorizePath?: string | undefined
  /** Where the token is kept. Default: in memory, so that every process asks for its own. */
  readonly tokenStore?: TokenStore | undefined
  /**
   * Whose token the client uses when its store has none: with `client_credentials`, that of the application's
   * own account; with `authorization_code`, nobody's, until a user consents and `exchangeCode` gets theirs.
   * Default `client_credentials`.
   */
  readonly grant?: Grant | undefined
  /** What sends the requests. Default the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** How long one attempt may take, from the connection to the last byte, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** How often a request that may safely be repeated is sent again, 0 to 10. Default 2. */
  readonly maxRetries?: number | undefined
  /** The wait before the first retry, in milliseconds, from 0; doubles with each, with jitter. Default 500. */
  readonly retryDelayMs?: number | undefined
  /**
   * The longest wait before a retry, in milliseconds, from 0. If the service asks for a longer one
   * (`Retry-After`), the call fails at once. Default 30,000.
   */
  readonly maxRetryDelayMs?: number | undefined
  /** Longest answer that is read, in bytes. Default 10 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Send the secret and the tokens in the clear to a machine other than this one. Default `false`. */
  readonly allowInsecureHttp?: boolean | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Options of every call. */
export interface CallOptions {
  /** Gives the call up; it then rejects with the signal's reason. A grant that other calls wait for goes on. */
  readonly signal?: AbortSignal | undefined
}

/** The options, checked, with their defaults. */
export interface ClientSettings {
  readonly urls: ServiceUrls
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenStore: TokenStore
  readonly grant: Grant
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly retryDelayMs: number
  readonly maxRetryDelayMs: number
  readonly maxResponseBytes: number
  readonly now: () => number
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
] as const

// The longest delay that setTimeout takes.
const MAX_DELAY_MS = 2 ** 31 - 1

/** @throws TypeError if an option is invalid */
export function toClientSettings(options: ClientOptions): ClientSettings {
  assertOptions(options, KNOWN)
  const urls = toServiceUrls(options)
  const clientId = filledText('clientId', options.clientId)
  if (clientId.includes(':')) {
    // HTTP Basic ends the name at the first colon, so the service would read another id and another secret.
    throw new TypeError('"clientId" option must not hold a colon')
  }
  return {
    urls,
    clientId,
    clientSecret: filledText('clientSecret', options.clientSecret),
    tokenStore: assertTokenStore(options.tokenStore),
    grant: assertGrant(options.grant),
    // Called without a receiver, and looked up late, so that what replaces the global one in a test is used.
    fetch: functionOption('fetch', options.fetch, (...call) => fetch(...call)),
    timeoutMs: milliseconds('timeoutMs', options.timeoutMs, 10_000),
    maxRetries: withinRange('maxRetries', options.maxRetries, 2, 0, 10),
    retryDelayMs: withinRange('retryDelayMs', options.retryDelayMs, 500, 0, MAX_DELAY_MS),
    maxRetryDelayMs: withinRange('maxRetryDelayMs', options.maxRetryDelayMs, 30_000, 0, MAX_DELAY_MS),
    maxResponseBytes: positiveInteger('maxResponseBytes', options.maxResponseBytes, 10 * 1024 * 1024),
    now: functionOption('now', options.now, Date.now),
  }
}

function assertGrant(grant: Grant = 'client_credentials'): Grant {
  if (grant === 'client_credentials' || grant === 'authorization_code') return grant
  throw new TypeError(`"grant" option must be 'client_credentials' or 'authorization_code'`)
}

function assertTokenStore(store: TokenStore | undefined): TokenStore {
  if (store === undefined) return createMemoryTokenStore()
  const methods = store as unknown as JsonObject | null
  if (
    typeof methods?.get === 'function' &&
    typeof methods.set === 'function' &&
    (methods.lock === undefined || typeof methods.lock === 'function')
  ) {
    return store
  }
  throw new TypeError(
    '"tokenStore" option must have the methods get(key) and set(key, token), and may have lock',
  )
}
