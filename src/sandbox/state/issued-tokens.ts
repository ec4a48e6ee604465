import { randomBytes } from 'node:crypto'
import { HttpError } from '../http-error.ts'
import type { AccountHolder } from './accounts.ts'
import { BoundedMap } from './bounded-map.ts'
import type { SavedState } from './saved-state.ts'

/** One consent, or one client-credentials grant. Its tokens share it, so that they are revoked together. */
export interface TokenFamily extends AccountHolder {
  revoked: boolean
}

interface IssuedToken {
  readonly accessToken: string
  readonly refreshToken: string
  expiresAt: number
  readonly family: TokenFamily
}

interface IssuedCode {
  readonly redirectUri: string
  readonly family: TokenFamily
  readonly expiresAt: number
  spent: boolean
}

const MAX_TOKENS = 10_000
// The scheme is case-insensitive. RFC 6750 defines the characters of a token.
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i

export class IssuedTokens {
  /** By their access tokens. */
  readonly #tokens = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #codes = new BoundedMap<string, IssuedCode>(MAX_TOKENS)

  issue(family: TokenFamily, lifetimeSeconds: number): IssuedToken {
    const expiresAt = Date.now() + lifetimeSeconds * 1_000
    const token = { accessToken: randomToken(), refreshToken: randomToken(), expiresAt, family }
    this.#tokens.set(token.accessToken, token)
    return token
  }

  issueCode(user: AccountHolder, redirectUri: string, lifetimeMs: number): string {
    const code = randomToken()
    const expiresAt = Date.now() + lifetimeMs
    this.#codes.set(code, { redirectUri, family: toFamily(user), expiresAt, spent: false })
    return code
  }

  /** Invalidates both tokens, and returns their family; `undefined` if they are not valid. */
  takeRefresh(refreshToken: string): TokenFamily | undefined {
    const token = [...this.#tokens.values()].find((one) => one.refreshToken === refreshToken)
    if (!token || token.family.revoked) return undefined
    this.#tokens.delete(token.accessToken)
    return token.family
  }

  /** Invalidates a code. A code that is used again was stolen, so its tokens are revoked. */
  takeCode(text: string): IssuedCode | undefined {
    const code = this.#codes.get(text)
    if (!code) return undefined
    if (code.spent) code.family.revoked = true
    const isValid = !code.spent && code.expiresAt > Date.now()
    code.spent = true
    return isValid ? code : undefined
  }

  /** @throws HttpError 401 if the token has expired, `statusIfInvalid` if there is none or it is invalid */
  check(authorization: string | undefined, statusIfInvalid = 401): AccountHolder {
    const token = this.#tokens.get(BEARER.exec(authorization ?? '')?.[1] ?? '')
    const challenge = { 'www-authenticate': 'Bearer realm="sandbox"' }
    if (!token || token.family.revoked) {
      challenge['www-authenticate'] += ', error="invalid_token"'
      throw new HttpError(statusIfInvalid, 'Invalid token', '', statusIfInvalid === 401 ? challenge : {})
    }
    // RFC 6750 requires `error="invalid_token"` here, too, but the service distinguishes the two.
    if (token.expiresAt <= Date.now()) throw new HttpError(401, 'Access token expired', '', challenge)
    return token.family
  }

  /** What survives a restart: the tokens, not the codes. */
  get state(): SavedState['tokens'] {
    return [...Map.groupBy(this.#tokens.values(), (token) => token.family)].map(([family, tokens]) => ({
      ...family,
      tokens: tokens.map(({ family: _family, ...token }) => token),
    }))
  }

  restore(families: SavedState['tokens']): void {
    for (const { tokens, ...family } of families)
      for (const token of tokens) this.#tokens.set(token.accessToken, { ...token, family })
  }

  expireAll(): void {
    for (const token of this.#tokens.values()) token.expiresAt = 0
  }

  revokeAll(): void {
    this.#tokens.clear()
    this.#codes.clear()
  }
}

/** A random token of 256 bits, without characters that need encoding. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

export function toFamily({ userId, accountId }: AccountHolder): TokenFamily {
  return { userId, accountId, revoked: false }
}
