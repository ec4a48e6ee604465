import { NetworkError, TokenError, type TokenErrorCode } from '../../client-errors.ts'
import type { ClientSettings } from '../client-options.ts'
import { orAborted } from '../http/send-once.ts'
import type { CheckedTokenStore } from './checked-token-store.ts'
import type { Grants } from './grants.ts'
import { consentRequired, createNewestToken } from './newest-token.ts'
import type { StoredToken } from './token-store.ts'

/** Why the service rejected a token: it expired (401), or it is invalid (which hello confirmed). */
export type Rejection = 'expired' | 'invalid'

export type TokenSource = Pick<ReturnType<typeof createTokenKeeper>, 'current' | 'replace'>

const MAX_MARGIN_MS = 60_000
// While the token endpoint or the store fails, not every call has to wait for it.
const PAUSE_MS = 5_000

/** Keeps a valid token, with one grant in flight however many calls wait for it. */
export function createTokenKeeper(store: CheckedTokenStore, grants: Grants, settings: ClientSettings) {
  const { now } = settings
  const { load, save } = createNewestToken(store, settings.grant)
  const inFlight = new Map<string, Promise<StoredToken>>()
  let pausedUntil = Number.NEGATIVE_INFINITY

  async function renewAhead(): Promise<StoredToken> {
    const { token, held } = await load()
    if (token === undefined || !isFresh(token)) return await save(await renew(grants, token, 'expired'), held)
    return token === held ? token : await save(token, held).catch(() => token)
  }

  /** Runs `work` once for all simultaneous calls of a name. It goes on if one of them is aborted. */
  async function shared(name: string, work: () => Promise<StoredToken>, signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    const running = inFlight.get(name)
    const promise = running ?? store.exclusively(work).finally(() => inFlight.delete(name))
    if (running === undefined) inFlight.set(name, promise)
    return await orAborted(promise, signal)
  }

  /** Tokens are renewed a minute before they expire, or a tenth of their lifetime if that is shorter. */
  function isFresh({ issuedAt, expiresAt = Number.POSITIVE_INFINITY }: StoredToken): boolean {
    const marginMs = now() < pausedUntil ? 0 : Math.min(MAX_MARGIN_MS, (expiresAt - issuedAt) / 10)
    return now() < expiresAt - marginMs
  }

  return {
    async current(signal?: AbortSignal): Promise<StoredToken> {
      const { token, held } = await orAborted(load(), signal)
      if (token !== undefined && isFresh(token) && (token === held || now() < pausedUntil)) return token
      try {
        return await shared('current', renewAhead, signal)
      } catch (error) {
        const isOutage =
          error instanceof NetworkError || isOneOf(error, 'token_endpoint_failed', 'token_store_failed')
        const isValid = token !== undefined && now() < (token.expiresAt ?? Number.POSITIVE_INFINITY)
        if (!isOutage || !isValid) throw error
        pausedUntil = now() + PAUSE_MS
        return (await load()).token ?? token
      }
    },

    /** The token in place of a rejected one; `undefined` if the client acts for somebody else by now. */
    async replace(rejected: StoredToken, reason: Rejection, signal?: AbortSignal) {
      const work = async () => {
        const { token, held } = await load()
        const isRenewed = token !== undefined && token.accessToken !== rejected.accessToken
        return isRenewed ? token : await save(await renew(grants, token, reason), held)
      }
      const token = await shared(`replace ${reason} ${rejected.accessToken}`, work, signal)
      return isOfSameOwner(token, rejected) ? token : undefined
    },

    refresh(signal?: AbortSignal): Promise<StoredToken> {
      const work = async () => {
        const { token, held } = await load()
        if (token?.refreshToken !== undefined) return await save(await renew(grants, token, 'expired'), held)
        throw new TokenError('refresh_token_missing', 'There is no refresh token. Call token() for a token.')
      }
      return shared('refresh', work, signal)
    },

    exchangeCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken> {
      const work = async () => {
        // A store that holds something else than a token is overwritten.
        const held = await store.get().catch(() => 'unknown' as const)
        const granted = await grants.authorizationCode(code, redirectUri)
        return await save(granted, held)
      }
      return shared(`exchange ${redirectUri} ${code}`, work, signal)
    },
  }
}

async function renew(
  grants: Grants,
  token: StoredToken | undefined,
  reason: Rejection,
): Promise<StoredToken> {
  const isOfUser = token?.grant === 'authorization_code'
  if (token === undefined || (!isOfUser && reason === 'invalid')) return await grants.clientCredentials()
  try {
    return await grants.refresh(token)
  } catch (error) {
    const isRejected = isOneOf(error, 'grant_rejected', 'refresh_token_missing')
    // Consent does not help if the application's own credentials are wrong (RFC 6749, 5.2).
    if (!isRejected || (isOfUser && error.oauthError === 'invalid_client')) throw error
    if (isOfUser) throw consentRequired('The token could not be refreshed.', error)
    return await grants.clientCredentials()
  }
}

/** The tokens of one owner, for a call of several requests: if the client acts for another one, it fails. */
export function ofOneOwner(tokens: TokenSource): TokenSource {
  let first: StoredToken | undefined
  return {
    async current(signal?: AbortSignal): Promise<StoredToken> {
      const token = await tokens.current(signal)
      first ??= token
      if (isOfSameOwner(first, token)) return token
      const message = 'The client began to act for another user. Use a client of its own for each user.'
      throw new TokenError('owner_changed', message)
    },
    replace: tokens.replace,
  }
}

/** Whether two tokens are for the same account and user, as far as the service said. */
function isOfSameOwner(left: StoredToken, right: StoredToken): boolean {
  const isSame = (field: 'accountId' | 'userId') =>
    (left[field] ?? right[field]) === (right[field] ?? left[field])
  return left.grant === right.grant && isSame('accountId') && isSame('userId')
}

function isOneOf(error: unknown, ...codes: TokenErrorCode[]): error is TokenError {
  return error instanceof TokenError && codes.includes(error.code)
}
