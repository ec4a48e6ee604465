import type { StoredToken, TokenStore } from '../../../src/client/index.ts'

/** A store of one token, which can be looked at, be taken away or be another one. It can be full. */
export function openStore(token?: StoredToken) {
  const held = { token, full: false }
  const sets: StoredToken[] = []
  const keys = new Set<string>()
  const tokenStore = {
    get(key) {
      keys.add(key)
      return held.token
    },
    set(key, token) {
      if (held.full) throw new Error('disk full')
      keys.add(key)
      held.token = token
      sets.push(token)
    },
  } satisfies TokenStore
  return { held, sets, keys, tokenStore }
}
