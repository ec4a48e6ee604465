import { describe, expect, it } from 'vitest'
import { ApiError, createMemoryTokenStore, NetworkError } from '../../../src/client/index.ts'
import {
  applyThenCut,
  cutBefore,
  cutInBody,
  drip,
  hang,
  noting,
  respond,
  type Step,
  stallInBody,
} from '../exchange.ts'
import { clientOf, failureOf, openClient, openService } from '../open-client.ts'

const thing = '/svc/v1.0/thing'
const id = '0b8f7b1e-7c1c-4a5e-9d7b-0123456789ab'

describe('request', () => {
  it('sends the request and resolves to the parsed body', async () => {
    const { service, client } = await openClient()
    service.on(`POST ${thing}`, respond(200, '{"id":9007199254740993,"amount":12.5}'))
    const responded = await client.request({
      method: 'POST',
      path: thing,
      query: { q: 'a b&c=d/é', n: '1' },
      body: { text: 'é', list: [1, null] },
      requestId: id,
    })
    expect(responded).toEqual({ id: '9007199254740993', amount: 12.5 })
    const request = service.requests[1]
    expect([...(request?.query ?? [])]).toEqual([
      ['q', 'a b&c=d/é'],
      ['n', '1'],
    ])
    expect(request?.body).toBe('{"text":"é","list":[1,null]}')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': id,
      authorization: `Bearer ${service.grants.accessTokens[0]}`,
    })
  })

  it.each([null, {}, [null], new Date(0)])('with %j in its query is a TypeError', async (value) => {
    const { client } = await openClient()
    const call = client.request({ method: 'GET', path: thing, query: { after: value } } as never)
    await expect(call).rejects.toThrow(new TypeError('"query.after" must not be null or an object'))
  })

  it('sends no body if there is none, and its Content-Type', async () => {
    const { service, client } = await openClient()
    await client.request({ method: 'GET', path: thing })
    expect(service.requests[1]).toMatchObject({ url: thing, body: '' })
    expect(service.requests[1]?.headers).not.toHaveProperty('cookie')
    // The webhook operations require it, also without a body.
    expect(service.requests[1]?.headers['content-type']).toBe('application/json')
  })

  it.each([0, false, null, ''])('sends %j as a body', async (body) => {
    const { service, client } = await openClient()
    await client.request({ method: 'PUT', path: thing, body })
    expect(service.requests[1]?.body).toBe(JSON.stringify(body))
  })

  it.each([
    [{}, 'method'],
    [{ method: 'GET' }, 'path'],
    [{ method: 'G ET', path: thing }, 'method'],
    [{ method: 'GET', path: thing, requestId: 'a\r\nb: c' }, 'requestId'],
    [{ method: 'GET', path: thing, requestId: 5 }, 'requestId'],
    [{ method: 'GET', path: thing, body: 1 }, 'body'],
    [{ method: 'POST', path: thing, body: 1n }, ''],
    [{ method: 'GET', path: thing, header: {} }, 'header'],
  ])('rejects %o', async (options, message) => {
    const { service, client } = await openClient()
    const outcome = (async () => client.request(options as never))()
    await expect(outcome).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
    )
    expect(service.calls).toEqual([])
  })
})

describe('statuses', () => {
  it.each([
    [400, 'request_rejected'],
    [402, 'request_rejected'],
    [403, 'request_rejected'],
    [404, 'not_found'],
    [409, 'conflict'],
    [410, 'request_rejected'],
    [422, 'request_rejected'],
    [429, 'rate_limited'],
    [500, 'service_failed'],
    [501, 'service_failed'],
    [599, 'service_failed'],
  ])('%i is %s', async (status, code) => {
    const service = await openService()
    service.on(`GET ${thing}`, respond(status, { code: 1, message: 'm' }))
    const call = clientOf(service, { maxRetries: 0 }).request({ method: 'GET', path: thing, requestId: id })
    expect(await failureOf(call)).toMatchObject({
      name: 'ApiError',
      status,
      code,
      body: { code: 1, message: 'm' },
      requestId: id,
    })
    expect(service.calls).toHaveLength(1)
  })

  it.each([200, 201, 202, 203, 206, 226])('%i is a success', async (status) => {
    const { service, client } = await openClient()
    service.on(`POST ${thing}`, respond(status, { ok: true }))
    expect(await client.request({ method: 'POST', path: thing })).toEqual({ ok: true })
  })

  it.each([204, 205])('%i is a success without a value', async (status) => {
    const { service, client } = await openClient()
    service.on(`DELETE ${thing}`, respond(status))
    expect(await client.request({ method: 'DELETE', path: thing })).toBeUndefined()
  })
})

