// The other tests believe this service: here it is seen to reject what a client must not send.

import { describe, expect, it, onTestFinished } from 'vitest'
import { type Service, startService } from './service-by-the-book.ts'

const ID = '0b8f7b1e-7c1c-4a5e-9d7b-0123456789ab'

async function open(): Promise<{ service: Service; accessToken: string; refreshToken: string }> {
  const service = await startService({ clientSecret: 's:1' })
  onTestFinished(async () => void (await service.close()))
  const response = await ask(service, {})
  const { access_token, refresh_token } = (await response.json()) as Record<string, string>
  return { service, accessToken: String(access_token), refreshToken: String(refresh_token) }
}

/** A request of the service's API by the book, but for the changes. */
async function call(
  url: string,
  accessToken: string,
  { headers = {}, ...init }: Changes = {},
): Promise<number> {
  const authorization = `Bearer ${accessToken}`
  const all = { authorization, 'content-type': 'application/json', 'x-request-id': crypto.randomUUID() }
  return (await fetch(url, { ...init, headers: { ...all, ...headers } })).status
}

type Changes = RequestInit & { headers?: Record<string, string> }

/** A token request by the book, but for the changes. */
async function ask(
  service: Service,
  { headers = {}, body = 'grant_type=client_credentials&scope=all', query = '', method = 'POST' },
): Promise<Response> {
  return await fetch(`${service.url}/oauth/token${query}`, {
    method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('application-1:s:1').toString('base64')}`,
      ...headers,
    },
    body,
  })
}

describe('the service by the book', () => {
  it('grants what is asked for as section 4.1 says', async () => {
    const { service, refreshToken } = await open()
    const query = `?refresh_token=${encodeURIComponent(refreshToken)}`
    expect((await ask(service, { body: 'grant_type=refresh_token', query })).status).toBe(200)
    expect(service.complaints).toEqual([])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it.each([
    [
      'a secret that is percent-encoded',
      { headers: { authorization: `Basic ${btoa('application-1:s%3A1')}` } },
      401,
    ],
    ['no credentials', { headers: { authorization: '' } }, 401],
    ['the secret in the form', { body: 'grant_type=client_credentials&scope=all&client_secret=s' }, 400],
    ['no scope', { body: 'grant_type=client_credentials' }, 400],
    ['another scope', { body: 'grant_type=client_credentials&scope=some' }, 400],
    ['the grant in the query', { body: '', query: '?grant_type=client_credentials&scope=all' }, 400],
    ['a refresh token in the form', { body: 'grant_type=refresh_token&refresh_token=x' }, 400],
    ['a scope in a refresh', { body: 'grant_type=refresh_token&scope=all', query: '?refresh_token=x' }, 400],
    ['a field twice', { body: 'grant_type=client_credentials&scope=all&scope=all' }, 400],
  ])('rejects %s', async (_name, changes, status) => {
    const { service } = await open()
    expect((await ask(service, changes)).status).toBe(status)
  })

  it('complains of another Accept, of JSON and of PUT at the token endpoint', async () => {
    const { service } = await open()
    await ask(service, { headers: { accept: '*/*' } })
    await ask(service, { headers: { 'content-type': 'application/json' } })
    await ask(service, { method: 'PUT' })
    expect(service.complaints).toHaveLength(3)
  })

  it.each<[string, Changes]>([
    ['no X-Request-Id', { headers: { 'x-request-id': '' } }],
    ['an X-Request-Id that is no UUID', { headers: { 'x-request-id': '1' } }],
    ['no Content-Type', { headers: { 'content-type': '' } }],
    ['callbackUrl', { method: 'POST', body: '{"event":"A","callbackUrl":"https://a.example/"}' }],
    ['no event', { method: 'POST', body: '{"callbackURL":"https://a.example/"}' }],
    ['an id', { method: 'POST', body: '{"event":"A","callbackURL":"https://a.example/","id":1}' }],
    ['DELETE with a body', { method: 'DELETE', body: '{}' }],
  ])('rejects a webhook operation with %s', async (_name, changes) => {
    const { service, accessToken } = await open()
    expect(await call(`${service.url}/svc/v1.2/webhooks`, accessToken, changes)).toBe(400)
    expect(service.complaints).toHaveLength(1)
  })

  it('responds with 409 to an X-Request-Id that was used, also by a GET and in capitals', async () => {
    const { service, accessToken } = await open()
    const statuses: number[] = []
    for (const id of [ID, ID, ID.toUpperCase()]) {
      const headers = { 'x-request-id': id }
      statuses.push(await call(`${service.url}/svc/v1.2/webhooks`, accessToken, { headers }))
    }
    expect(statuses).toEqual([200, 409, 409])
  })

  it.each([
    ['valid', 200, 200],
    ['expired', 401, 401],
    ['invalid', 401, 404],
  ] as const)(
    'responds to a token that is %s: hello %i, a webhook operation %i',
    async (state, hello, list) => {
      const { service, accessToken } = await open()
      service.grants.setAccessTokens(state)
      expect(await call(`${service.url}/svc/v1.0/hello`, accessToken)).toBe(hello)
      expect(await call(`${service.url}/svc/v1.2/webhooks`, accessToken)).toBe(list)
    },
  )
})
