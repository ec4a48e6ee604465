import type { StoredToken, TokenStore } from '../../../src/client/index.ts'

/** A store of one token, which can be looked at, be taken away or be another one. It can be full. */
export function openStore() {
  const held: { token: StoredToken | undefined; full: boolean } = { token: undefined, full: false }
  const tokenStore = {
    get: () => held.token,
    set(_key, token) {
      if (held.full) throw new Error('disk full')
      held.token = token
    },
  } satisfies TokenStore
  return { held, tokenStore }
}
