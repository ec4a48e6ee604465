import { NetworkError, TokenError } from '../../client-errors.ts'
import { isJsonObject } from '../../json/json-value.ts'
import { orAborted } from '../http/exchange.ts'
import type { Grants } from './grants.ts'
import { ANYTHING, type KeptToken } from './kept-token.ts'
import { type Grant, isOfSameOwner, type StoredToken } from './token-store.ts'

/** Keeps a valid token at hand, with one grant in flight however many ask for it. */
export interface TokenKeeper {
  /** A token that does not expire soon. */
  current(signal?: AbortSignal): Promise<StoredToken>
  /**
   * The token in place of one that the service did not take; `undefined` when the client acts for somebody
   * else by now.
   */
  replace(rejected: StoredToken, reason: Rejection, signal?: AbortSignal): Promise<StoredToken | undefined>
  /** A refreshed token, however long the present one is valid. */
  refresh(signal?: AbortSignal): Promise<StoredToken>
  /** The token of the user whom a code stands for. */
  exchangeCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken>
}

/**
 * Why a token was not taken: it expired (401), or it is none (an Invalid token response that hello confirmed).
 */
export type Rejection = 'expired' | 'invalid'

interface KeeperSettings {
  readonly kept: KeptToken
  readonly grants: Grants
  /** Whose token it is where there is none yet. */
  readonly grant: Grant
  readonly now: () => number
}

const MAX_MARGIN_MS = 60_000
// Between two tries to renew ahead while the token endpoint or the store fails, so that not every call waits
// for it.
const OUTAGE_MS = 5_000