describe('attempts', () => {
  const faults: [string, Step, string][] = [
    ['no connection', cutBefore, 'network_failed'],
    ['a response that is lost', applyThenCut, 'network_failed'],
    ['a response that breaks off', cutInBody, 'network_failed'],
    ['500', respond(500), 'service_failed'],
    ['503', respond(503, 'later'), 'service_failed'],
    ['429', respond(429), 'rate_limited'],
  ]

  it.each(faults)('are repeated after %s, and the second may succeed', async (_name, step) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, step)
    expect(await client.request({ method: 'GET', path: thing })).toMatchObject({ path: thing })
    expect(service.calls).toHaveLength(2)
  })

  it.each(faults)('come to an end after %s', async (_name, step, code) => {
    const service = await openService()
    service.on(`GET ${thing}`, Array(20).fill(step))
    const error = await failureOf(
      clientOf(service, { maxRetries: 4 }).request({ method: 'GET', path: thing }),
    )
    expect(error.code).toBe(code)
    expect(error).toBeInstanceOf(code === 'network_failed' ? NetworkError : ApiError)
    expect(service.calls).toHaveLength(5)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('of %s are repeated', async (method) => {
    const { service, client } = await openClient()
    service.on(`${method} ${thing}`, [respond(503), cutBefore])
    await client.request({ method, path: thing } as never)
    expect(service.calls).toEqual(Array(3).fill(`${method} ${thing}`))
  })

  it.each(['POST', 'PATCH'])('of %s are not repeated once they may have arrived', async (method) => {
    for (const step of [respond(503), cutBefore, applyThenCut, cutInBody]) {
      const { service, client } = await openClient()
      service.on(`${method} ${thing}`, step)
      await failureOf(client.request({ method, path: thing, body: {} } as never))
      expect(service.calls).toEqual([`${method} ${thing}`])
    }
  })

  it.each(['POST', 'PATCH'])('of %s are repeated after 429', async (method) => {
    const { service, client } = await openClient()
    service.on(`${method} ${thing}`, respond(429))
    await client.request({ method, path: thing, body: {} } as never)
    expect(service.calls).toEqual([`${method} ${thing}`, `${method} ${thing}`])
  })

  it('carry the same X-Request-Id and body', async () => {
    const { service, client } = await openClient()
    service.on(`PUT ${thing}`, [respond(503), cutBefore])
    await client.request({ method: 'PUT', path: thing, requestId: id, body: { a: 1 } })
    const sent = service.requests.slice(1)
    expect(sent.map(({ headers }) => headers['x-request-id'])).toEqual([id, id, id])
    expect(sent.map(({ body }) => body)).toEqual(Array(3).fill('{"a":1}'))
  })

  it.each([400, 403, 404, 409, 410, 422])('are one after %i', async (status) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(status))
    await failureOf(client.request({ method: 'GET', path: thing }))
    expect(service.calls).toHaveLength(1)
  })
})

describe('the wait between attempts', () => {
  it('is capped, however often it doubles', async () => {
    const service = await openService()
    service.on(`GET ${thing}`, Array(6).fill(respond(503)))
    const client = clientOf(service, { maxRetries: 6, retryDelayMs: 2 ** 31 - 1, maxRetryDelayMs: 1 })
    expect(await client.request({ method: 'GET', path: thing })).toMatchObject({ path: thing })
  })

  it('doubles', async () => {
    const service = await openService()
    const arrivals: number[] = []
    const late = noting(() => arrivals.push(performance.now()), respond(503))
    service.on(`GET ${thing}`, [late, late, late, noting(() => arrivals.push(performance.now()))])
    await clientOf(service, { maxRetries: 3, retryDelayMs: 40 }).request({ method: 'GET', path: thing })
    const [first = 0, , third = 0, fourth = 0] = arrivals
    // With half of it left off at most: 20, 40, 80; timers may fire a millisecond early.
    expect(fourth - third).toBeGreaterThan(75)
    expect(fourth - first).toBeGreaterThan(135)
  })

  it('is what Retry-After says', async () => {
    const { service, client } = await openClient()
    const arrivals: number[] = []
    service.on(`GET ${thing}`, [
      noting(() => arrivals.push(performance.now()), respond(429, '', { 'retry-after': '1' })),
      noting(() => arrivals.push(performance.now())),
    ])
    await client.request({ method: 'GET', path: thing })
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(950)
  })

  it.each([
    ['0', 429],
    ['0', 503],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 429],
    ['soon', 429],
    ['-5', 429],
    ['', 503],
  ])('is no longer than its own with Retry-After: %s', async (retryAfter, status) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(status, '', { 'retry-after': retryAfter }))
    expect(await client.request({ method: 'GET', path: thing })).toMatchObject({ path: thing })
  })

  it.each([
    ['31', 429, 31_000],
    ['31', 503, 31_000],
    ['86400', 429, 86_400_000],
    ['99999999999999999999', 429, 1e23],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 429, expect.any(Number)],
  ])('fails at once if Retry-After: %s is too long', async (retryAfter, status, retryAfterMs) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(status, 'busy', { 'retry-after': retryAfter }))
    expect(await failureOf(client.request({ method: 'GET', path: thing }))).toMatchObject({
      status,
      body: 'busy',
      retryAfterMs,
    })
    expect(service.calls).toHaveLength(1)
  })

  it.each([
    ['Fri, 01 Jan 2099 00:00:00 GMT', 'Fri, 01 Jan 2099 00:00:00 GMT', 2],
    ['Fri, 01 Jan 1999 00:00:00 GMT', 'Fri, 01 Jan 1999 01:00:00 GMT', 1],
    // Where the response has no date, the client's clock is all there is.
    ['unknown', 'Fri, 01 Jan 1999 00:00:00 GMT', 2],
    ['unknown', 'Fri, 31 Dec 9999 23:59:59 GMT', 1],
  ])('counts from the Date of the response, %s, to Retry-After: %s', async (date, retryAfter, attempts) => {
    const { service, client } = await openClient()
    service.on(`GET ${thing}`, respond(429, '', { date, 'retry-after': retryAfter }))
    await client.request({ method: 'GET', path: thing }).catch(() => {})
    expect(service.calls).toHaveLength(attempts)
  })

  it('applies to the token endpoint as well', async () => {
    const service = await openService()
    service.on('POST /oauth/token', [respond(429, '', { 'retry-after': '0' }), respond(503)])
    await clientOf(service).token()
    service.on('POST /oauth/token', respond(503, '', { 'retry-after': '3600' }))
    expect(await failureOf(clientOf(service).token())).toMatchObject({ code: 'token_endpoint_failed' })
    expect(service.grantTypes).toHaveLength(4)
  })
})

