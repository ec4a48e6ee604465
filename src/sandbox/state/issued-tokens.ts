import { randomBytes } from 'node:crypto'
import type { AccountHolder } from './accounts.ts'
import { BoundedMap } from './bounded-map.ts'
import type { SavedState } from './saved-state.ts'

/**
 * One consent, or one client-credentials grant. Its tokens share this object, so that they can be revoked
 * together.
 */
export interface TokenFamily extends AccountHolder {
  revoked: boolean
}

interface IssuedToken {
  readonly accessToken: string
  readonly refreshToken: string
  expiresAt: number
  readonly family: TokenFamily
}

/** What the user consented to. */
export interface Consent {
  readonly redirectUri: string
  readonly codeChallenge?: string | undefined
}

interface IssuedCode extends Consent {
  readonly family: TokenFamily
  readonly expiresAt: number
  spent: boolean
}

export type BearerVerdict = { readonly owner: AccountHolder } | 'expired' | 'invalid'

const MAX_TOKENS = 10_000
// The scheme is case-insensitive. RFC 6750 defines the characters of a token.
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i

export class IssuedTokens {
  readonly #access = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #refresh = new BoundedMap<string, IssuedToken>(MAX_TOKENS)
  readonly #codes = new BoundedMap<string, IssuedCode>(MAX_TOKENS)

  issue(family: TokenFamily, lifetimeSeconds: number): IssuedToken {
    const expiresAt = Date.now() + lifetimeSeconds * 1_000
    const token = { accessToken: randomToken(), refreshToken: randomToken(), expiresAt, family }
    this.#access.set(token.accessToken, token)
    this.#refresh.set(token.refreshToken, token)
    return token
  }

  issueCode(user: AccountHolder, consent: Consent, lifetimeMs: number): string {
    const code = randomToken()
    const expiresAt = Date.now() + lifetimeMs
    this.#codes.set(code, { ...consent, family: toFamily(user), expiresAt, spent: false })
    return code
  }

  /** Invalidates both tokens, and returns their family; `undefined` if they are not valid. */
  takeRefresh(refreshToken: string): TokenFamily | undefined {
    const token = this.#refresh.get(refreshToken)
    if (!token || token.family.revoked) return undefined
    this.#access.delete(token.accessToken)
    this.#refresh.delete(refreshToken)
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

  judge(authorization: string | undefined): BearerVerdict {
    const token = this.#access.get(BEARER.exec(authorization ?? '')?.[1] ?? '')
    if (!token || token.family.revoked) return 'invalid'
    const { userId, accountId } = token.family
    return token.expiresAt <= Date.now() ? 'expired' : { owner: { userId, accountId } }
  }

  /** What survives a restart: the tokens, not the codes. */
  get state(): SavedState['tokens'] {
    const all = new Set([...this.#access.values(), ...this.#refresh.values()])
    return [...Map.groupBy(all, (token) => token.family)].map(([family, tokens]) => ({
      ...family,
      tokens: tokens.map(({ family: _family, ...token }) => ({
        ...token,
        canAccess: this.#access.has(token.accessToken),
        canRefresh: this.#refresh.has(token.refreshToken),
      })),
    }))
  }

  restore(families: SavedState['tokens']): void {
    for (const { tokens, ...family } of families)
      for (const { canAccess, canRefresh, ...token } of tokens) {
        const issued = { ...token, family }
        if (canAccess) this.#access.set(issued.accessToken, issued)
        if (canRefresh) this.#refresh.set(issued.refreshToken, issued)
      }
  }

  expireAll(): void {
    for (const token of this.#access.values()) token.expiresAt = 0
  }

  revokeAll(): void {
    this.#access.clear()
    this.#refresh.clear()
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
