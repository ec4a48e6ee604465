import { describe, expect, it } from 'vitest'
import {
  type Client,
  createFileTokenStore,
  createMemoryTokenStore,
  type TokenStore,
} from '../../../src/client/index.ts'
import {
  applyThenCut,
  changed,
  cutBefore,
  type Exchange,
  flood,
  respond,
  type Step,
  toResponse,
} from '../exchange.ts'
import {
  clientOf,
  failureOf,
  openClient,
  openService,
  openUserClient,
  REDIRECT_URI,
  shown,
  storeWithToken,
  userClientOf,
} from '../open-client.ts'
import type { Service } from '../service-by-the-book.ts'

const TOKEN = 'POST /oauth/token'
const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }

function expectNoSecret(service: Service, value: unknown): void {
  const text = shown(value)
  for (const secret of service.grants.secrets) {
    const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
    for (const spelling of spellings) expect(text.includes(spelling), `${spelling} in ${text}`).toBe(false)
  }
}

/** Everything that the request held: what a debugging service sends back. */
function echo({ request }: Exchange): string {
  const { authorization = '' } = request.headers
  const basic = /^Basic (.*)$/.exec(authorization)?.[1] ?? ''
  return JSON.stringify({
    message: `Invalid request ${request.method} ${request.url} with ${authorization}`,
    headers: request.rawHeaders,
    query: Object.fromEntries(request.query),
    body: request.body,
    form: Object.fromEntries(new URLSearchParams(request.body)),
    decoded: Buffer.from(basic, 'base64').toString(),
    deep: [[[{ token: authorization.split(' ')[1] }]]],
  })
}

const echoing =
  (status: number): Step =>
  (exchange) => {
    exchange.apply()
    exchange.send(toResponse(status, echo(exchange)))
  }

describe('no secret is seen', () => {
  it('in a client', async () => {
    const { service, client } = await openClient()
    expectNoSecret(service, client)
    await client.hello()
    await client.refresh()
    expectNoSecret(service, client)
    expectNoSecret(service, client.webhooks)
    for (const part of Object.values({ ...client, ...client.webhooks })) expectNoSecret(service, part)
  })

  it('in a token', async () => {
    const { service, client } = await openClient()
    for (const token of [
      await client.token(),
      await client.refresh(),
      await (await userClientOf(service)).token(),
    ]) {
      expectNoSecret(service, token)
      expectNoSecret(service, { deep: [{ token }] })
      expectNoSecret(service, { ...token })
      expectNoSecret(service, Object.entries(token))
      expectNoSecret(service, structuredClone({ ...token }))
      expectNoSecret(service, new Error('with a token', { cause: token }))
      expect(token.accessToken).toMatch(/^access-/)
    }
  })

  it('in a token store', async () => {
    const service = await openService()
    const stores = [createMemoryTokenStore(), createFileTokenStore({ path: '/nowhere/tokens.json' })]
    for (const tokenStore of stores) {
      const token = clientOf(service, { tokenStore }).token()
      await token.catch(() => {})
      expectNoSecret(service, tokenStore)
    }
  })
})

/** Every way to fail, with a service that sends back what it was sent. */
const calls: [string, (client: Client) => Promise<unknown>][] = [
  ['hello', (client) => client.hello()],
  ['request', (client) => client.request({ method: 'POST', path: '/svc/v1.0/pay', body: { a: 1 } })],
  ['list', (client) => client.webhooks.list()],
  ['create', (client) => client.webhooks.create(wanted)],
  ['update', (client) => client.webhooks.update('1', wanted)],
  ['delete', (client) => client.webhooks.delete('1')],
  ['get', (client) => client.webhooks.get('1')],
  ['sync', (client) => client.webhooks.sync([wanted])],
]
const statuses = [301, 400, 401, 403, 404, 409, 418, 429, 500, 503]

/** Which of them gets which response, so that each call and each status is there. */
const failures: [string, number | Step][] = [
  ...statuses.map((status): [string, number] => ['request', status]),
  ...calls.map(([name]): [string, number] => [name, 400]),
  ['create', 409],
  ['delete', 404],
  ['sync', cutBefore],
  ['create', applyThenCut],
  ['list', flood(Number.POSITIVE_INFINITY)],
  ['update', respond(200, Buffer.from([0xff, 0xfe]))],
]

it.each(failures)('no secret is seen in an error of %s that got %s', async (name, response) => {
  const { service, client } = await openClient({}, { maxResponseBytes: 2_000 })
  await client.token()
  const step = typeof response === 'number' ? echoing(response) : response
  service.on('*', Array(40).fill(step))
  const call = calls.find(([each]) => each === name)?.[1]
  expectNoSecret(service, await failureOf(call?.(client) ?? Promise.resolve()))
  service.complaints.length = 0
})

describe('no secret is seen in an error of a grant', () => {
  /** The ordinary response with another body. */
  const saying = (change: (body: string) => string) =>
    changed(({ body }) => toResponse(200, change(String(body))))

  it.each<[string, Step]>([
    ['responded 301', echoing(301)],
    ['responded 400', echoing(400)],
    ['responded 401', echoing(401)],
    ['responded 503', echoing(503)],
    ['responded with no token', echoing(200)],
    ['cut', applyThenCut],
    ['responded with a token of another token_type', saying((body) => body.replace('"bearer"', '"mac"'))],
    [
      'responded with a token and an invalid refresh token',
      saying((body) => body.replace(/(?<="refresh_token":)"[^"]*"/, '5')),
    ],
    ['responded with a truncated token response', saying((body) => body.slice(0, -20))],
  ])('that was %s', async (_name, step) => {
    const { service, client: ofUser } = await openUserClient()
    service.grants.setAccessTokens('expired')
    service.on(TOKEN, Array(12).fill(step))
    const code = service.grants.consent(REDIRECT_URI)
    for (const call of [
      () => clientOf(service).token(),
      () => clientOf(service).exchangeCode({ code, redirectUri: REDIRECT_URI }),
      () => ofUser.hello(),
      () => ofUser.refresh(),
    ]) {
      expectNoSecret(service, await failureOf(call()))
    }
    service.complaints.length = 0
  })

  it('whose fetch fails with an error that contains the request', async () => {
    const service = await openService()
    const telling: typeof fetch = async (input, init) => {
      const { url, headers } = new Request(input, init)
      const cause = new Error(`cannot fetch ${url}: ${JSON.stringify([...headers])} ${String(init?.body)}`)
      throw Object.assign(new TypeError(cause.message, { cause }), { request: init, headers: [...headers] })
    }
    expectNoSecret(service, await failureOf(clientOf(service, { fetch: telling }).token()))
    const tokenStore = await storeWithToken(service)
    expectNoSecret(service, await failureOf(clientOf(service, { fetch: telling, tokenStore }).hello()))
    expectNoSecret(service, await failureOf(clientOf(service, { fetch: telling, tokenStore }).refresh()))
  })

  it('whose store fails with an error that contains the token', async () => {
    const service = await openService()
    const tokenStore: TokenStore = {
      get: () => undefined,
      set: (_key, token) => {
        const error = new AggregateError([new Error(token.accessToken)], `no: ${JSON.stringify(token)}`)
        throw Object.assign(error, { token, cause: { message: token.refreshToken, name: token.accessToken } })
      },
    }
    expectNoSecret(service, await failureOf(clientOf(service, { tokenStore }).token()))
  })
})
