import { describe, expect, it } from 'vitest'
import {
  type Client,
  createFileTokenStore,
  createMemoryTokenStore,
  type TokenStore,
} from '../../../src/client/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
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
const callbackToken = 'Hvbnmq+Tzxdfg/Wplkju=Sryewt'
const tokenized = {
  ...wanted,
  callbackUrl: `https://a.example/?token=${encodeURIComponent(callbackToken)}&x=1`,
}

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
    error: `${authorization} ${Buffer.from(basic, 'base64')}`,
    message: `Invalid request ${request.method} ${request.url} ${request.body}`,
    headers: request.rawHeaders,
    query: Object.fromEntries(request.query),
    form: Object.fromEntries(new URLSearchParams(request.body)),
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
    const file = createFileTokenStore({ path: `${temporaryFolder()}/tokens.json` })
    const stores = [createMemoryTokenStore(), file]
    for (const tokenStore of stores) {
      const token = clientOf(service, { tokenStore }).token()
      await token.catch(() => {})
      expectNoSecret(service, tokenStore)
    }
  })
})

/** The response is cut off in the middle of the token. */
const cutOff =
  (status: number): Step =>
  ({ request, send }) => {
    const [, token = ''] = request.headers.authorization?.split(' ') ?? []
    send(toResponse(status, `${' '.repeat(MAX_BYTES - token.length + 1)}${token}`))
  }
const MAX_BYTES = 2_000

const calls: Record<string, (client: Client) => Promise<unknown>> = {
  hello: (client) => client.hello(),
  request: (client) => client.request({ method: 'POST', path: '/svc/v1.0/pay', body: { a: 1 } }),
  list: (client) => client.webhooks.list(),
  create: (client) => client.webhooks.create(wanted),
  update: (client) => client.webhooks.update('1', wanted),
  delete: (client) => client.webhooks.delete('1'),
  get: (client) => client.webhooks.get('1'),
  sync: (client) => client.webhooks.sync([wanted]),
}

/** Every place that makes an error, with a service that sends back what it was sent. */
const failures: [string, string, Step][] = [
  ['hello', 'a redirect', echoing(301)],
  ['request', 'a 400', echoing(400)],
  ['request', 'a 401', echoing(401)],
  ['request', 'a 503', echoing(503)],
  ['request', 'a 200 that is cut off', cutOff(200)],
  ['update', 'a 422 that is cut off', cutOff(422)],
  ['list', 'what is no configuration', echoing(200)],
  ['create', 'a 409', echoing(409)],
  ['delete', 'a 404', echoing(404)],
  ['get', 'a 404', echoing(404)],
  ['sync', 'no connection', cutBefore],
  ['create', 'no response', applyThenCut],
  ['list', 'an endless response', flood(Number.POSITIVE_INFINITY)],
  ['update', 'bytes that are not UTF-8', respond(200, Buffer.from([0xff, 0xfe]))],
]

it.each(failures)('no secret is seen in an error of %s that got %s', async (name, _response, step) => {
  const { service, client } = await openClient({}, { maxResponseBytes: MAX_BYTES })
  const { accessToken } = await client.token()
  service.on('*', Array(40).fill(step))
  const error = await failureOf(calls[name]?.(client) ?? Promise.resolve())
  expectNoSecret(service, error)
  expect(shown(error)).not.toContain(accessToken.slice(0, 12))
  service.complaints.length = 0
})

it.each<[string, string, (client: Client) => Promise<unknown>]>([
  ['create', 'POST /svc/v1.2/webhooks', ({ webhooks }) => webhooks.create(tokenized)],
  ['update', 'PATCH /svc/v1.2/webhooks/101', ({ webhooks }) => webhooks.update('101', tokenized)],
])('the callback token is not seen in an error of %s', async (_name, route, call) => {
  const { service, client } = await openClient()
  service.on(route, ({ request, send }) =>
    send(toResponse(422, { message: callbackToken, seen: request.body, [`<${callbackToken}>`]: 1 })),
  )
  const error = await failureOf(call(client))
  expect(error).toMatchObject({ code: 'request_rejected', body: { message: '[redacted]' } })
  for (const part of callbackToken.split(/[^a-z]/i)) expect(shown(error)).not.toContain(part)
})

describe('no secret is seen in an error of a grant', () => {
  /** The ordinary response with another body. */
  const saying = (change: (body: string) => string) =>
    changed(({ body }) => toResponse(200, change(String(body))))

  it.each<[string, Step]>([
    ['responded 400', echoing(400)],
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
