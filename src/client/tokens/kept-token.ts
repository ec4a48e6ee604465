import { TokenError } from '../../client-errors.ts'
import { withTimeLimit } from '../../time-limit.ts'
import type { Redaction } from '../http/redaction.ts'
import { toStoredToken } from './token.ts'
import type { StoredToken, TokenStore } from './token-store.ts'
import { createTurns } from './turns.ts'

/** What a token replaces when the store could not say what it holds. */
export const ANYTHING = Symbol('anything')

/**
 * The one token of a client in its store. All methods throw `TokenError` `token_store_failed` when the store
 * fails.
 */
export interface KeptToken {
  load(): Promise<StoredToken | undefined>
  /**
   * Keeps a token; when the store fails, in this process, until the store takes it or somebody else has put
   * another one there.
   *
   * @param replaces the token in whose place it comes; `ANYTHING` when the store could not say what it holds
   */
  save(token: StoredToken, replaces: StoredToken | undefined | typeof ANYTHING): Promise<StoredToken>
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

export function createKeptToken({ store, key, timeoutMs, redaction }: KeptTokenSettings): KeptToken {
  const takeTurn = createTurns()
  /** Counts what is written, to tell an answer that was overtaken. */
  let writes = 0
  /**
   * A token that the store did not take, and the access token that it holds instead. It may be the only one
   * still good.
   */
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
    const stored = (await ask('be read', () => store.get(key))) ?? undefined
    if (writes !== writesBefore) return await load()
    const held = stored === undefined ? undefined : toStoredToken(stored)
    if (stored !== undefined && held === undefined) {
      throw failed('be used', new Error('What it holds is no token.'))
    }
    if (unsaved?.replaces === ANYTHING) unsaved.replaces = held?.accessToken
    // Where somebody else has renewed it meanwhile, theirs is the newer one.
    if (unsaved?.replaces !== held?.accessToken) unsaved = undefined
    const token = unsaved?.token ?? held
    redaction.add(token?.accessToken, token?.refreshToken)
    return token
  }

  return {
    load,

    async save(token, replaces) {
      const held = replaces === ANYTHING ? ANYTHING : replaces?.accessToken
      unsaved = { token, replaces: unsaved === undefined ? held : unsaved.replaces }
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
