import { describe, expect, it } from 'vitest'
import type { Client, ClientOptions } from '../../../src/client/index.ts'
import { cutBefore, noting, respond, type Step } from '../exchange.ts'
import { consent, failureOf, openClient, openClientHolding, openUserClient } from '../open-client.ts'

const TOKEN = 'POST /oauth/token'
const configuration = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }

/** A client that has a token, and a clock. */
async function openAging(
  changes: Parameters<typeof openClient>[0] = {},
  options: Partial<ClientOptions> = {},
) {
  const time = { ms: Date.UTC(2026, 0, 1) }
  const { service, client } = await openClient(changes, { now: () => time.ms, ...options })
  const { accessToken } = await client.token()
  return { service, client, time, accessToken }
}

describe('concurrent calls', () => {
  it('share one grant', async () => {
    const { service, client } = await openClient()
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 ? client.hello() : client.token())))
    expect(service.grantTypes).toEqual(['client_credentials'])
    expect(new Set(service.requests.slice(1).map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${service.grants.accessTokens[0]}`]),
    )
  })

  it('share its failure, and the next call tries again', async () => {
    const { service, client } = await openClient({}, { maxRetries: 0 })
    service.on(TOKEN, respond(400, { error: 'invalid_client' }))
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => client.token()))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(service.grantTypes).toHaveLength(1)
    expect((await client.token()).accessToken).toBe(service.grants.accessTokens[0])
  })

  it('share one refresh after a 401', async () => {
    const { service, client } = await openClientHolding('expired')
    const responses = await Promise.all(Array.from({ length: 50 }, () => client.hello()))
    expect(responses).toEqual(Array(50).fill({ hello: 'world' }))
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })
})

describe('renewal ahead of expiry', () => {
  it.each([
    [3600, 3539, 1],
    [3600, 3541, 2],
    [10, 8, 1],
    [10, 9.5, 2],
  ])('with a lifetime of %s s, after %d s: grants %i', async (lifetime, seconds, grants) => {
    const { service, client, time } = await openAging({ token: { expires_in: lifetime } })
    time.ms += seconds * 1000
    await client.token()
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'].slice(0, grants))
  })

  it('counts from before the request, however late the response is', async () => {
    const { service, client, time } = await openAging()
    const before = time.ms
    service.on(
      TOKEN,
      noting(() => {
        time.ms += 5_000
      }),
    )
    expect((await client.refresh()).expiresAt).toEqual(new Date(before + 3_600_000))
  })

  it('does not happen without a lifetime', async () => {
    const { service, client, time } = await openAging({ token: { expires_in: undefined } })
    time.ms += 10 * 31_536_000_000
    await client.hello()
    expect(service.grantTypes).toEqual(['client_credentials'])
  })

  it('gets a new token if there is no refresh token', async () => {
    const { service, client, time } = await openAging({ token: { refresh_token: undefined } })
    time.ms += 3_550_000
    await client.token()
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it('needs the user\u2019s consent if their token expired and has no refresh token', async () => {
    const { service, client, time } = await openAging({ token: { refresh_token: undefined } })
    await consent(service, client)
    time.ms += 3_601_000
    expect(await failureOf(client.token())).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).toEqual(['client_credentials', 'authorization_code'])
  })

  it.each([
    ['out of reach', cutBefore],
    ['failing', respond(503)],
  ])('pauses for five seconds if the token endpoint is %s', async (_name, step) => {
    const { service, client, time, accessToken } = await openAging({}, { maxRetries: 0 })
    time.ms += 3_550_000
    service.on(TOKEN, step)
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    for (const passed of [0, 1, 2_500, 2_498]) {
      time.ms += passed
      await Promise.all(Array.from({ length: 5 }, () => client.hello()))
      expect((await client.token()).accessToken).toBe(accessToken)
    }
    expect(service.grantTypes).toHaveLength(2)
    time.ms += 1
    expect((await client.token()).accessToken).toBe(service.grants.accessTokens[1])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token', 'refresh_token'])
  })

  it('does not pause longer than the token is valid', async () => {
    const { service, client, time, accessToken } = await openAging({}, { maxRetries: 0 })
    time.ms += 3_598_000
    service.on(TOKEN, cutBefore)
    expect((await client.token()).accessToken).toBe(accessToken)
    time.ms += 1_999
    expect((await client.token()).accessToken).toBe(accessToken)
    expect(service.grantTypes).toHaveLength(2)
    time.ms += 1
    await client.hello()
    expect(service.requests.at(-1)?.headers.authorization).toBe(`Bearer ${service.grants.accessTokens[1]}`)
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token', 'refresh_token'])
  })

  it('is not skipped once the token has expired', async () => {
    const { service, client, time } = await openAging()
    time.ms += 3_601_000
    service.on(TOKEN, Array(3).fill(cutBefore))
    expect(await failureOf(client.hello())).toMatchObject({ code: 'network_failed' })
    expect(service.calls).toEqual([])
  })
})

describe('a 401', () => {
  it('refreshes once and sends the call again, also a POST', async () => {
    const { service, client } = await openClientHolding('expired')
    const body = { method: 'POST', path: '/svc/v1.0/pay', body: '{"a":1}' }
    expect(await client.request({ ...body, body: { a: 1 } })).toEqual(body)
    expect(service.calls).toEqual(['POST /svc/v1.0/pay', 'POST /svc/v1.0/pay'])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    expect(service.requests[3]?.headers.authorization).toBe(`Bearer ${service.grants.accessTokens[1]}`)
  })

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['hello', (client) => client.hello()],
    ['a webhook operation', ({ webhooks }) => webhooks.update('101', configuration)],
  ])('to %s for the second time is an error', async (_what, call) => {
    const { service, client } = await openClient()
    service.webhooks.add(configuration.event, configuration.callbackUrl)
    for (const method of ['GET', 'PATCH'])
      service.on(`${method} *`, Array(9).fill(respond(401, { message: 'expired' })))
    const error = await failureOf(call(client))
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, body: { message: 'expired' } })
    expect(service.calls).toHaveLength(2)
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })
})

describe('a refresh', () => {
  it('fails if there is no refresh token', async () => {
    const { service, client } = await openClient()
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'refresh_token_missing' })
    expect(service.requests).toEqual([])
  })

  it.each([400, 403])('that is rejected with %i gets a new token for the application', async (status) => {
    const { service, client } = await openClientHolding('expired')
    service.on(TOKEN, respond(status, { error: 'invalid_grant' }))
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token', 'client_credentials'])
  })

  it.each([400, 403])('that is rejected with %i requires the user\u2019s consent', async (status) => {
    const { service, client } = await openUserClient()
    service.grants.setAccessTokens('expired')
    service.on(TOKEN, Array(3).fill(respond(status, { error: 'invalid_grant' })))
    const error = await failureOf(client.hello())
    expect(error).toMatchObject({ code: 'consent_required', status, oauthError: 'invalid_grant' })
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).not.toContain('client_credentials')
  })

  it('with wrong credentials of the application does not require consent', async () => {
    const { service, client } = await openUserClient()
    service.on(TOKEN, respond(401, { error: 'invalid_client' }))
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'grant_rejected', status: 401 })
    expect(await client.refresh()).toMatchObject({ grant: 'authorization_code' })
  })

  it.each([403, 404])(
    'that gets a %i and the page of a firewall does not require consent',
    async (status) => {
      const { service, client } = await openUserClient()
      service.grants.setAccessTokens('expired')
      service.on(TOKEN, respond(status, '<html>', { 'content-type': 'text/html' }))
      const failure = { code: 'token_endpoint_failed', status }
      expect(await failureOf(client.hello())).toMatchObject(failure)
      expect(await client.hello()).toEqual({ hello: 'world' })
    },
  )

  it('that was rejected keeps the user\u2019s token in the store until they consent again', async () => {
    const { service, client } = await openUserClient()
    service.grants.setAccessTokens('expired')
    service.grants.revokeRefreshTokens()
    expect(await failureOf(client.hello())).toMatchObject({ code: 'consent_required' })
    expect((await client.token()).grant).toBe('authorization_code')
    await consent(service, client)
    expect(await client.hello()).toEqual({ hello: 'world' })
    expect(service.grantTypes).not.toContain('client_credentials')
  })

  it('keeps the refresh token, the account and the scope if the response has none', async () => {
    const { service, client } = await openUserClient()
    const { refreshToken, accountId, userId, scope } = await client.token()
    const names = ['refresh_token', 'account_id', 'user_id', 'scope']
    service.behavior.token = Object.fromEntries(names.map((name) => [name, undefined]))
    expect(await client.refresh()).toMatchObject({ refreshToken, accountId, userId, scope })
    expect([accountId, userId, scope]).toEqual(['900100', '800100', 'all'])
  })

  it.each<[string, Step, object]>([
    ['503', respond(503), { code: 'token_endpoint_failed', status: 503 }],
    ['no network', cutBefore, { code: 'network_failed' }],
  ])('is tried again on %s, and then fails without a change of account', async (_name, step, expected) => {
    const { service, client } = await openUserClient()
    service.grants.setAccessTokens('expired')
    service.on(TOKEN, [step, step, step])
    expect(await failureOf(client.hello())).toMatchObject(expected)
    expect(service.grantTypes).toEqual(['authorization_code', ...Array(3).fill('refresh_token')])
    expect(await client.hello()).toEqual({ hello: 'world' })
  })
})