export function createTokenKeeper({ kept, grants, grant, now }: KeeperSettings): TokenKeeper {
  const inFlight = new Map<string, Promise<StoredToken>>()
  const exchanges = new Map<string, CodeExchange>()
  // Once it has acted for a user, a client never acts for the application's own account.
  let forUser = grant === 'authorization_code'
  let outageUntil = Number.NEGATIVE_INFINITY

  /** One call of `work` for all who ask for the same at once. It goes on when one of them gives up. */
  function shared(
    name: string,
    work: () => Promise<StoredToken>,
    signal?: AbortSignal,
  ): Promise<StoredToken> {
    const running = inFlight.get(name)
    const promise = running ?? kept.exclusively(work).finally(() => inFlight.delete(name))
    if (running === undefined) inFlight.set(name, promise)
    return orAborted(promise, signal)
  }

  async function load(): Promise<StoredToken | undefined> {
    const token = await kept.load()
    forUser ||= token?.grant === 'authorization_code'
    if (forUser && token?.grant !== 'authorization_code')
      throw consentRequired('There is no token of a user.')
    return token
  }

  async function renew(token: StoredToken | undefined, reason: Rejection): Promise<StoredToken> {
    if (token?.grant !== 'authorization_code') {
      const refreshable = token?.refreshToken !== undefined && reason === 'expired'
      return await kept.save(refreshable ? await refreshOwn(token) : await grants.clientCredentials(), token)
    }
    if (token.refreshToken === undefined)
      throw consentRequired('The token expired and came without a refresh token.')
    try {
      return await kept.save(await grants.refresh(token), token)
    } catch (error) {
      if (!isRejected(error) || refusesApplication(error)) throw error
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
    if (token !== undefined && isFresh(token)) return kept.isUnsaved() ? await saveAgain(token) : token
    try {
      return await renew(token, 'expired')
    } catch (error) {
      // While it is valid, there is time left to come through.
      if (token === undefined || !isOutage(error) || !isValid(token)) throw error
      outageUntil = now() + OUTAGE_MS
      return token
    }
  }

  /**
   * Where the store fails at a renewal ahead, the token that is valid still is used, or the one that could not
   * be kept.
   */
  async function withoutStore(error: unknown, before: StoredToken | undefined): Promise<StoredToken> {
    const isStore = error instanceof TokenError && error.code === 'token_store_failed'
    if (!isStore || before === undefined || !isValid(before)) throw error
    outageUntil = now() + OUTAGE_MS
    return (await load()) ?? before
  }

  async function saveAgain(token: StoredToken): Promise<StoredToken> {
    // Where the store fails still, the token is good nevertheless.
    return await kept.save(token, token).catch(() => token)
  }

  function startExchange(code: string, redirectUri: string): CodeExchange {
    const controller = new AbortController()
    const token = kept.exclusively(async () => {
      // What the store holds need not be a token.
      const before = await kept.load().catch((): typeof ANYTHING => ANYTHING)
      const granted = await grants.authorizationCode(code, redirectUri, controller.signal)
      forUser = true
      return await kept.save(granted, before)
    })
    return { token, controller, callers: 0 }
  }

  function isFresh(token: StoredToken): boolean {
    return now() < outageUntil ? isValid(token) : now() < renewalTime(token)
  }

  function isValid({ expiresAt = Number.POSITIVE_INFINITY }: StoredToken): boolean {
    return now() < expiresAt
  }

  return {
    async current(signal) {
      signal?.throwIfAborted()
      const token = await orAborted(load(), signal)
      const isSettled = !kept.isUnsaved() || now() < outageUntil
      if (token !== undefined && isFresh(token) && isSettled) return token
      return await shared('current', renewAhead, signal).catch((error: unknown) => withoutStore(error, token))
    },

    async replace(rejected, reason, signal) {
      signal?.throwIfAborted()
      const work = async () => {
        const token = await load()
        // Somebody else has renewed it meanwhile.
        return token !== undefined && token.accessToken !== rejected.accessToken
          ? token
          : await renew(token, reason)
      }
      const token = await shared(`replace ${reason} ${rejected.accessToken}`, work, signal)
      return isOfSameOwner(token, rejected) ? token : undefined
    },

    async refresh(signal) {
      signal?.throwIfAborted()
      const work = async () => {
        const token = await load()
        if (token?.refreshToken !== undefined) return await renew(token, 'expired')
        const message =
          'There is no refresh token. token() asks for a token; exchangeCode() for that of a user.'
        throw new TokenError('refresh_token_missing', message)
      }
      return await shared('refresh', work, signal)
    },

    async exchangeCode(code, redirectUri, signal) {
      signal?.throwIfAborted()
      const name = `${redirectUri} ${code}`
      const exchange = exchanges.get(name) ?? startExchange(code, redirectUri)
      exchanges.set(name, exchange)
      exchange.callers++
      try {
        return await orAborted(exchange.token, signal)
      } finally {
        exchange.callers--
        if (exchange.callers === 0) {
          exchanges.delete(name)
          exchange.controller.abort()
        }
      }
    },
  }
}

/**
 * One request for simultaneous calls with the same code: a service may revoke the token of a code that comes
 * twice.
 */
interface CodeExchange {
  readonly token: Promise<StoredToken>
  /** Aborts the request once no caller is left. */
  readonly controller: AbortController
  callers: number
}

/** When to renew a token: a minute before it expires, or a tenth of its life where that is less. */
function renewalTime({ issuedAt, expiresAt }: StoredToken): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY
  return expiresAt - Math.min(MAX_MARGIN_MS, (expiresAt - issuedAt) / 10)
}

function isRejected(error: unknown): error is TokenError {
  return error instanceof TokenError && error.code === 'grant_rejected'
}

/**
 * Whether the application's own credentials are wrong, which no consent of a user would mend (RFC 6749, 5.2).
 */
function refusesApplication({ body }: TokenError): boolean {
  return isJsonObject(body) && body.error === 'invalid_client'
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof NetworkError || (error instanceof TokenError && error.code === 'token_endpoint_failed')
  )
}

function consentRequired(reason: string, cause?: TokenError): TokenError {
  const message = `${reason} The user has to consent (again): send them to authorizeUrl().`
  return new TokenError(
    'consent_required',
    message,
    cause === undefined ? {} : { body: cause.body, status: cause.status, cause },
  )
}
