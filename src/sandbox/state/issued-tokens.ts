import { randomBytes } from 'node:crypto'
import type { AuthorizationCode, Client, Token } from '@node-oauth/oauth2-server'
import type { AccountHolder } from './accounts.ts'
import { BoundedMap } from './bounded-map.ts'
import type { CheckedSandboxOptions } from './sandbox-options.ts'
import type { SavedState } from './saved-state.ts'

/**
 * One consent, or one client-credentials grant. Its tokens share this object, so that they can be revoked
 * together.
 */
export interface TokenFamily extends AccountHolder {
  revoked: boolean
}

export interface IssuedToken extends Token {
  refreshToken: string
  user: TokenFamily
}

export interface IssuedCode extends AuthorizationCode {
  user: TokenFamily
  spent: boolean
}

/** The application, for the OAuth server. */
export function toOAuthClient({ clientId, redirectUris }: CheckedSandboxOptions): Client {
  return {
    id: clientId,
    redirectUris: [...redirectUris],
    grants: ['client_credentials', 'authorization_code', 'refresh_token'],
  }
}

export type BearerVerdict = { readonly owner: AccountHolder } | 'expired' | 'invalid'

const MAX_TOKENS = 10_000
// The scheme is case-insensitive. RFC 6750 defines the characters of a token.
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i

export class IssuedTokens {
  readonly #access = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #refresh = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #codes = new BoundedMap<string, IssuedCode>(MAX_TOKENS)

  /** A random token of 256 bits, without characters that need encoding. */
  static random(): string {
    return randomBytes(32).toString('base64url')
  }

  static familyOf({ userId, accountId }: AccountHolder): TokenFamily {
    return { userId, accountId, revoked: false }
  }

  save(token: IssuedToken): void {
    this.#access.set(token.accessToken, token)
    this.#refresh.set(token.refreshToken, token)
  }

  saveCode(code: IssuedCode): void {
    this.#codes.set(code.authorizationCode, code)
  }

  refreshable(refreshToken: string): IssuedToken | undefined {
    const token = this.#refresh.get(refreshToken)
    return token?.user.revoked ? undefined : token
  }

  /** Invalidates both tokens; `false` if they already are. */
  spendRefresh(refreshToken: string): boolean {
    const token = this.#refresh.get(refreshToken)
    if (token) this.#access.delete(token.accessToken)
    return this.#refresh.delete(refreshToken)
  }

  /** An unused code. A code that is used again was stolen, so its tokens are revoked. */
  unspentCode(authorizationCode: string): IssuedCode | undefined {
    const code = this.#codes.get(authorizationCode)
    if (code?.spent) code.user.revoked = true
    return code?.spent ? undefined : code
  }

  /** Invalidates a code; `false` if it already is. */
  spendCode(authorizationCode: string): boolean {
    const code = this.unspentCode(authorizationCode)
    if (code) code.spent = true
    return code !== undefined
  }

  judge(authorization: string | undefined): BearerVerdict {
    const token = this.#access.get(BEARER.exec(authorization ?? '')?.[1] ?? '')
    if (!token || token.user.revoked) return 'invalid'
    const { userId, accountId } = token.user
    return Number(token.accessTokenExpiresAt) <= Date.now() ? 'expired' : { owner: { userId, accountId } }
  }

  /** What survives a restart: the tokens, not the codes. */
  get state(): SavedState['tokens'] {
    const all = new Set([...this.#access.values(), ...this.#refresh.values()])
    return [...Map.groupBy(all, ({ user }) => user)].map(([family, tokens]) => ({
      ...family,
      tokens: tokens.map(({ accessToken, refreshToken, accessTokenExpiresAt }) => ({
        accessToken,
        refreshToken,
        expiresAt: Number(accessTokenExpiresAt),
        canAccess: this.#access.has(accessToken),
        canRefresh: this.#refresh.has(refreshToken),
      })),
    }))
  }

  restore(families: SavedState['tokens'], client: Client): void {
    for (const { tokens, ...user } of families)
      for (const { expiresAt, canAccess, canRefresh, ...token } of tokens) {
        const issued = { ...token, accessTokenExpiresAt: new Date(expiresAt), client, user, scope: ['all'] }
        if (canAccess) this.#access.set(issued.accessToken, issued)
        if (canRefresh) this.#refresh.set(issued.refreshToken, issued)
      }
  }

  expireAll(): void {
    for (const token of this.#access.values()) token.accessTokenExpiresAt = new Date(0)
  }

  revokeAll(): void {
    this.#access.clear()
    this.#refresh.clear()
    this.#codes.clear()
  }
}
