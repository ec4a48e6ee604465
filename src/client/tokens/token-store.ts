import { createTurns, type TakeTurn } from './turns.ts'

/** How a token was come by: for the application's own account, or for a user who consented. */
export type Grant = 'client_credentials' | 'authorization_code'

/** A token as a {@link TokenStore} keeps it: plain JSON, secrets included. */
export interface StoredToken {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  readonly tokenType: string
  readonly scope?: string | undefined
  readonly accountId?: string | undefined
  readonly userId?: string | undefined
  /** The grant it began with; a refresh does not change it. */
  readonly grant: Grant
  /** When it was asked for, in milliseconds since 1970. */
  readonly issuedAt: number
  /** When it expires, in milliseconds since 1970; absent when the service did not say. */
  readonly expiresAt?: number | undefined
}

/** Whether two tokens stand for the same account and user, as far as the service said. */
export function isOfSameOwner(left: StoredToken, right: StoredToken): boolean {
  const same = (a: string | undefined, b: string | undefined) => a === undefined || b === undefined || a === b
  return (
    left.grant === right.grant && same(left.accountId, right.accountId) && same(left.userId, right.userId)
  )
}

/**
 * Where a client keeps its token. `get` and `set` have the client's `timeoutMs`; what they throw becomes a
 * `TokenError` `token_store_failed`, and a token that could not be set is used in this process and offered
 * again. One store keeps one token a key, and the key names the service and the application, not the user: an
 * application that acts for several users has a client and a store for each.
 */
export interface TokenStore {
  /** The token of a key, as it was set. */
  get(key: string): StoredToken | undefined | PromiseLike<StoredToken | undefined>
  /** Keeps a token; when the promise resolves, the next process finds it. It is only called within `lock`. */
  set(key: string, token: StoredToken): unknown
  /**
   * Runs `work` while nobody else who shares the store runs theirs, and gives what it gives. A store that
   * several processes share needs it: a refresh token is spent by its use, and two that refresh at once rob
   * each other. It may take as long as the work of others does, which is a few requests with their retries;
   * nothing else limits it.
   */
  lock?<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Keeps tokens in this process, the default. Several clients of one application may share it.
 *
 * @example
 * const tokenStore = createMemoryTokenStore()
 */
export function createMemoryTokenStore(): TokenStore {
  const tokens = new Map<string, StoredToken>()
  const turns = new Map<string, TakeTurn>()
  return {
    get: (key) => tokens.get(key),
    set: (key, token) => void tokens.set(key, token),
    lock(key, work) {
      const takeTurn = turns.get(key) ?? createTurns()
      turns.set(key, takeTurn)
      return takeTurn(work)
    },
  }
}
