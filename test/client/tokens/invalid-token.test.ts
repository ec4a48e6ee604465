import { describe, expect, it } from 'vitest'
import { cutBefore, pass, respond, type ServiceResponse, type Step, toResponse } from '../exchange.ts'
import { failureOf, openClient, openClientHolding, openScripted, openUserClient } from '../open-client.ts'

const hello = 'GET /svc/v1.0/hello'
const token = 'POST /oauth/token'
const thing = 'GET /svc/v1.0/thing'
const get = { method: 'GET', path: '/svc/v1.0/thing' }
const configuration = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }

/** Ways to say that a token is invalid. */
const invalid: [string, ServiceResponse][] = [
  ['a message', toResponse(401, { code: 401, message: 'Invalid token' })],
  ['an error code', toResponse(401, { error: 'invalid_token' })],
  ['text', toResponse(401, 'INVALID TOKEN')],
  ['a header', toResponse(401, undefined, { 'www-authenticate': 'Bearer realm="x", error="invalid_token"' })],
  ['a 400', toResponse(400, { code: 7, error: 'Bad Request', message: 'Invalid token: abc' })],
  ['a 403', toResponse(403, { error: 'invalid_token' })],
]

const routes = (service: { requests: readonly { method: string; path: string }[] }) =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

describe('404 on a webhook operation', () => {
  it('is not found if hello accepts the token', async () => {
    const { service, client } = await openClient()
    const error = await failureOf(client.webhooks.delete('999'))
    expect(error).toMatchObject({ code: 'not_found', status: 404, body: { message: 'Not found' } })
    expect(error.requestId).toBe(service.requests[1]?.headers['x-request-id'])
    expect(routes(service)).toEqual([token, 'DELETE /svc/v1.2/webhooks/999', hello])
  })

  it('gets a new token if hello gets a 404 as well', async () => {
    const { service, client } = await openClientHolding('invalid', { invalidToken: toResponse(404) })
    expect(await client.webhooks.create(configuration)).toMatchObject({ id: '101' })
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it('refreshes the token if hello says that it expired', async () => {
    const { service, client } = await openClientHolding('expired', { expiredToken: toResponse(404) })
    service.on(hello, respond(401, { message: 'expired' }))
    expect(await client.webhooks.list()).toEqual([])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })
})

describe('a hello that does not reject the token', () => {
  it.each<[string, Step]>([
    ['200', pass],
    ['429', respond(429, 'later')],
    ['503', respond(503)],
    ['403', respond(403, 'not for you')],
    ['404', respond(404)],
    ['nothing', cutBefore],
  ])('and responds with %s: a 401 is renewed once, and the call repeated', async (_name, step) => {
    const { service, client } = await openScripted(thing, [respond(401, { error: 'invalid_token' }), pass])
    service.on(hello, Array(9).fill(step))
    expect(await client.request(get)).toMatchObject({ path: get.path })
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    service.on(thing, Array(9).fill(respond(401, { error: 'invalid_token' })))
    expect(await failureOf(client.request(get))).toMatchObject({ code: 'unauthorized', status: 401 })
    expect(service.calls.filter((route) => route !== hello)).toEqual([thing, thing, thing, thing])
    expect(service.grantTypes).toHaveLength(3)
  })

  it('because it cannot be reached is the cause of the not_found error', async () => {
    const { service, webhooks } = await openScripted(hello, Array(9).fill(cutBefore))
    for (const call of [() => webhooks.delete('999'), () => webhooks.update('999', configuration)]) {
      const error = await failureOf(call())
      expect(error).toMatchObject({ code: 'not_found', status: 404, body: { message: 'Not found' } })
      expect(error.requestId).toBeDefined()
      expect(error.cause).toMatchObject({ code: 'network_failed' })
    }
    expect(service.calls.filter((route) => route === hello)).toHaveLength(6)
    expect(service.grantTypes).toEqual(['client_credentials'])
  })
})

describe('an Invalid token response', () => {
  it.each(invalid)('as %s has the token verified, then a new one granted', async (_name, said) => {
    const { service, client } = await openClientHolding('invalid', { invalidToken: said })
    await client.request(get)
    expect(service.calls).toEqual([thing, hello, thing])
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it('to a user whose refresh is rejected requires consent', async () => {
    const { service, client } = await openUserClient()
    service.grants.setAccessTokens('invalid')
    service.grants.revokeRefreshTokens()
    expect(await failureOf(client.request(get))).toMatchObject({ code: 'consent_required' })
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('with the status 503 is a failure of the service, and verifies no token', async () => {
    const { service, client } = await openScripted(
      thing,
      Array(3).fill(respond(503, { message: 'Invalid token store' })),
    )
    expect(await failureOf(client.request(get))).toMatchObject({ code: 'service_failed', status: 503 })
    expect(service.calls).toEqual([thing, thing, thing])
    expect(service.grantTypes).toEqual(['client_credentials'])
  })
})
