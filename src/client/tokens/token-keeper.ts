import { NetworkError, TokenError, type TokenErrorCode } from '../../client-errors.ts'
import type { ClientSettings } from '../client-options.ts'
import { orAborted } from '../http/send-once.ts'
import type { CheckedTokenStore } from './checked-token-store.ts'
import type { Grants } from './grants.ts'
import type { StoredToken } from './token-store.ts'

/** Why the service rejected a token: it expired (401), or it is invalid (which hello confirmed). */
export type Rejection = 'expired' | 'invalid'

/** Provides access tokens. */
export type TokenSource = Pick<ReturnType<typeof createTokenKeeper>, 'current' | 'replace'>

/**
 * Where the newest token is.
 *
 *     store ── a grant succeeds ──▶ memory    until the store has taken it
 *     memory ── `set` succeeds ──▶ store
 *     memory ── `set` fails ──▶ memory        the refresh token in the store is spent, so this is the only good
 *                                             one; each call offers it to the store again
 *
 * In `memory`, a store that no longer holds `replaces` is right: another process has renewed the token.
 */
type Newest =
  | { readonly in: 'store' }
  | { readonly in: 'memory'; readonly token: StoredToken; readonly replaces: Held }

/** What the store holds; `unknown` if it could not be read. */
type Held = StoredToken | undefined | 'unknown'

const MAX_MARGIN_MS = 60_000
// While the token endpoint or the store fails, not every call has to wait for it.
const PAUSE_MS = 5_000

/** Keeps a valid token, with one grant in flight however many calls wait for it. */
export function createTokenKeeper(store: CheckedTokenStore, grants: Grants, settings: ClientSettings) {
  const { grant, now } = settings
  const inFlight = new Map<string, Promise<StoredToken>>()
  let newest: Newest = { in: 'store' }
  // Once it has acted for a user, a client never acts for the application's own account.
  let actsFor = grant
  let pausedUntil = Number.NEGATIVE_INFINITY

  /** The token to use, and the stored one. They differ only after a failed `set`. */
  async function load(): Promise<{ token: StoredToken | undefined; held: StoredToken | undefined }> {
    const before = newest
    const held = await store.get()
    if (newest !== before) return await load()
    const token = newest.in === 'memory' && isReplaced(newest.replaces, held) ? newest.token : held
    if (token?.grant === 'authorization_code') actsFor = token.grant
    if (actsFor === 'authorization_code' && token?.grant !== actsFor)
      throw consentRequired('There is no token of a user.')
    return { token, held }
  }

  async function save(token: StoredToken, replaces: Held) {
    newest = { in: 'memory', token, replaces }
    await store.set(token)
    newest = { in: 'store' }
    return token
  }

  async function renew(token: StoredToken | undefined, reason: Rejection): Promise<StoredToken> {
    const isOfUser = token?.grant === 'authorization_code'
    const isSpent = token?.refreshToken === undefined || reason === 'invalid'
    if (token === undefined || (!isOfUser && isSpent)) return await grants.clientCredentials()
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

  async function renewAhead(): Promise<StoredToken> {
    const { token, held } = await load()
    if (token === undefined || !isFresh(token)) return await save(await renew(token, 'expired'), held)
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
    /** A token that does not expire soon. */
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
        return isRenewed ? token : await save(await renew(token, reason), held)
      }
      const token = await shared(`replace ${reason} ${rejected.accessToken}`, work, signal)
      return isOfSameOwner(token, rejected) ? token : undefined
    },

    /** Refreshes the token, even if it is still valid. */
    refresh(signal?: AbortSignal): Promise<StoredToken> {
      const work = async () => {
        const { token, held } = await load()
        if (token?.refreshToken !== undefined) return await save(await renew(token, 'expired'), held)
        throw new TokenError('refresh_token_missing', 'There is no refresh token. Call token() for a token.')
      }
      return shared('refresh', work, signal)
    },

    /** Trades a code for the token of the user who consented. */
    exchangeCode(code: string, redirectUri: string, signal?: AbortSignal): Promise<StoredToken> {
      const work = async () => {
        // A store that holds something else than a token is overwritten.
        const held = await store.get().catch(() => 'unknown' as const)
        const granted = await grants.authorizationCode(code, redirectUri)
        actsFor = granted.grant
        return await save(granted, held)
      }
      return shared(`exchange ${redirectUri} ${code}`, work, signal)
    },
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

function isReplaced(replaces: Held, held: StoredToken | undefined): boolean {
  return replaces === 'unknown' || replaces?.accessToken === held?.accessToken
}

function isOneOf(error: unknown, ...codes: TokenErrorCode[]): error is TokenError {
  return error instanceof TokenError && codes.includes(error.code)
}

function consentRequired(reason: string, cause?: TokenError): TokenError {
  const details = cause && { status: cause.status, oauthError: cause.oauthError, cause }
  return new TokenError('consent_required', `${reason} Send the user to authorizeUrl() to consent.`, details)
}
