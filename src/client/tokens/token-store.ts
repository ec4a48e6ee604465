import { createLocks } from '../../create-locks.ts'

/** The grant that a token began with: for the application's own account, or for a user who consented. */
export type Grant = 'client_credentials' | 'authorization_code'

/** A token as a {@link TokenStore} keeps it: plain JSON, secrets included. */
export interface StoredToken {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** `bearer`. */
  readonly tokenType: string
  readonly scope?: string | undefined
  /** Account of the token's owner. */
  readonly accountId?: string | undefined
  /** User of the token's owner. */
  readonly userId?: string | undefined
  /** The grant it began with. A refresh does not change it. */
  readonly grant: Grant
  /** When it was requested, in milliseconds since 1970. */
  readonly issuedAt: number
  /** When it expires, in milliseconds since 1970; absent if the service did not say. */
  readonly expiresAt?: number | undefined
}

/**
 * A token to call the service with. `accessToken` and `refreshToken` can be read, but `JSON.stringify`,
 * `util.inspect` and loggers don't show them.
 */
export interface Token extends Omit<StoredToken, 'issuedAt' | 'expiresAt'> {
  /** When it expires; `undefined` if the service did not say. */
  readonly expiresAt: Date | undefined
}

// The last moment that a Date can hold.
const LAST_DATE_MS = 8.64e15

export function toToken(stored: StoredToken): Token {
  const { accessToken, refreshToken, tokenType, expiresAt, scope, accountId, userId, grant } = stored
  const expiry = expiresAt === undefined ? undefined : new Date(Math.min(expiresAt, LAST_DATE_MS))
  // Not enumerable, and getters, so that nothing prints the secrets.
  return Object.defineProperties({ tokenType, expiresAt: expiry, scope, accountId, userId, grant } as Token, {
    accessToken: { get: () => accessToken },
    refreshToken: { get: () => refreshToken },
  })
}

/**
 * Where a client keeps its token. `get` and `set` may take up to `timeoutMs`. If a method throws, the call
 * fails with a `TokenError` `token_store_failed`. A token that could not be set is offered again with the next
 * call of the same client. If you drop that client, its user has to consent again.
 *
 * The key names the service and the application, not the user: use a client with a store of its own for each.
 */
export interface TokenStore {
  /** Gets the token of a key; `undefined` if there is none. */
  get(key: string): StoredToken | undefined | PromiseLike<StoredToken | undefined>
  /** Keeps a token. Once it resolves, other processes get this token. Only called within `lock`. */
  set(key: string, token: StoredToken): unknown
  /**
   * Runs `work` while nobody else who shares the store runs theirs, and resolves to its result. Stores that
   * several clients share need it, also in one process: a refresh token works once. It may take as long as
   * others' requests, so let a lock that expires, as in Redis, last two minutes. If it holds a connection of a
   * pool, `get` and `set` need a pool of their own.
   */
  lock?<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Creates a store that keeps tokens in memory, the default. Share it only between clients that act for the same
 * user, or for the application: they all use the token that was set last.
 */
export function createMemoryTokenStore(): TokenStore {
  const tokens = new Map<string, StoredToken>()
  return {
    get: (key) => tokens.get(key),
    set: (key, token) => void tokens.set(key, token),
    lock: createLocks(),
  }
}
