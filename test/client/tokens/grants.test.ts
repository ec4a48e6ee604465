import { describe, expect, it, vi } from 'vitest'
import { applyThenCut, hang, pass, respond, type Step } from '../exchange.ts'
import {
  clientOf,
  consent,
  failureOf,
  openClient,
  openScripted,
  openService,
  openUserClient,
  REDIRECT_URI,
} from '../open-client.ts'

const now = () => Date.UTC(2026, 0, 1)
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

describe('grants on the wire', () => {
  it('use client credentials for the application\u2019s account', async () => {
    const service = await openService()
    await clientOf(service).token()
    const [request] = service.tokenRequests
    expect(request).toMatchObject({
      method: 'POST',
      url: '/oauth/token',
      body: 'grant_type=client_credentials&scope=all',
      headers: {
        authorization: basic('application-1', 'client-secret/+ %41é~'),
        accept: 'application/json',
        'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded(?:;charset=utf-8)?$/i),
        'content-length': '39',
      },
    })
    expect(request?.headers).not.toHaveProperty('x-request-id')
    expect(request?.headers).not.toHaveProperty('cookie')
  })

  it.each([
    ['application-1', 'a:b::c'],
    ['ümlaut', 'pässword €'],
    ['a b', '%3A+%2B'],
  ])('send %j and %j as they are, in UTF-8', async (clientId, clientSecret) => {
    const { service, client } = await openClient({ clientId, clientSecret })
    await client.token()
    expect(service.tokenRequests[0]?.headers.authorization).toBe(basic(clientId, clientSecret))
  })

  it('exchange a code with its redirect URI', async () => {
    const { service, client } = await openClient()
    const code = service.grants.consent(REDIRECT_URI)
    const token = await client.exchangeCode({ code, redirectUri: REDIRECT_URI })
    const [request] = service.tokenRequests
    expect(request?.url).toBe('/oauth/token')
    expect(request?.body).toBe(
      `grant_type=authorization_code&scope=all&code=${encodeURIComponent(code)}&redirect_uri=https%3A%2F%2Fapp.example%2Freturn%3Ffrom%3Dpay%26x%3D1`,
    )
    expect(token).toMatchObject({ grant: 'authorization_code', accountId: '900100' })
  })

  it('refresh with the token in the query only', async () => {
    const { service, client } = await openClient()
    const first = await client.token()
    const second = await client.refresh()
    const request = service.tokenRequests[1]
    expect(request?.body).toBe('grant_type=refresh_token')
    expect(request?.url).toBe(`/oauth/token?refresh_token=${encodeURIComponent(first.refreshToken ?? '')}`)
    expect(request?.query.get('refresh_token')).toBe(first.refreshToken)
    expect(request?.headers.authorization).toBe(basic('application-1', 'client-secret/+ %41é~'))
    expect(second.accessToken).not.toBe(first.accessToken)
    expect(second.grant).toBe('client_credentials')
  })
})

describe('the token of a grant', () => {
  // The second prints back as it is, and is no safe integer all the same.
  it.each([9_223_372_036_854_775_807n, 9_007_199_254_740_994n, 0n, '0700', '9007199254740993'])(
    'keeps every digit of the id %s',
    async (id) => {
      const { client } = await openClient({ token: { account_id: id, user_id: id } })
      expect(await client.token()).toMatchObject({ accountId: String(id), userId: String(id) })
    },
  )

  it.each<[unknown, number | undefined]>([
    [60, now() + 60_000],
    ['3600', now() + 3_600_000],
    [31_535_999, now() + 31_535_999_000],
    [0, now()],
    // The last date that is valid.
    [1e300, 8.64e15],
    [undefined, undefined],
    ['soon', undefined],
    [-1, undefined],
    ['1e400', undefined],
  ])('accepts the lifetime %j', async (expires_in, time) => {
    const { service, client } = await openClient({ token: { expires_in } }, { now })
    expect((await client.token()).expiresAt?.getTime()).toBe(time)
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.tokenRequests.length).toBeLessThan(4)
  })

  it('accepts the type in any case, and sends Bearer', async () => {
    const { service, client } = await openClient({ token: { token_type: 'BEARER' } })
    expect((await client.token()).tokenType).toBe('bearer')
    await client.hello()
    expect(service.requests[1]?.headers.authorization).toBe(`Bearer ${service.grants.accessTokens[0]}`)
  })

  it.each<[string, Record<string, unknown>]>([
    ['absent', { refresh_token: undefined, scope: undefined, account_id: undefined, user_id: undefined }],
    ['null', { refresh_token: null, scope: null, account_id: null, user_id: null }],
    ['empty', { refresh_token: '', scope: '', account_id: '', user_id: '' }],
  ])('may have only an access token, with the rest %s', async (_name, token) => {
    const { service, client } = await openClient({ token })
    const given = await client.token()
    for (const field of ['refreshToken', 'scope', 'accountId', 'userId'] as const) {
      expect(given[field], field).toBeUndefined()
    }
    await expect(client.refresh()).rejects.toMatchObject({ code: 'refresh_token_missing' })
    expect(service.grantTypes).toEqual(['client_credentials'])
  })

  it.each<[string, unknown]>([
    ['scope', ['all']],
    ['account_id', 'abc'],
    ['user_id', 1.5],
    ['token_type', ['bearer']],
    ['token_type', undefined],
  ])('has the new refresh token even if %s is %j', async (name, value) => {
    const { service, client } = await openUserClient({ rotatesRefreshTokens: true })
    service.behavior.token = { [name]: value }
    expect(await client.refresh()).toMatchObject({ tokenType: 'bearer', scope: 'all', userId: '800100' })
    expect(await client.refresh()).toMatchObject({ accountId: '900100' })
    expect(service.grants.spentRefreshTokens).toEqual([])
  })
})

