import { describe, expect, it } from 'vitest'
import { ApiError, NetworkError, TokenError } from '../../../src/client/index.ts'
import { flood, respond, type Step, toResponse } from '../exchange.ts'
import { clientOf, failureOf, openClient, openService, shown } from '../open-client.ts'

const thing = '/svc/v1.0/thing'
const call = (path = thing) => ({ method: 'GET', path }) as const

describe('a redirect', () => {
  const statuses = [300, 301, 302, 303, 305, 307, 308]

  it.each(statuses)('of a call is rejected, and no token goes along: %i', async (status) => {
    const [service, witness] = [await openService(), await openService()]
    service.on(`GET ${thing}`, respond(status, 'moved', { location: `${witness.url}${thing}` }))
    expect(await failureOf(clientOf(service).request(call()))).toMatchObject({
      code: 'redirect_rejected',
      status,
    })
    expect(witness.requests).toEqual([])
    expect(service.calls).toHaveLength(1)
  })

  it.each(statuses)('of the token endpoint is rejected, and no secret goes along: %i', async (status) => {
    const [service, witness] = [await openService(), await openService()]
    service.on('POST /oauth/token', respond(status, '', { location: `${witness.url}/oauth/token` }))
    expect(await failureOf(clientOf(service).token())).toMatchObject({
      code: 'token_endpoint_failed',
      status,
    })
    expect(witness.requests).toEqual([])
    expect(service.requests).toHaveLength(1)
  })
})

describe('the body of an error', () => {
  const bodies: [string, string | Uint8Array, unknown][] = [
    [
      'the one shape',
      '{"code":7,"message":"m","logTag":"l","timestamp":"t"}',
      { code: 7, message: 'm', logTag: 'l', timestamp: 't' },
    ],
    [
      'the other shape',
      '{"code":7,"error":"e","message":"m","timestamp":"t"}',
      { code: 7, error: 'e', message: 'm', timestamp: 't' },
    ],
    ['JSON with a long number', '{"code":12345678901234567890}', { code: '12345678901234567890' }],
    ['a list', '[1]', [1]],
    ['a number', '5', 5],
    ['null', 'null', null],
    ['text', 'Something failed', 'Something failed'],
    ['HTML', '<!doctype html><h1>502</h1>', '<!doctype html><h1>502</h1>'],
    ['half of JSON', '{"code":', '{"code":'],
    ['nothing', '', undefined],
  ]

  it.each(bodies)('is kept as it came: %s', async (_name, body, expected) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(400, body))
    const error = await failureOf(client.request(call()))
    expect(error).toBeInstanceOf(ApiError)
    expect(error.status).toBe(400)
    expect(error.body).toEqual(expected)
  })

  it('of the token endpoint is not in the error, but its OAuth error and its reason are', async () => {
    const { service, client } = await openClient()
    const said = { error: 'invalid_scope', error_description: 'the scope is all', account: 'of Mr Smith' }
    service.on('POST /oauth/token', respond(400, said))
    const error = await failureOf(client.token())
    expect(error).toMatchObject({ code: 'grant_rejected', oauthError: 'invalid_scope' })
    expect(error.message).toContain('responded with 400: the scope is all.')
    expect(error).not.toHaveProperty('body')
    expect(shown(error)).not.toContain('Smith')
  })

  it('asks at an HTML page with 403 whether the address of this machine is admitted', async () => {
    const { service, client } = await openClient()
    for (const call of ['POST /oauth/token', `GET ${thing}`]) {
      service.on(call, respond(403, '<html>'))
      const error = await failureOf(client.request({ method: 'GET', path: thing }))
      expect(error.message).toContain('403')
      expect(error.message).toContain('Is the address of this machine admitted by the service?')
    }
  })

  it.each(['', 'Something failed', '<h1>502</h1>', '[1]', '{"error":5}', '{"code":'])(
    'of the token endpoint has no OAuth error: %j',
    async (body) => {
      const { service, client } = await openClient()
      service.on('POST /oauth/token', respond(400, body))
      expect(await failureOf(client.token())).toMatchObject({
        code: 'grant_rejected',
        status: 400,
        oauthError: undefined,
      })
    },
  )

  it.each([400, 401, 404, 500])('that is not UTF-8 is an ApiError still: %i', async (status) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, Array(3).fill(respond(status, Buffer.from([0xff, 0xfe, 0x00, 0xc3]))))
    expect(await failureOf(client.request(call()))).toMatchObject({ name: 'ApiError', status })
  })

  it.each([
    [{ code: 400, message: 'no such kind', account: 'of Mr Smith' }, ' got a 400: no such kind. '],
    [{ error: 'invalid_request', error_description: 'no kind' }, ' got a 400: no kind. '],
    [{ message: 'two\r\nlines' }, ' got a 400: two%0D%0Alines. '],
    [{ message: 'x'.repeat(5_000) }, ` got a 400: ${'x'.repeat(200)}. `],
    [{ message: { not: 'text' } }, ' got a 400. '],
    ['of Mr Smith', ' got a 400. '],
  ])('has its reason in the message, and no more: %j', async (body, part) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(400, body))
    const error = await failureOf(client.request(call()))
    expect(error.message).toContain(part)
    expect(error.message).not.toContain('Smith')
  })
})

