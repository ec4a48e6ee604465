import { describe, expect, it } from 'vitest'
import { ApiError, NetworkError, TokenError } from '../../../src/client/index.ts'
import { cutBefore, pass, respond, type ServiceResponse, type Step, toResponse } from '../exchange.ts'
import { clientOf, failureOf, openService, userClientOf } from '../open-client.ts'

const list = 'GET /svc/v1.2/webhooks'
const hello = 'GET /svc/v1.0/hello'
const token = 'POST /oauth/token'
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

it('a webhook operation that always gets a 401 renews its token once, and is unauthorized', async () => {
  const service = await openService()
  service.webhooks.add('VBA_TRANSACTION', 'https://a.example/old')
  const client = clientOf(service)
  const patch: Step = ({ apply, send }) => {
    const { status } = apply()
    send(status === 409 ? toResponse(409) : toResponse(401, { message: 'expired' }))
  }
  service.on('PATCH *', Array(9).fill(patch))
  const error = await failureOf(client.webhooks.update('101', configuration))
  expect(error).toMatchObject({ code: 'unauthorized', status: 401 })
  expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
})

describe('404 on a webhook operation', () => {
  it('is not found if hello accepts the token', async () => {
    const service = await openService()
    const error = await failureOf(clientOf(service).webhooks.delete('999'))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'not_found', status: 404, body: { message: 'Not found' } })
    expect(error.requestId).toBe(service.requests[1]?.headers['x-request-id'])
    expect(routes(service)).toEqual([token, 'DELETE /svc/v1.2/webhooks/999', hello])
  })

  it('gets a new token if hello rejects the token', async () => {
    const service = await openService({ spendsIdsOf: 'authorized' })
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await expect(client.webhooks.list()).resolves.toEqual([])
    expect(service.calls).toEqual([list, hello, list])
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it('gets a new token if hello gets a 404 as well', async () => {
    const service = await openService({ invalidToken: toResponse(404, { message: 'Not found' }) })
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await expect(client.webhooks.create(configuration)).resolves.toMatchObject({ id: '101' })
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it('refreshes the token if hello says that it expired', async () => {
    const service = await openService({ expiredToken: toResponse(404) })
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('expired')
    service.on(hello, respond(401, { message: 'expired' }))
    await expect(client.webhooks.list()).resolves.toEqual([])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it.each(['list', 'create', 'update', 'delete'] as const)('is handled by %s', async (operation) => {
    const service = await openService()
    const client = clientOf(service)
    service.webhooks.add('VBA_TRANSACTION', 'https://old.example/')
    await client.token()
    service.grants.setAccessTokens('invalid')
    const { webhooks } = client
    const calls = {
      list: () => webhooks.list(),
      create: () => webhooks.create(configuration),
      update: () => webhooks.update('101', configuration),
      delete: () => webhooks.delete('101'),
    }
    await calls[operation]()
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
    expect(service.webhooks.configurations).toHaveLength(operation === 'create' ? 2 : 1)
  })

  it('with a new token that is invalid too fails', async () => {
    const service = await openService()
    service.on('GET *', Array(20).fill(respond(404, { message: 'Not found' })))
    const error = await failureOf(clientOf(service).webhooks.list())
    expect(['not_found', 'unauthorized']).toContain(error.code)
    expect(service.requests.length).toBeLessThan(9)
  })

  it('refreshes the token of a user', async () => {
    const service = await openService({ rotatesRefreshTokens: true, spendsIdsOf: 'authorized' })
    const client = await userClientOf(service)
    service.grants.setAccessTokens('invalid')
    await expect(client.webhooks.list()).resolves.toEqual([])
    expect(service.calls).toEqual([list, hello, list])
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('requires consent if the refresh for a user is rejected', async () => {
    const service = await openService()
    const client = await userClientOf(service)
    service.grants.setAccessTokens('invalid')
    service.grants.revokeRefreshTokens()
    const error = await failureOf(client.webhooks.list())
    expect(error).toBeInstanceOf(TokenError)
    expect(error.code).toBe('consent_required')
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('outside the webhook operations is just a 404', async () => {
    const service = await openService()
    service.on('GET /svc/v1.0/nothing', respond(404, 'no'))
    const error = await failureOf(clientOf(service).request({ method: 'GET', path: '/svc/v1.0/nothing' }))
    expect(error).toMatchObject({ code: 'not_found', status: 404, body: 'no' })
    expect(service.calls).toEqual(['GET /svc/v1.0/nothing'])
  })

  it('is not found if hello fails', async () => {
    const service = await openService()
    const client = clientOf(service)
    service.on(hello, Array(9).fill(respond(503)))
    const error = await failureOf(client.webhooks.delete('999'))
    expect(['not_found', 'service_failed']).toContain(error.code)
  })
})

describe('a hello that does not reject the token', () => {
  const thing = 'GET /svc/v1.0/thing'
  const unsaid: [string, Step][] = [
    ['200', pass],
    ['429', respond(429, 'later')],
    ['503', respond(503)],
    ['403', respond(403, 'not for you')],
    ['404', respond(404)],
    ['nothing', cutBefore],
  ]

  it.each(unsaid)(
    'and responds with %s: a 401 is renewed once, and the call repeated',
    async (_name, step) => {
      const service = await openService()
      service.on(thing, respond(401, { error: 'invalid_token' }))
      service.on(hello, Array(3).fill(step))
      const client = clientOf(service)
      await expect(client.request({ method: 'GET', path: '/svc/v1.0/thing' })).resolves.toMatchObject({
        path: '/svc/v1.0/thing',
      })
      expect(service.calls.filter((route) => route !== hello)).toEqual([thing, thing])
      expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
    },
  )

  it.each(unsaid)('and responds with %s: a 401 for the second time is the end', async (_name, step) => {
    const service = await openService()
    service.on(thing, Array(9).fill(respond(401, { error: 'invalid_token' })))
    service.on(hello, Array(9).fill(step))
    const error = await failureOf(clientOf(service).request({ method: 'GET', path: '/svc/v1.0/thing' }))
    expect(error).toMatchObject({ name: 'ApiError', code: 'unauthorized', status: 401 })
    expect(service.calls.filter((route) => route !== hello)).toEqual([thing, thing])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })

  it.each(unsaid)('and responds with %s: a 401 to a user has the token refreshed', async (_name, step) => {
    const service = await openService()
    const client = await userClientOf(service)
    service.on(list, respond(401, { error: 'invalid_token' }))
    service.on(hello, Array(3).fill(step))
    await expect(client.webhooks.list()).resolves.toEqual([])
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('because it cannot be reached is the cause of the not_found error', async () => {
    const service = await openService()
    service.on(hello, Array(9).fill(cutBefore))
    const client = clientOf(service)
    for (const call of [
      () => client.webhooks.delete('999'),
      () => client.webhooks.update('999', configuration),
    ]) {
      const error = await failureOf(call())
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ code: 'not_found', status: 404, body: { message: 'Not found' } })
      expect(error.requestId).toBeDefined()
      expect(error.cause).toBeInstanceOf(NetworkError)
    }
    expect(service.grantTypes).toEqual(['client_credentials'])
  })
})

describe('an Invalid token response', () => {
  it.each(invalid)('as %s has the token verified, then a new one granted', async (_name, said) => {
    const service = await openService({ invalidToken: said })
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await client.request({ method: 'GET', path: '/svc/v1.0/thing' })
    expect(service.calls).toEqual(['GET /svc/v1.0/thing', hello, 'GET /svc/v1.0/thing'])
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it.each(invalid)('as %s to a user has the token refreshed', async (_name, said) => {
    const service = await openService({ invalidToken: said })
    const client = await userClientOf(service)
    service.grants.setAccessTokens('invalid')
    await client.request({ method: 'GET', path: '/svc/v1.0/thing' })
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('to a user whose refresh is rejected requires consent', async () => {
    const service = await openService()
    const client = await userClientOf(service)
    service.grants.setAccessTokens('invalid')
    service.grants.revokeRefreshTokens()
    const error = await failureOf(client.request({ method: 'GET', path: '/svc/v1.0/thing' }))
    expect(error).toMatchObject({ name: 'TokenError', code: 'consent_required' })
    expect(service.grantTypes).toEqual(['authorization_code', 'refresh_token'])
  })

  it('to a webhook operation gets a new token', async () => {
    const service = await openService({ unownedWebhook: toResponse(401, { message: 'Invalid token' }) })
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await expect(client.webhooks.create(configuration)).resolves.toMatchObject(configuration)
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
    expect(service.webhooks.configurations).toHaveLength(1)
  })

  it('of hello itself gets a new token', async () => {
    const service = await openService()
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await expect(client.hello()).resolves.toEqual({ hello: 'world' })
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })

  it.each([500, 503])(
    'with the status %i is a failure of the service, and verifies no token',
    async (status) => {
      const service = await openService()
      service.on('GET /svc/v1.0/thing', Array(3).fill(respond(status, { message: 'Invalid token store' })))
      const error = await failureOf(clientOf(service).request({ method: 'GET', path: '/svc/v1.0/thing' }))
      expect(error).toMatchObject({ name: 'ApiError', code: 'service_failed', status })
      expect(service.calls).toEqual(Array(3).fill('GET /svc/v1.0/thing'))
      expect(service.grantTypes).toEqual(['client_credentials'])
    },
  )

  it('again and again fails in the end', async () => {
    const service = await openService()
    service.on('GET *', Array(30).fill(respond(401, { message: 'Invalid token' })))
    const error = await failureOf(clientOf(service).request({ method: 'GET', path: '/svc/v1.0/thing' }))
    expect(error).toMatchObject({ name: 'ApiError', code: 'unauthorized', status: 401 })
    expect(service.requests.length).toBeLessThan(9)
  })

  it('to a token that hello accepts is an error of the call', async () => {
    const service = await openService()
    service.on('GET /svc/v1.0/thing', Array(9).fill(respond(403, { message: 'Invalid token' })))
    const error = await failureOf(clientOf(service).request({ method: 'GET', path: '/svc/v1.0/thing' }))
    expect(error).toMatchObject({ name: 'ApiError', status: 403 })
    expect(service.grantTypes.length).toBeLessThan(3)
  })

  it('to many calls at once gets one token', async () => {
    const service = await openService()
    const client = clientOf(service)
    await client.token()
    service.grants.setAccessTokens('invalid')
    await Promise.all(Array.from({ length: 20 }, () => client.webhooks.list()))
    expect(service.grantTypes).toEqual(['client_credentials', 'client_credentials'])
  })
})
