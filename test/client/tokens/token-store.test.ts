import { describe, expect, it } from 'vitest'
import { createMemoryTokenStore, type StoredToken, type TokenStore } from '../../../src/client/index.ts'
import { respond } from '../exchange.ts'
import { clientOf, consent, failureOf, hold, openClient, openService, userClientOf } from '../open-client.ts'
import { openStore } from './open-store.ts'

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

describe('a token store', () => {
  it('gets plain JSON with everything that the next process needs', async () => {
    const service = await openService({ accountId: 9_007_199_254_740_993n })
    const { tokenStore, sets } = openStore()
    const now = () => 1_000_000
    await clientOf(service, { tokenStore, now }).token()
    expect(sets).toHaveLength(1)
    expect(JSON.parse(JSON.stringify(sets[0]))).toEqual({
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

  it('gets one key per service and application, without a secret', async () => {
    const service = await openService()
    const { tokenStore, keys } = openStore()
    await clientOf(service, { tokenStore }).token()
    await clientOf(service, { tokenStore, baseUrl: `${service.url}/` }).refresh()
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

  it('may be asynchronous, and may have no lock', async () => {
    const { tokenStore } = openStore()
    const get: TokenStore['get'] = async (key) => tokenStore.get(key)
    const { service, client } = await openClient({}, { tokenStore: { ...tokenStore, get } })
    await Promise.all([client.token(), client.token(), client.hello()])
    expect(service.grantTypes).toEqual(['client_credentials'])
  })

  it('is written before the token is used', async () => {
    const service = await openService()
    const [gate, setting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { tokenStore } = openStore()
    const set: TokenStore['set'] = async (key, token) => {
      setting.resolve()
      await gate.promise
      tokenStore.set(key, token)
    }
    const hello = clientOf(service, { tokenStore: { ...tokenStore, set } }).hello()
    await setting.promise
    expect(service.calls).toEqual([])
    gate.resolve()
    await expect(hello).resolves.toEqual({ hello: 'world' })
  })

  it('is locked during a grant only, and read within the lock', async () => {
    const { held } = openStore()
    const order: string[] = []
    const tokenStore: TokenStore = {
      get() {
        order.push('get')
        return held.token
      },
      set(_key, token) {
        order.push('set')
        held.token = token
      },
      async lock(_key, work) {
        order.push('lock')
        const result = await work()
        order.push('unlock')
        return result
      },
    }
    const { client } = await openClient({}, { tokenStore })
    await client.token()
    expect(order.splice(0).join(' ')).toMatch(/lock get set unlock$/)
    await client.token()
    expect(order).toEqual(['get'])
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

  it('that another client has written is used without a grant, and read again if it does during a call', async () => {
    const service = await openService({ rotatesRefreshTokens: true })
    const { tokenStore } = openStore()
    const [first, second] = [clientOf(service, { tokenStore }), clientOf(service, { tokenStore })]
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
  const broken = (what: 'get' | 'set' | 'lock', fail: () => unknown) =>
    ({ ...openStore().tokenStore, [what]: fail }) as TokenStore

  it.each(['get', 'set', 'lock'] as const)('in %s fails with token_store_failed', async (what) => {
    const cause = new Error('disk full')
    const throws = () => {
      throw cause
    }
    for (const fail of [throws, () => Promise.reject(cause)]) {
      const { service, client } = await openClient({}, { tokenStore: broken(what, fail) })
      const error = await failureOf(client.hello())
      expect(error).toMatchObject({ code: 'token_store_failed', cause: { message: 'disk full' } })
      expect(service.calls).toEqual([])
    }
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
    const { tokenStore } = openStore(value as StoredToken)
    const { service, client } = await openClient({}, { tokenStore })
    expect(await failureOf(client.hello())).toMatchObject({ code: 'token_store_failed' })
    expect(service.requests).toEqual([])
  })

  /** A store that returns tokens as a database keeps them. */
  function openColumns(change: (token: StoredToken) => object): TokenStore {
    const { held, tokenStore } = openStore()
    return { ...tokenStore, get: () => held.token && (change(held.token) as StoredToken) }
  }

  it('to return numbers as they were set, as databases do, is understood', async () => {
    const service = await openService()
    const tokenStore = openColumns(({ accountId, issuedAt, expiresAt, ...rest }) => {
      return { ...rest, accountId: Number(accountId), issuedAt: `${issuedAt}`, expiresAt: `${expiresAt}` }
    })
    const { expiresAt } = await clientOf(service, { tokenStore }).token()
    const client = clientOf(service, { tokenStore })
    expect(await client.token()).toMatchObject({ accountId: '700100', expiresAt })
    service.grants.setAccessTokens('expired')
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it('to settle times out after timeoutMs', async () => {
    const tokenStore = broken('get', () => new Promise(() => {}))
    const { service, client } = await openClient({}, { tokenStore, timeoutMs: 20 })
    const error = await failureOf(client.hello())
    expect(error).toMatchObject({ code: 'token_store_failed' })
    expect(error.cause).toMatchObject({ message: 'It took longer than 20 ms.' })
    expect(service.calls).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['gives nothing', () => undefined],
    ['gives something else', async () => stored()],
  ])('to run the work in its lock, and %s, is a token_store_failed error', async (_name, lock) => {
    const { service, client } = await openClient({}, { tokenStore: broken('lock', lock) })
    for (const call of [() => client.hello(), () => client.refresh(), () => consent(service, client)]) {
      expect(await failureOf(call())).toMatchObject({ code: 'token_store_failed' })
    }
    expect(service.requests).toEqual([])
  })

  it('after the work in its lock is an error, and so is a failure of the work', async () => {
    const service = await openService()
    const throwing: TokenStore['lock'] = async (_key, work) => {
      await work()
      throw new Error('not unlocked')
    }
    const tokenStore = { ...openStore().tokenStore, lock: throwing }
    const error = await failureOf(clientOf(service, { tokenStore }).hello())
    expect(error).toMatchObject({ code: 'token_store_failed', cause: { message: 'not unlocked' } })
    const swallowing: TokenStore['lock'] = (_key, work) => work().catch(() => 5 as never)
    service.on('POST /oauth/token', respond(400, { error: 'invalid_scope' }))
    const second = clientOf(service, { tokenStore: { ...openStore().tokenStore, lock: swallowing } })
    expect(await failureOf(second.hello())).toMatchObject({ code: 'grant_rejected', status: 400 })
  })

  it('to leave out absent fields may return null for them', async () => {
    const token = { refresh_token: undefined, scope: undefined, user_id: undefined }
    const service = await openService({ token })
    const fields = ['refreshToken', 'scope', 'accountId', 'userId', 'expiresAt']
    const tokenStore = openColumns((each) => {
      return { ...Object.fromEntries(fields.map((name) => [name, null])), ...present(each) }
    })
    await clientOf(service, { tokenStore }).hello()
    const held = await clientOf(service, { tokenStore }).token()
    expect(held).toMatchObject({ refreshToken: undefined, scope: undefined, accountId: '700100' })
    expect(service.grantTypes).toEqual(['client_credentials'])
  })
})

it('a lock that runs its work twice does not send two grants', async () => {
  const lock: TokenStore['lock'] = async (_key, work) => {
    await work()
    return await work()
  }
  const { service, client } = await openClient({}, { tokenStore: { ...openStore().tokenStore, lock } })
  await client.token()
  await client.refresh()
  expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
})