describe('a response that is too large', () => {
  const large: [string, Step][] = [
    ['declared', respond(200, `"${'x'.repeat(2_000)}"`)],
    ['in pieces', flood(500_000)],
    ['without end', flood(Number.POSITIVE_INFINITY)],
  ]

  it.each(large)('%s is cut off', async (_name, step) => {
    const service = await openService()
    service.on(`GET ${thing}`, step)
    expect(await failureOf(clientOf(service, { maxResponseBytes: 1_000 }).request(call()))).toMatchObject({
      code: 'response_invalid',
      status: 502,
    })
    expect(service.calls).toHaveLength(1)
  })

  it.each(large)('%s of the token endpoint is cut off', async (_name, step) => {
    const service = await openService()
    service.on('POST /oauth/token', Array(3).fill(step))
    expect(await failureOf(clientOf(service, { maxResponseBytes: 1_000 }).token())).toMatchObject({
      code: 'token_response_invalid',
    })
  })

  it('closes its connection', async () => {
    const service = await openService()
    const closed = Promise.withResolvers<void>()
    service.on(`GET ${thing}`, (exchange) => {
      exchange.response.on('close', () => closed.resolve())
      return flood(Number.POSITIVE_INFINITY)(exchange)
    })
    await failureOf(clientOf(service, { maxResponseBytes: 1_000 }).request(call()))
    await closed.promise
  })

  it('by one byte', async () => {
    const service = await openService({ hello: toResponse(200, `"${'x'.repeat(498)}"`) })
    expect(await clientOf(service, { maxResponseBytes: 500 }).hello()).toHaveLength(498)
    const error = await failureOf(clientOf(service, { maxResponseBytes: 499 }).hello())
    expect(error.code).toBe('response_invalid')
  })

  it('counts bytes after decompression', async () => {
    const { gzipSync } = await import('node:zlib')
    const service = await openService()
    const bomb = gzipSync(`"${'x'.repeat(5_000_000)}"`)
    service.on(`GET ${thing}`, respond(200, bomb, { 'content-encoding': 'gzip' }))
    expect(await failureOf(clientOf(service, { maxResponseBytes: 100_000 }).request(call()))).toMatchObject({
      code: 'response_invalid',
      status: 502,
    })
  })
})

describe('an error', () => {
  it.each([200, 201, 299])('for an unreadable success does not have its status: %i', async (status) => {
    const service = await openService()
    service.on('GET /svc/v1.2/webhooks*', Array(3).fill(respond(status, [[]])))
    service.on(`GET ${thing}`, respond(status, 'x'.repeat(2_000)))
    const { webhooks, request } = clientOf(service, { maxResponseBytes: 1_000 })
    for (const failing of [
      () => webhooks.list(),
      () => webhooks.get('1'),
      () => webhooks.update('1', { event: 'A' }),
      () => request(call()),
    ]) {
      expect(await failureOf(failing())).toMatchObject({ code: 'response_invalid', status: 502 })
    }
  })

  it.each([401, 404, 409, 429, 503])('has expose false, whatever its status: %i', (status) => {
    for (const error of [
      new ApiError('request_rejected', 'made', { status }),
      new TokenError('grant_rejected', 'made', { status }),
      new NetworkError('network_failed', 'made', { mayHaveArrived: false }),
    ]) {
      expect(error.expose).toBe(false)
    }
  })
})

describe('a success', () => {
  it.each<[string, string | Uint8Array, unknown]>([
    ['JSON without a type', '{"a":1}', { a: 1 }],
    ['JSON after a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['JSON with space around', ' \n{"a":1}\n', { a: 1 }],
    ['text', 'ok', 'ok'],
    ['nothing', '', undefined],
    ['numbers', '[1e400,9007199254740993,0.1]', ['1e400', '9007199254740993', 0.1]],
  ])('may be %s', async (_name, body, expected) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(200, body))
    expect(await client.request(call())).toEqual(expected)
  })
})