describe('an attempt that takes too long', () => {
  const slow: [string, Step][] = [
    ['no response', hang],
    ['a body that stops', stallInBody],
    ['a body without end', drip()],
  ]

  // Counted where they are sent: on a busy machine one may be given up before the service has seen it.
  function countingFetch() {
    const sent: string[] = []
    const counting: typeof fetch = async (input, init) => {
      sent.push(new URL(input instanceof Request ? input.url : input).pathname)
      return await fetch(input, init)
    }
    return { sent, fetch: counting }
  }

  it.each(slow)('is given up: %s', async (_name, step) => {
    const service = await openService()
    service.on(`GET ${thing}`, Array(2).fill(step))
    const tokenStore = createMemoryTokenStore()
    await clientOf(service, { tokenStore }).token()
    const { sent, fetch } = countingFetch()
    const hasty = clientOf(service, { maxRetries: 1, timeoutMs: 60, tokenStore, fetch })
    expect(await failureOf(hasty.request({ method: 'GET', path: thing, requestId: id }))).toMatchObject({
      code: 'network_timeout',
      requestId: id,
    })
    expect(sent).toEqual([thing, thing])
  })

  it.each(slow)('is tried again: %s', async (_name, step) => {
    const service = await openService()
    service.on(`GET ${thing}`, step)
    expect(
      await clientOf(service, { timeoutMs: 250, maxRetries: 10 }).request({ method: 'GET', path: thing }),
    ).toMatchObject({ path: thing })
  })

  it.each(slow)('is given up at the token endpoint: %s', async (_name, step) => {
    const service = await openService()
    service.on('POST /oauth/token', Array(2).fill(step))
    const { sent, fetch } = countingFetch()
    expect(await failureOf(clientOf(service, { maxRetries: 1, timeoutMs: 60, fetch }).token())).toMatchObject(
      { code: 'network_timeout' },
    )
    expect(sent).toEqual(['/oauth/token', '/oauth/token'])
  })

  it('closes its connection', async () => {
    const service = await openService()
    const closed = Promise.withResolvers<void>()
    service.on(`GET ${thing}`, ({ response }) => void response.on('close', () => closed.resolve()))
    const tokenStore = createMemoryTokenStore()
    await clientOf(service, { tokenStore }).token()
    const client = clientOf(service, { tokenStore, maxRetries: 0, timeoutMs: 2_000 })
    await failureOf(client.request({ method: 'GET', path: thing }))
    await closed.promise
  })

  it('of a POST is not repeated', async () => {
    const service = await openService()
    service.on(`POST ${thing}`, Array(3).fill(hang))
    const tokenStore = createMemoryTokenStore()
    await clientOf(service, { tokenStore }).token()
    const { sent, fetch } = countingFetch()
    const client = clientOf(service, { timeoutMs: 60, tokenStore, fetch })
    expect(await failureOf(client.request({ method: 'POST', path: thing }))).toMatchObject({
      code: 'network_timeout',
    })
    expect(sent).toEqual([thing])
  })
})