it.each<[string, unknown]>([
  ['an empty body', ''],
  ['text', 'welcome'],
  ['a list', []],
  ['null', 'null'],
  ['no access token', { token_type: 'bearer' }],
  ['an empty access token', { access_token: '', token_type: 'bearer' }],
  ['an access token that is a number', { access_token: 5, token_type: 'bearer' }],
  ['an access token with a line break', { access_token: 'a\r\nX-Evil: 1', token_type: 'bearer' }],
  ['another type', { access_token: 'abc', token_type: 'mac' }],
  ['a refresh token that is no text', { access_token: 'abc', token_type: 'bearer', refresh_token: {} }],
])('an invalid token response is rejected: %s', async (_name, body) => {
  const { service, client } = await openScripted('POST /oauth/token', respond(200, body))
  expect(await failureOf(client.token())).toMatchObject({ code: 'token_response_invalid' })
  expect(service.requests).toHaveLength(1)
})

describe('the token endpoint', () => {
  it('rejects the application', async () => {
    const { service, client } = await openClient({}, { clientSecret: 'another' })
    const rejected = { name: 'TokenError', code: 'grant_rejected', status: 401, oauthError: 'invalid_client' }
    expect(await failureOf(client.hello())).toMatchObject(rejected)
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    [200, '<!doctype html><title>Log in</title>', 'is not a token: it is an HTML page'],
    [404, '\n<html><body>Not found</body></html>', 'responded with 404 and an HTML page.'],
  ])('responds with %i and a web page, which the error says', async (status, page, part) => {
    const { client } = await openScripted('POST /oauth/token', respond(status, page))
    const { message } = await failureOf(client.token())
    expect(message).toContain(part)
    expect(message).not.toContain('<')
  })
})

describe('exchangeCode', () => {
  it.each([
    ['503', respond(503), { code: 'token_endpoint_failed', status: 503 }],
    ['429', respond(429), { code: 'token_endpoint_failed', status: 429 }],
    ['a time-out', hang, { code: 'network_timeout' }],
  ])('is not sent again after %s', async (name, step, expected) => {
    const counting = vi.fn(fetch)
    const timeoutMs = name === 'a time-out' ? 60 : 5_000
    const { service, client } = await openClient({}, { fetch: counting, timeoutMs })
    service.on('POST /oauth/token', step)
    expect(await failureOf(consent(service, client))).toMatchObject(expected)
    expect(counting).toHaveBeenCalledOnce()
  })

  it('is repeated if the service closes its idle connection', async () => {
    const { service, client } = await openClient()
    const used = new Set<unknown>()
    const noted: Step = (exchange) => {
      used.add(exchange.response.socket)
      return pass(exchange)
    }
    service.on('*', [noted, noted])
    await client.hello()
    let wasIdle = false
    service.on('POST /oauth/token', ({ response }) => {
      wasIdle = used.has(response.socket)
      response.destroy()
    })
    const token = await consent(service, client)
    expect(token).toMatchObject({ grant: 'authorization_code', accountId: '900100' })
    expect(wasIdle).toBe(true)
    expect(service.grantTypes).toEqual(['client_credentials', 'authorization_code', 'authorization_code'])
  })

  it('has the lost connection as the cause if the code is then rejected', async () => {
    const { service, client } = await openScripted('POST /oauth/token', applyThenCut)
    const error = await failureOf(consent(service, client))
    const rejected = { code: 'grant_rejected', status: 400, oauthError: 'invalid_grant' }
    expect(error).toMatchObject({ ...rejected, cause: { code: 'network_failed' } })
    expect(service.requests).toHaveLength(2)
  })

  it.each<[string, object]>([
    ['code', { redirectUri: REDIRECT_URI }],
    ['code', { code: '', redirectUri: REDIRECT_URI }],
    ['redirectUri', { code: 'c' }],
    ['redirectUri', { code: 'c', redirectUri: 5 }],
  ])('throws a TypeError without a %s: %j', async (name, options) => {
    const { service, client } = await openClient()
    await expect((async () => client.exchangeCode(options as never))()).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(name) }),
    )
    expect(service.requests).toEqual([])
  })
})
