import { TokenError } from '../../client-errors.ts'
import type { CheckedTokenStore } from './checked-token-store.ts'
import type { Grant, StoredToken } from './token-store.ts'

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

/** @param grant whose token it is. Once it has been a user's, it never is the application's own again. */
export function createNewestToken(store: CheckedTokenStore, grant: Grant) {
  let newest: Newest = { in: 'store' }
  let actsFor = grant

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

  async function save(token: StoredToken, replaces: Held): Promise<StoredToken> {
    if (token.grant === 'authorization_code') actsFor = token.grant
    newest = { in: 'memory', token, replaces }
    await store.set(token)
    newest = { in: 'store' }
    return token
  }

  return { load, save }
}

function isReplaced(replaces: Held, held: StoredToken | undefined): boolean {
  return replaces === 'unknown' || replaces?.accessToken === held?.accessToken
}

export function consentRequired(reason: string, cause?: TokenError): TokenError {
  const details = cause && { status: cause.status, oauthError: cause.oauthError, cause }
  return new TokenError('consent_required', `${reason} Send the user to authorizeUrl() to consent.`, details)
}
