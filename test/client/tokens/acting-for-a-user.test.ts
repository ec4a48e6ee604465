import { describe, expect, it } from 'vitest'
import type { Client, StoredToken } from '../../../src/client/index.ts'
import { applyThenCut, respond, type Step } from '../exchange.ts'
import {
  clientOf,
  consent,
  failureOf,
  hold,
  openClient,
  openService,
  openUserClient,
  REDIRECT_URI,
  storeWithToken,
  userClientOf,
} from '../open-client.ts'
import type { Service } from '../service-by-the-book.ts'
import { openStore } from './open-store.ts'

const THING = '/svc/v1.0/thing'
const HELLO = 'GET /svc/v1.0/hello'
const TOKEN = 'POST /oauth/token'

/** A token of the application's own account, as a store holds it. */
async function ownToken(service: Service): Promise<StoredToken | undefined> {
  const { held, tokenStore } = openStore()
  await clientOf(service, { tokenStore }).token()
  return held.token
}

const losses: [string, (service: Service) => Promise<StoredToken | undefined>][] = [
  ['has lost its entry', async () => undefined],
  ['holds a token of the application', ownToken],
]

const calls: [string, (client: Client) => Promise<unknown>][] = [
  ['token', (client) => client.token()],
  ['refresh', (client) => client.refresh()],
  ['hello', (client) => client.hello()],
  ['request', (client) => client.request({ method: 'POST', path: THING, body: {} })],
  ['list', (client) => client.webhooks.list()],
]

async function expectConsentRequired(service: Service, client: Client): Promise<void> {
  const before = service.requests.length
  for (const [name, call] of calls) {
    expect(await failureOf(call(client)), name).toMatchObject({ code: 'consent_required' })
  }
  expect(service.requests.length).toBe(before)
}

describe.each(losses)('a client that acts for a user, and whose store %s', (_name, lose) => {
  async function openActing() {
    const service = await openService()
    const { held, tokenStore } = openStore()
    return { service, held, tokenStore, client: await userClientOf(service, { tokenStore }) }
  }

  it.each([false, true])('requires consent, also if the user came from the store: %s', async (fromStore) => {
    const { service, held, tokenStore, client: first } = await openActing()
    const client = fromStore ? clientOf(service, { tokenStore }) : first
    await client.hello()
    held.token = await lose(service)
    await expectConsentRequired(service, client)
    await consent(service, client)
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(await client.token()).toMatchObject({ grant: 'authorization_code', accountId: '900100' })
  })

  it.each([401, 404])('does not repeat a call that gets a %i as the application', async (status) => {
    const { service, held, client } = await openActing()
    const lost = await lose(service)
    const grants = service.grantTypes
    service.grants.setAccessTokens(status === 401 ? 'expired' : 'invalid')
    service.on('POST /svc/v1.2/webhooks', (exchange) => {
      held.token = lost
      exchange.send(exchange.apply())
    })
    const create = client.webhooks.create({ event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' })
    expect(await failureOf(create)).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).toEqual(grants)
    expect(service.calls.filter((route) => route !== HELLO)).toEqual(['POST /svc/v1.2/webhooks'])
  })
})

describe('a client whose grant is authorization_code', () => {
  it('sends nothing until a user consents', async () => {
    const { service, client } = await openClient({}, { grant: 'authorization_code' })
    await expectConsentRequired(service, client)
    expect(service.requests).toEqual([])
    await consent(service, client)
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['authorization_code'])
  })

  it('does not use the application\u2019s token in its store', async () => {
    const service = await openService()
    const tokenStore = await storeWithToken(service)
    await expectConsentRequired(service, clientOf(service, { tokenStore, grant: 'authorization_code' }))
  })
})

