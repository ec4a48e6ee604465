import { TokenError } from '../client-errors.ts'
import { withTimeLimit } from '../time-limit.ts'
import type { Redaction } from './redaction.ts'
import { toStoredToken } from './token.ts'
import type { StoredToken, TokenStore } from './token-store.ts'
import { createTurns } from './turns.ts'

/** The one token of a client in its store. All methods throw `TokenError` `token_store_failed` when the store fails. */
export interface KeptToken {
  load(): Promise<StoredToken | undefined>
  /** Keeps a token in place of the one that was loaded last; when the store fails, in this process, until the store takes it. */
  save(token: StoredToken): Promise<StoredToken>
  /** Whether the store has not taken the newest token yet. */
  isUnsaved(): boolean
  /** Runs `work` while nobody changes the token, in this process or another one that shares the store. */
  exclusively(work: () => Promise<StoredToken>): Promise<StoredToken>
}

interface KeptTokenSettings {
  readonly store: TokenStore
  /** Names the service and the application, so that a token never reaches another one. */
  readonly key: string
  /** How long the store may take to give or to keep a token. */
  readonly timeoutMs: number
  readonly redaction: Redaction
}

// What a token replaces when the store could not say what it holds.
const ANYTHING = Symbol('anything')

export function createKeptToken({ store, key, timeoutMs, redaction }: KeptTokenSettings): KeptToken {
  const takeTurn = createTurns()
  /** What the store held when it was asked last, where it answered. */
  let found: StoredToken | undefined
  let isKnown = false
  /** Counts what is written, to tell an answer that was overtaken. */
  let writes = 0
  /** A token that the store did not take: it may hold the only refresh token that is still good. */
  let unsaved: { readonly token: StoredToken; replaces: string | undefined | typeof ANYTHING } | undefined

  async function ask<Answer>(what: string, call: () => Answer | PromiseLike<Answer>): Promise<Answer> {
    try {
      const tooSlow = () => new Error(`It took longer than ${timeoutMs} ms.`)
      return await withTimeLimit((async () => await call())(), timeoutMs, tooSlow)
    } catch (error) {
      throw failed(what, error)
    }
  }

  function failed(what: string, error: unknown): TokenError {
    const cause = redaction.toShown(error)
    return new TokenError('token_store_failed', `The token store could not ${what}.`, { cause })
  }

  async function load(): Promise<StoredToken | undefined> {
    const writesBefore = writes
    isKnown = false
    const stored = (await ask('be read', () => store.get(key))) ?? undefined
    if (writes !== writesBefore) return await load()
    const token = stored === undefined ? undefined : toStoredToken(stored)
    if (stored !== undefined && token === undefined) {
      throw failed('be used', new Error('What it holds is no token.'))
    }
    found = token
    isKnown = true
    if (unsaved !== undefined) {
      if (unsaved.replaces === ANYTHING) unsaved.replaces = found?.accessToken
      // Where somebody else has renewed it meanwhile, theirs is the newer one.
      if (found?.accessToken === unsaved.replaces) found = unsaved.token
      else unsaved = undefined
    }
    redaction.add(found?.accessToken, found?.refreshToken)
    return found
  }

  return {
    load,

    async save(token) {
      const replaces = isKnown ? found?.accessToken : ANYTHING
      unsaved = { token, replaces: unsaved === undefined ? replaces : unsaved.replaces }
      writes++
      await ask('keep the new token', () => store.set(key, token))
      writes++
      unsaved = undefined
      return token
    },

    isUnsaved: () => unsaved !== undefined,

    exclusively: (work) =>
      takeTurn(async () => {
        let outcome: PromiseSettledResult<StoredToken> | undefined
        let running: Promise<void> | undefined
        const run = async () => {
          ;[outcome] = await Promise.allSettled([work()])
        }
        // Once, whatever the lock does: a grant that is asked for twice spends its token twice.
        const runOnce = () => {
          running ??= run()
          return running
        }
        try {
          await (store.lock === undefined ? runOnce() : store.lock(key, runOnce))
        } catch (error) {
          // What the work fails with is in the outcome; this is the lock's.
          throw failed('be locked', error)
        }
        if (outcome === undefined) throw failed('be locked', new Error('lock() did not run the work.'))
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }),
  }
}
