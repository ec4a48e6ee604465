import { randomBytes } from 'node:crypto'
import type { AuthorizationCode, Token } from '@node-oauth/oauth2-server'
import { BoundedMap } from '../bounded-map.ts'
import type { AccountHolder } from './accounts.ts'

/**
 * One consent, or one client-credentials grant. All tokens that come of it share it, so that they can fall
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

/** What a bearer is good for. */
export type BearerVerdict = { readonly owner: AccountHolder } | 'expired' | 'invalid'

const MAX_TOKENS = 10_000
// The scheme of a challenge is case-insensitive; a token is what RFC 6750 lets one consist of.
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i

/** The tokens and codes of one sandbox. */
export class IssuedTokens {
  readonly #access = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #refresh = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #codes = new BoundedMap<string, IssuedCode>(MAX_TOKENS)

  /** A random token; 256 bits, without a character that needs encoding. */
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

  /** Takes both tokens away; `false` when somebody else was faster. */
  spendRefresh(refreshToken: string): boolean {
    const token = this.#refresh.get(refreshToken)
    if (token) this.#access.delete(token.accessToken)
    return this.#refresh.delete(refreshToken)
  }

  /** A code that nobody used yet. One that comes a second time was stolen, and what came of it is revoked. */
  unspentCode(authorizationCode: string): IssuedCode | undefined {
    const code = this.#codes.get(authorizationCode)
    if (code?.spent) code.user.revoked = true
    return code?.spent ? undefined : code
  }

  /** `false` when somebody else was faster. */
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

  expireAll(): void {
    for (const token of this.#access.values()) token.accessTokenExpiresAt = new Date(0)
  }

  revokeAll(): void {
    this.#access.clear()
    this.#refresh.clear()
    this.#codes.clear()
  }
}