describe('a call during which a user consents', () => {
  /** Has a POST responded this after a user consents; gives its outcome and the tokens it went out with. */
  async function postDuringConsent(service: Service, client: Client, account: bigint, status = 401) {
    const { accessToken: before } = await client.token()
    const said = { message: status === 401 ? 'The access token expired' : 'Invalid token' }
    const openGate = hold(service, `POST ${THING}`, respond(status, said))
    const post = client.request({ method: 'POST', path: THING, body: {} }).catch((error: unknown) => error)
    await service.arrived(`POST ${THING}`)
    const { accessToken: after } = await consent(service, client, account)
    if (status !== 401) service.on(HELLO, respond(status, said))
    openGate()
    const outcome = await post
    const sent = service.requests.filter(({ path }) => path === THING)
    const names = new Map(
      [before, after].map((token, index) => [`Bearer ${token}`, ['before', 'after'][index]]),
    )
    return { outcome, sent: sent.map(({ headers }) => names.get(`${headers.authorization}`)) }
  }

  it.each([401, 403])('is not repeated for another user if it gets a %i', async (status) => {
    const { service, client } = await openUserClient()
    const { outcome, sent } = await postDuringConsent(service, client, 900_200n, status)
    expect(outcome).toMatchObject({ code: status === 401 ? 'unauthorized' : 'request_rejected', status })
    expect(sent).toEqual(['before'])
    expect(service.grantTypes).toEqual(['authorization_code', 'authorization_code'])
    expect(await client.token()).toMatchObject({ accountId: '900200' })
  })

  it.each([900_100n, 700_100n])(
    'is not repeated for a user if it was the application\u2019s: %s',
    async (account) => {
      const { service, client } = await openClient({ accountId: 700_100n })
      const { outcome, sent } = await postDuringConsent(service, client, account)
      expect(outcome).toMatchObject({ code: 'unauthorized', status: 401 })
      expect(sent).toEqual(['before'])
    },
  )

  it('is repeated if the same user consented again', async () => {
    const { service, client } = await openUserClient()
    const { outcome, sent } = await postDuringConsent(service, client, 900_100n)
    expect(outcome).toMatchObject({ path: THING })
    expect(sent).toEqual(['before', 'after'])
  })
})

it('a call whose store responds late with the application\u2019s token uses the token of the user', async () => {
  const service = await openService()
  const { held, tokenStore } = openStore()
  held.token = await ownToken(service)
  const asked = Promise.withResolvers<void>()
  const late = Promise.withResolvers<StoredToken | undefined>()
  const responses = [late.promise]
  const get = () => {
    asked.resolve()
    return responses.pop() ?? held.token
  }
  const client = clientOf(service, { tokenStore: { ...tokenStore, get } })
  const before = held.token
  const call = client.token()
  await asked.promise
  await consent(service, client)
  late.resolve(before)
  expect((await call).grant).toBe('authorization_code')
})

describe('a call of several requests during which another user consents', () => {
  const other = 900_200n
  const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }

  it('does not return a configuration of the other user', async () => {
    const { service, client } = await openUserClient()
    service.webhooks.add(wanted.event, wanted.callbackUrl, { account: other })
    service.on('POST /svc/v1.2/webhooks', [applyThenCut, comeBetween(service, client)])
    const error = await failureOf(client.webhooks.create(wanted))
    // That of the POST, which may have created one.
    expect(error).toMatchObject({ code: 'conflict', cause: { code: 'network_failed' } })
  })

  it('does not continue for the other user', async () => {
    const { service, client } = await openUserClient()
    service.on('GET /svc/v1.2/webhooks', comeBetween(service, client))
    expect(await failureOf(client.webhooks.sync([wanted]))).toMatchObject({ code: 'owner_changed' })
    expect(service.webhooks.configurations).toEqual([])
    const { created } = await client.webhooks.sync([wanted])
    expect(created.map(({ callbackUrl }) => callbackUrl.href)).toEqual([wanted.callbackUrl])
  })

  function comeBetween(service: Service, client: Client): Step {
    return async ({ apply, send }) => {
      const responded = apply()
      await consent(service, client, other)
      send(responded)
    }
  }
})

describe('the same code exchanged twice at the same time', () => {
  const redirectUri = REDIRECT_URI

  /** A client, a code, and a token endpoint that waits to be opened. */
  async function openWaiting() {
    const service = await openService({ rotatesRefreshTokens: true })
    const openGate = hold(service, TOKEN)
    return { service, client: clientOf(service), code: service.grants.consent(redirectUri), openGate }
  }

  it('is one request, and its token stays valid', async () => {
    const { service, client, code, openGate } = await openWaiting()
    const exchanges = [1, 2, 3].map(() => client.exchangeCode({ code, redirectUri }))
    openGate()
    for (const { accessToken } of await Promise.all(exchanges)) {
      expect(accessToken).toBe(service.grants.accessTokens[0])
    }
    expect(service.grantTypes).toEqual(['authorization_code'])
    expect(await client.refresh()).toMatchObject({ grant: 'authorization_code' })
  })

  it('is two requests if the redirect URIs differ', async () => {
    const { service, client, code, openGate } = await openWaiting()
    const exchange = client.exchangeCode({ code, redirectUri })
    const other = failureOf(client.exchangeCode({ code, redirectUri: `${redirectUri}&y=1` }))
    openGate()
    await expect(exchange).resolves.toMatchObject({ grant: 'authorization_code' })
    expect(await other).toMatchObject({ code: 'grant_rejected' })
    expect(service.grantTypes).toEqual(['authorization_code', 'authorization_code'])
  })
})
