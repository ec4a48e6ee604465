import * as z from 'zod/mini'
import { TokenError } from '../../client-errors.ts'
import { createLocks } from '../../create-locks.ts'
import { text } from '../../events/fields.ts'
import { identifierSchema, onExactData } from '../../events/identifier.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { withTimeLimit } from '../../time-limit.ts'
import type { ClientSettings } from '../client-options.ts'
import type { Redaction } from '../http/redaction.ts'
import type { StoredToken } from './token-store.ts'

export type CheckedTokenStore = ReturnType<typeof createCheckedTokenStore>

/** If the store fails, all methods reject with a `TokenError` `token_store_failed`. */
export function createCheckedTokenStore(settings: ClientSettings, redaction: Redaction) {
  const { tokenStore: store, timeoutMs } = settings
  // Names the service and the application, so that no token is sent to another one.
  const key = `${settings.urls.base} ${settings.clientId}`
  const locked = createLocks()

  async function ask<Result>(what: string, call: () => Result | PromiseLike<Result>): Promise<Result> {
    try {
      const tooSlow = () => new Error(`It took longer than ${timeoutMs} ms.`)
      return await withTimeLimit((async () => await call())(), timeoutMs, tooSlow)
    } catch (error) {
      throw failed(what, error)
    }
  }

  function failed(what: string, error: unknown): TokenError {
    const cause = redaction.redactError(error)
    return new TokenError('token_store_failed', `The token store could not ${what}.`, { cause })
  }

  return {
    async get(): Promise<StoredToken | undefined> {
      const held = (await ask('be read', () => store.get(key))) ?? undefined
      const token = toStoredToken(held)
      if (held !== undefined && token === undefined) throw failed('be used', new Error('It holds no token.'))
      redaction.add(token?.accessToken, token?.refreshToken)
      return token
    },

    set: (token: StoredToken) => ask('keep the new token', () => store.set(key, token)),

    /** Runs `work` while nobody else changes the token, here or in another process. */
    exclusively: (work: () => Promise<StoredToken>): Promise<StoredToken> =>
      locked(key, async () => {
        let result: Promise<StoredToken> | undefined
        // Once, as a refresh token works once. Settled, as a failure of the work is not one of the lock.
        const runOnce = async () => {
          result ??= work()
          await Promise.allSettled([result])
        }
        try {
          await (store.lock === undefined ? runOnce() : store.lock(key, runOnce))
        } catch (error) {
          throw failed('be locked', error)
        }
        if (result === undefined) throw failed('be locked', new Error('lock() did not run the work.'))
        return await result
      }),
  }
}

// It is sent in a header (RFC 6749, A.12).
export const accessTokenSchema = text.check(z.regex(/^[\x21-\x7e]+$/))

// Drivers of databases return integers as text, and identifiers as numbers.
const storedTokenSchema = z.looseObject({
  accessToken: accessTokenSchema,
  refreshToken: z.optional(text),
  accountId: z.optional(identifierSchema),
  userId: z.optional(identifierSchema),
  grant: z.enum(['client_credentials', 'authorization_code']),
  issuedAt: z.coerce.number(),
  expiresAt: z.optional(z.coerce.number()),
})

/** Reads what a store holds; `undefined` if it is not a token. Databases may have `null` in a field. */
function toStoredToken(value: unknown): StoredToken | undefined {
  if (!isJsonObject(value)) return undefined
  const present = Object.entries(value).filter(([, field]) => field !== null)
  return onExactData(() => storedTokenSchema.safeParse(Object.fromEntries(present)).data) as
    | StoredToken
    | undefined
}
