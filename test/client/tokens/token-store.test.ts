import { describe, expect, it, vi } from 'vitest'
import { createMemoryTokenStore, type StoredToken, type TokenStore } from '../../../src/client/index.ts'
import { respond } from '../exchange.ts'
import { clientOf, failureOf, hold, openService, REDIRECT_URI, userClientOf } from '../open-client.ts'

const stored = (changes: Partial<StoredToken> = {}): StoredToken => ({
  accessToken: 'access-stored',
  refreshToken: 'refresh-stored',
  tokenType: 'bearer',
  grant: 'client_credentials',
  issuedAt: 1,
  ...changes,
})

/** The fields that a token has, as a database keeps them. */
const present = (token: StoredToken) =>
  Object.fromEntries(Object.entries(token).filter(([, value]) => value !== undefined))

/** A store in which everything can be looked at. */
function openStore(initial?: StoredToken) {
  const sets: { key: string; token: StoredToken }[] = []
  const keys = new Set<string>()
  let current = initial
  const store: TokenStore = {
    get(key) {
      keys.add(key)
      return current
    },
    set(key, token) {
      keys.add(key)
      current = token
      sets.push({ key, token })
    },
  }
  return { store, sets, keys }
}

describe('a token store', () => {
  it('gets plain JSON with everything that the next process needs', async () => {
    const service = await openService({ accountId: 9_007_199_254_740_993n })
    const { store, sets } = openStore()
    const now = () => 1_000_000
    await clientOf(service, { tokenStore: store, now }).token()
    expect(sets).toHaveLength(1)
    expect(JSON.parse(JSON.stringify(sets[0]?.token))).toEqual({
      accessToken: service.grants.accessTokens[0],
      refreshToken: service.grants.refreshTokens[0],
      tokenType: expect.stringMatching(/^bearer$/i),
      scope: 'all',
      accountId: '9007199254740993',
      userId: '800100',
      grant: 'client_credentials',
      issuedAt: 1_000_000,
      expiresAt: 4_600_000,
    })
  })

  it('returns a user\u2019s token as a user\u2019s', async () => {
    const service = await openService()
    const { store } = openStore()
    await userClientOf(service, { tokenStore: store })
    service.grants.setAccessTokens('expired')
    service.grants.revokeRefreshTokens()
    const second = clientOf(service, { tokenStore: store })
    expect((await second.token()).grant).toBe('authorization_code')
    expect(await failureOf(second.hello())).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('gets one key per service and application, without a secret', async () => {
    const service = await openService()
    const { store, keys } = openStore()
    await clientOf(service, { tokenStore: store }).token()
    await clientOf(service, { tokenStore: store, baseUrl: `${service.url}/` }).refresh()
    expect(keys.size).toBe(1)
    for (const secret of service.grants.secrets) expect([...keys].join()).not.toContain(secret)
  })

  it('keeps applications and services apart', async () => {
    const [first, second] = [await openService(), await openService()]
    const tokenStore = createMemoryTokenStore()
    const clients = [first, second].map((service) => clientOf(service, { tokenStore }))
    second.behavior.clientId = 'application-2'
    clients.push(clientOf(second, { tokenStore }))
    second.behavior.clientId = 'application-1'
    await clients[0]?.hello()
    await clients[1]?.hello()
    second.behavior.clientId = 'application-2'
    await clients[2]?.hello()
    expect([...first.grantTypes, ...second.grantTypes]).toEqual(Array(3).fill('client_credentials'))
    await Promise.all(clients.map((client) => client.hello()))
    expect(first.grantTypes.length + second.grantTypes.length).toBe(3)
  })

  it('may be synchronous or asynchronous, and may have no lock', async () => {
    const service = await openService()
    const { store } = openStore()
    const slow: TokenStore = {
      get: async (key) => await store.get(key),
      set: async (key, token) => void (await store.set(key, token)),
    }
    const client = clientOf(service, { tokenStore: slow })
    await Promise.all([client.token(), client.token(), client.hello()])
    expect(service.grantTypes).toEqual(['client_credentials'])
  })

  it('is written before the token is used', async () => {
    const service = await openService()
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const setting = Promise.withResolvers<void>()
    const { store } = openStore()
    const tokenStore: TokenStore = {
      get: store.get,
      async set(key, token) {
        setting.resolve()
        await gate
        await store.set(key, token)
      },
    }
    const hello = clientOf(service, { tokenStore }).hello()
    await setting.promise
    expect(service.calls).toEqual([])
    openGate()
    await expect(hello).resolves.toEqual({ hello: 'world' })
  })

  it('is locked during a grant, and read within the lock', async () => {
    const service = await openService()
    const { store } = openStore()
    const order: string[] = []
    const tokenStore: TokenStore = {
      get: (key) => {
        order.push('get')
        return store.get(key)
      },
      set: (key, token) => {
        order.push('set')
        return store.set(key, token) as undefined
      },
      async lock(_key, work) {
        order.push('lock')
        const result = await work()
        order.push('unlock')
        return result
      },
    }
    await clientOf(service, { tokenStore }).token()
    const locked = order.slice(order.indexOf('lock'))
    expect(locked[0]).toBe('lock')
    expect(locked).toContain('get')
    expect(locked.indexOf('get')).toBeLessThan(locked.indexOf('set'))
    expect(locked.indexOf('set')).toBeLessThan(locked.indexOf('unlock'))
  })

  it('that another client has written is used without a grant', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { store } = openStore()
    const [first, second] = [
      clientOf(service, { tokenStore: store }),
      clientOf(service, { tokenStore: store }),
    ]
    await first.hello()
    await second.hello()
    service.grants.setAccessTokens('expired')
    await first.hello()
    expect(await second.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    expect(service.grants.spentRefreshTokens).toEqual([])
  })

  it('in memory serves two clients at once, and uses no refresh token twice', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const tokenStore = createMemoryTokenStore()
    const first = await userClientOf(service, { tokenStore })
    const second = clientOf(service, { tokenStore })
    service.grants.setAccessTokens('expired')
    await Promise.all([first, second, first, second].map((client) => client.hello()))
    expect(service.grants.spentRefreshTokens).toEqual([])
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('that another client writes during a call is read again', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { store } = openStore()
    const [first, second] = [
      clientOf(service, { tokenStore: store }),
      clientOf(service, { tokenStore: store }),
    ]
    await first.token()
    service.grants.setAccessTokens('expired')
    const openGate = hold(service, 'GET /svc/v1.0/late')
    const late = second.request({ method: 'GET', path: '/svc/v1.0/late' })
    await service.arrived('GET /svc/v1.0/late')
    await first.hello()
    openGate()
    await expect(late).resolves.toMatchObject({ path: '/svc/v1.0/late' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    expect(service.grants.spentRefreshTokens).toEqual([])
  })
})

describe('a token store that fails', () => {
  const broken = (what: 'get' | 'set' | 'lock', fail: () => never): TokenStore => {
    const { store } = openStore()
    return { get: store.get, set: store.set, [what]: fail }
  }

  it.each(['get', 'set', 'lock'] as const)('in %s fails with token_store_failed', async (what) => {
    const service = await openService()
    const tokenStore = broken(what, () => {
      throw new Error('disk full')
    })
    const error = await failureOf(clientOf(service, { tokenStore }).hello())
    expect(error).toMatchObject({ code: 'token_store_failed' })
    expect(error.cause).toMatchObject({ message: 'disk full' })
    expect(service.calls).toEqual([])
  })

  it('to keep a refreshed token does not lose it', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { store } = openStore()
    let full = false
    const set: TokenStore['set'] = (key, token) => {
      if (full) throw new Error('disk full')
      return store.set(key, token)
    }
    const client = await userClientOf(service, { tokenStore: { get: store.get, set } })
    service.grants.setAccessTokens('expired')
    full = true
    expect(await failureOf(client.hello())).toMatchObject({ code: 'token_store_failed' })
    full = false
    expect(await client.hello()).toEqual({ hello: 'world' })
    await client.refresh()
    expect(service.grants.spentRefreshTokens).toEqual([])
  })

  it('once is tried again at the next call', async () => {
    const service = await openService()
    const { store } = openStore()
    const get = vi.fn(store.get).mockImplementationOnce(() => {
      throw new Error('locked')
    })
    const client = clientOf(service, { tokenStore: { get, set: store.set } })
    expect(await failureOf(client.token())).toMatchObject({ code: 'token_store_failed' })
    expect(await client.hello()).toEqual({ hello: 'world' })
  })

  it.each<[string, unknown]>([
    ['text', 'access'],
    ['a number', 5],
    ['no access token', { tokenType: 'bearer', grant: 'client_credentials', issuedAt: 1 }],
    ['an access token with a line break', stored({ accessToken: 'a\r\nb' })],
    ['an unknown grant', { ...stored(), grant: 'password' }],
    ['a refresh token that is not text', { ...stored(), refreshToken: { iv: 'x' } }],
    ['an invalid time', { ...stored(), expiresAt: '2026-01-01T00:00:00Z' }],
  ])('to return a token, and returns %s, is an error', async (_name, value) => {
    const service = await openService()
    const { store } = openStore(value as StoredToken)
    expect(await failureOf(clientOf(service, { tokenStore: store }).hello())).toMatchObject({
      code: 'token_store_failed',
    })
    expect(service.requests).toEqual([])
  })

  it('to return numbers as they were set, as databases do, is understood', async () => {
    const service = await openService()
    const { store } = openStore()
    const tokenStore: TokenStore = {
      set: store.set,
      async get(key) {
        const token = await store.get(key)
        const { accountId, issuedAt, expiresAt } = token ?? {}
        const columns = { accountId: Number(accountId), issuedAt: `${issuedAt}`, expiresAt: `${expiresAt}` }
        return token && ({ ...token, ...columns } as never)
      },
    }
    const { expiresAt } = await clientOf(service, { tokenStore }).token()
    const client = clientOf(service, { tokenStore })
    expect(await client.token()).toMatchObject({ accountId: '700100', expiresAt })
    service.grants.setAccessTokens('expired')
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it.each(['get', 'set'] as const)('to settle %s times out after timeoutMs', async (what) => {
    const service = await openService()
    const tokenStore = broken(what, (() => new Promise(() => {})) as never)
    const client = clientOf(service, { tokenStore, timeoutMs: 1_500 })
    const error = await failureOf(client.hello())
    expect(error).toMatchObject({ code: 'token_store_failed' })
    expect(error.cause).toMatchObject({ message: expect.stringContaining('1500 ms') })
    expect(service.calls).toEqual([])
  })

  it.each<[string, unknown]>([
    ['gives nothing', () => undefined],
    ['gives a promise of nothing', async () => {}],
    ['gives something else', async () => stored()],
  ])('to run the work in its lock, and %s, is a token_store_failed error', async (_name, lock) => {
    const service = await openService()
    const { store } = openStore()
    const tokenStore = { ...store, lock } as TokenStore
    const code = service.grants.consent(REDIRECT_URI)
    const client = clientOf(service, { tokenStore })
    for (const call of [
      () => client.hello(),
      () => client.refresh(),
      () => client.exchangeCode({ code, redirectUri: REDIRECT_URI }),
    ]) {
      expect(await failureOf(call())).toMatchObject({ code: 'token_store_failed' })
    }
    expect(service.requests).toEqual([])
  })

  it('after the work in its lock is an error, and so is a failure of the work', async () => {
    const service = await openService()
    const { store } = openStore()
    const tokenStore: TokenStore = {
      ...store,
      async lock(_key, work) {
        await work()
        throw new Error('not unlocked')
      },
    }
    const error = await failureOf(clientOf(service, { tokenStore }).hello())
    expect(error).toMatchObject({ code: 'token_store_failed', cause: { message: 'not unlocked' } })
    const swallowing: TokenStore = {
      ...openStore().store,
      lock: (_key, work) => work().catch(() => 5 as never),
    }
    service.on('POST /oauth/token', respond(400, { error: 'invalid_scope' }))
    const rejected = await failureOf(clientOf(service, { tokenStore: swallowing }).hello())
    expect(rejected).toMatchObject({ code: 'grant_rejected', status: 400 })
  })

  it('to leave out absent fields may return null for them', async () => {
    const service = await openService({
      token: { refresh_token: undefined, scope: undefined, user_id: undefined },
    })
    const { store, sets } = openStore()
    const fields = ['refreshToken', 'scope', 'accountId', 'userId', 'expiresAt']
    const tokenStore: TokenStore = {
      set: store.set,
      async get(key) {
        const token = await store.get(key)
        return (
          token && ({ ...Object.fromEntries(fields.map((name) => [name, null])), ...present(token) } as never)
        )
      },
    }
    await clientOf(service, { tokenStore }).hello()
    expect(sets[0]?.token).toMatchObject({ accountId: '700100' })
    const token = await clientOf(service, { tokenStore }).token()
    expect(token).toMatchObject({ refreshToken: undefined, scope: undefined, userId: undefined })
    expect(service.grantTypes).toEqual(['client_credentials'])
  })
})

it('a lock that runs its work twice does not send two grants', async () => {
  const service = await openService()
  const memory = createMemoryTokenStore()
  const lock: TokenStore['lock'] = async (_key, work) => {
    await work()
    return await work()
  }
  await clientOf(service, { tokenStore: { ...memory, lock } }).token()
  expect(service.grantTypes).toEqual(['client_credentials'])
})
