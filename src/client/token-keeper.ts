import { NetworkError, TokenError } from '../client-errors.ts'
import { isJsonObject } from '../json/json-value.ts'
import { orAborted } from './exchange.ts'
import type { Grants } from './grants.ts'
import type { Redaction } from './redaction.ts'
import { storedTokenSchema } from './token.ts'
import type { StoredToken, TokenStore } from './token-store.ts'
import { createTurns } from './turns.ts'

/** Keeps a valid token at hand, with one grant in flight however many ask for it. */
export interface TokenKeeper {
  /** A token that does not expire soon. */
  current(signal?: AbortSignal): Promise<StoredToken>
  /** The token in place of one that the service did not take (service.md 5.2). */
  replace(rejected: StoredToken, reason: Rejection, signal?: AbortSignal): Promise<StoredToken>
  /** A refreshed token, however long the present one is valid. */
  refresh(signal?: AbortSignal): Promise<StoredToken>
  /** The token of the user whom a code stands for. */
  exchangeCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken>
}

/** Why a token was not taken: it expired (401), or it is none (an Invalid token response that hello confirmed). */
export type Rejection = 'expired' | 'invalid'

interface KeeperSettings {
  readonly store: TokenStore
  /** Names the service and the application, so that a token never reaches another one. */
  readonly key: string
  readonly grants: Grants
  readonly redaction: Redaction
  readonly now: () => number
}

const MAX_MARGIN_MS = 60_000

export function createTokenKeeper({ store, key, grants, redaction, now }: KeeperSettings): TokenKeeper {
  const inFlight = new Map<string, Promise<StoredToken>>()
  const takeTurn = createTurns()
  /** A token that the store did not take: it may hold the only refresh token that is still good. */
  let unsaved: StoredToken | undefined

  /** One call of `work` for all who ask for the same at once. It goes on when one of them loses patience. */
  function shared(
    name: string,
    work: () => Promise<StoredToken>,
    signal?: AbortSignal,
  ): Promise<StoredToken> {
    const running = inFlight.get(name)
    const promise = running ?? exclusively(work).finally(() => inFlight.delete(name))
    if (running === undefined) inFlight.set(name, promise)
    return orAborted(promise, signal)
  }

  /** Runs `work` while nobody changes the token, in this process or another one that shares the store. */
  function exclusively(work: () => Promise<StoredToken>): Promise<StoredToken> {
    return takeTurn(async () => {
      if (store.lock === undefined) return await work()
      const [settled] = await locked(store.lock.bind(store), () => Promise.allSettled([work()]))
      if (settled.status === 'rejected') throw settled.reason
      return settled.value
    })
  }

  /** What `work` gives; what is thrown here, the store's lock has failed with. */
  async function locked<Result>(
    lock: NonNullable<TokenStore['lock']>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await lock(key, work)
    } catch (error) {
      throw storeFailed('be locked', error)
    }
  }

  async function load(): Promise<StoredToken | undefined> {
    let found: StoredToken | undefined
    try {
      found = (await store.get(key)) ?? undefined
    } catch (error) {
      throw storeFailed('be read', error)
    }
    if (found !== undefined && !storedTokenSchema.safeParse(found).success) {
      throw storeFailed('be used: what it holds is no token')
    }
    const latest = unsaved !== undefined && unsaved.issuedAt >= (found?.issuedAt ?? 0) ? unsaved : found
    redaction.add(latest?.accessToken, latest?.refreshToken)
    return latest
  }

  async function save(token: StoredToken): Promise<StoredToken> {
    unsaved = token
    try {
      await store.set(key, token)
    } catch (error) {
      throw storeFailed('keep the new token', error)
    }
    unsaved = undefined
    return token
  }

  function storeFailed(what: string, error?: unknown): TokenError {
    const message = `The token store could not ${what}.`
    return new TokenError(
      'token_store_failed',
      message,
      error === undefined ? {} : { cause: redaction.toShown(error) },
    )
  }

  async function renew(token: StoredToken | undefined, reason: Rejection): Promise<StoredToken> {
    if (token?.grant !== 'authorization_code') {
      const refreshable = token?.refreshToken !== undefined && reason === 'expired'
      return await save(refreshable ? await refreshOwn(token) : await grants.clientCredentials())
    }
    if (token.refreshToken === undefined)
      throw consentRequired('The token expired and came without a refresh token.')
    try {
      return await save(await grants.refresh(token))
    } catch (error) {
      if (!isRejected(error) || refusesApplication(error)) throw error
      // The user's token stays where it is: without it, the next call would go to the application's own account.
      throw consentRequired('The refresh of the token was refused.', error)
    }
  }

  async function refreshOwn(token: StoredToken): Promise<StoredToken> {
    try {
      return await grants.refresh(token)
    } catch (error) {
      if (!isRejected(error)) throw error
      return await grants.clientCredentials()
    }
  }

  async function renewAhead(): Promise<StoredToken> {
    const token = await load()
    if (token !== undefined && now() < renewalTime(token)) return token
    try {
      return await renew(token, 'expired')
    } catch (error) {
      // There is time left to come through.
      if (token !== undefined && isOutage(error) && now() < (token.expiresAt ?? Number.POSITIVE_INFINITY))
        return token
      throw error
    }
  }

  return {
    async current(signal) {
      signal?.throwIfAborted()
      const token = await orAborted(load(), signal)
      return token !== undefined && now() < renewalTime(token)
        ? token
        : await shared('current', renewAhead, signal)
    },

    replace(rejected, reason, signal) {
      const work = async () => {
        const token = await load()
        // Somebody else has renewed it meanwhile.
        return token !== undefined && token.accessToken !== rejected.accessToken
          ? token
          : await renew(token, reason)
      }
      return shared(`replace ${reason} ${rejected.accessToken}`, work, signal)
    },

    refresh(signal) {
      const work = async () => {
        const token = await load()
        if (token?.refreshToken === undefined) {
          const message =
            'There is no token to refresh. token() asks for one; exchangeCode() for that of a user.'
          throw new TokenError('refresh_token_missing', message)
        }
        return await renew(token, 'expired')
      }
      return shared('refresh', work, signal)
    },

    exchangeCode: (code, redirectUri, signal) =>
      orAborted(
        exclusively(async () => await save(await grants.authorizationCode(code, redirectUri, signal))),
        signal,
      ),
  }
}

/** When to renew a token: a minute before it expires, or a tenth of its life where that is less. */
function renewalTime({ issuedAt, expiresAt }: StoredToken): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY
  return expiresAt - Math.min(MAX_MARGIN_MS, (expiresAt - issuedAt) / 10)
}

function isRejected(error: unknown): error is TokenError {
  return error instanceof TokenError && error.code === 'grant_rejected'
}

/** Whether the application's own credentials are wrong, which no consent of a user would mend (RFC 6749, 5.2). */
function refusesApplication({ body }: TokenError): boolean {
  return isJsonObject(body) && body.error === 'invalid_client'
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof NetworkError || (error instanceof TokenError && error.code === 'token_endpoint_failed')
  )
}

function consentRequired(reason: string, cause?: TokenError): TokenError {
  const message = `${reason} The user has to consent again: send them to authorizeUrl().`
  return new TokenError(
    'consent_required',
    message,
    cause === undefined ? {} : { body: cause.body, status: cause.status, cause },
  )
}
