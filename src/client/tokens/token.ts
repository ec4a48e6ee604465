import * as z from 'zod/mini'
import { text } from '../../events/text.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { exactIdentifierSchema } from '../webhooks/exact-identifier.ts'
import type { Grant, StoredToken } from './token-store.ts'

/**
 * A token to call the service with. `accessToken` and `refreshToken` can be read, but
 * do not show up in `JSON.stringify`, `util.inspect` or a log.
 */
export interface Token {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** `bearer`. */
  readonly tokenType: string
  /** When it expires; `undefined` when the service did not say. */
  readonly expiresAt: Date | undefined
  readonly scope: string | undefined
  /** Account of the token's owner. */
  readonly accountId: string | undefined
  /** User of the token's owner. */
  readonly userId: string | undefined
  /** The grant it began with. */
  readonly grant: Grant
}

/** The token as the client hands it out; its secrets are getters of the class, which nothing prints. */
export class IssuedToken implements Token {
  readonly #stored: StoredToken
  readonly tokenType: string
  readonly expiresAt: Date | undefined
  readonly scope: string | undefined
  readonly accountId: string | undefined
  readonly userId: string | undefined
  readonly grant: Grant

  constructor(stored: StoredToken) {
    const { tokenType, expiresAt, scope, accountId, userId, grant } = stored
    this.#stored = stored
    this.tokenType = tokenType
    this.expiresAt = expiresAt === undefined ? undefined : new Date(expiresAt)
    this.scope = scope
    this.accountId = accountId
    this.userId = userId
    this.grant = grant
  }

  get accessToken(): string {
    return this.#stored.accessToken
  }

  get refreshToken(): string | undefined {
    return this.#stored.refreshToken
  }
}

// It travels in a header (RFC 6749, A.12).
const accessToken = text.check(z.regex(/^[\x21-\x7e]+$/))

/**
 * The answer of the token endpoint to every grant, without fields that are `null` or empty. An invalid value of
 * a field that the client can do without counts as absent: the refresh token beside it may be the only valid
 * one.
 */
export const tokenResponseSchema = z.object({
  access_token: accessToken,
  token_type: z.catch(z.string(), 'bearer').check(z.regex(/^bearer$/i)),
  refresh_token: z.optional(text),
  expires_in: z.optional(z.unknown()),
  scope: z.catch(z.optional(text), undefined),
  account_id: z.catch(z.optional(exactIdentifierSchema), undefined),
  user_id: z.catch(z.optional(exactIdentifierSchema), undefined),
})

const storedTokenSchema = z.object({
  accessToken,
  refreshToken: z.optional(text),
  tokenType: text,
  scope: z.optional(text),
  accountId: z.optional(text),
  userId: z.optional(text),
  grant: z.enum(['client_credentials', 'authorization_code']),
  issuedAt: z.number(),
  expiresAt: z.optional(z.number()),
})

/**
 * What a store gave back, with `null` for what is absent, as databases have it; `undefined` when it is no
 * token.
 */
export function toStoredToken(value: unknown): StoredToken | undefined {
  if (!isJsonObject(value)) return undefined
  const present = Object.entries(value).filter(([, field]) => field !== null)
  const { success, data } = storedTokenSchema.safeParse(Object.fromEntries(present))
  return success ? data : undefined
}
