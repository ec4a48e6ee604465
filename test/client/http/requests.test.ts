import { describe, expect, it, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/index.ts'
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
import { clientOf, failureOf, openClient, openScripted, openService, storeWithToken } from '../open-client.ts'

const thing = '/svc/v1.0/thing'
const id = '0b8f7b1e-7c1c-4a5e-9d7b-0123456789ab'
const get = { method: 'GET', path: thing }
// Not in TypeScript's library.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }

describe('request', () => {
  it("can be replaced in tests, with a test framework's spy", async () => {
    const { client } = await openClient()
    vi.spyOn(client, 'request').mockResolvedValue({ status: 'Complete' })
    vi.spyOn(client.webhooks, 'list').mockResolvedValue([])
    expect(await client.request(get)).toEqual({ status: 'Complete' })
    expect(await client.webhooks.list()).toEqual([])
  })

  it('sends the request and resolves to the parsed body', async () => {
    const { service, client } = await openScripted(
      `POST ${thing}`,
      respond(200, '{"id":9007199254740993,"amount":12.5}'),
    )
    const responded = await client.request({
      method: 'POST',
      path: thing,
      query: { q: 'a b&c=d/é', n: '1' },
      body: { text: 'é', list: [1, null, rawJSON('12345678901234567.89')] },
      requestId: id,
    })
    expect(responded).toEqual({ id: '9007199254740993', amount: 12.5 })
    const request = service.requests[1]
    expect([...(request?.query ?? [])]).toEqual([
      ['q', 'a b&c=d/é'],
      ['n', '1'],
    ])
    expect(request?.body).toBe('{"text":"é","list":[1,null,12345678901234567.89]}')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': id,
      authorization: `Bearer ${service.grants.accessTokens[0]}`,
    })
  })

  it.each([null, 'a=1', new URLSearchParams('a=1'), new Map([['a', 1]])])(
    'with %j as its query is a TypeError',
    async (query) => {
      const { client } = await openClient()
      await expect(client.request({ method: 'GET', path: thing, query } as never)).rejects.toThrow(
        new TypeError('"query" must be an object of names and values'),
      )
    },
  )

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
    [400, 'request_rejected', 1],
    [402, 'request_rejected', 1],
    [403, 'request_rejected', 1],
    [404, 'not_found', 1],
    [408, 'request_rejected', 3],
    [409, 'conflict', 1],
    [422, 'request_rejected', 1],
    [425, 'request_rejected', 3],
    [429, 'rate_limited', 3],
    [500, 'service_failed', 3],
    [501, 'service_failed', 1],
    [502, 'service_failed', 3],
    [503, 'service_failed', 3],
    [504, 'service_failed', 3],
    [599, 'service_failed', 1],
  ])('%i is %s, after %i attempts', async (status, code, attempts) => {
    const { service, client } = await openClient()
    const body = { code: 1, message: 'm' }
    service.on(`GET ${thing}`, Array(4).fill(respond(status, body)))
    const error = await failureOf(client.request({ ...get, requestId: id }))
    expect(error).toMatchObject({ name: 'ApiError', status, code, body, requestId: id })
    expect(service.calls).toHaveLength(attempts)
  })

  it.each([200, 201, 202, 204, 205, 206, 226])('%i is a success', async (status) => {
    const { service, client } = await openClient()
    const body = status === 204 || status === 205 ? undefined : { ok: true }
    service.on(`POST ${thing}`, respond(status, body))
    expect(await client.request({ method: 'POST', path: thing })).toEqual(body)
  })
})

describe('attempts', () => {
  it.each<[string, Step]>([
    ['no connection', cutBefore],
    ['a response that is lost', applyThenCut],
    ['a response that breaks off', cutInBody],
  ])('are repeated after %s, until there are none left', async (_name, step) => {
    const { service, client } = await openScripted(`GET ${thing}`, step)
    expect(await client.request(get)).toMatchObject({ path: thing })
    expect(service.calls).toHaveLength(2)
    service.on(`GET ${thing}`, [step, step, step])
    expect(await failureOf(client.request(get))).toMatchObject({
      name: 'NetworkError',
      code: 'network_failed',
    })
    expect(service.calls).toHaveLength(5)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('of %s are repeated', async (method) => {
    const { service, client } = await openScripted(`${method} ${thing}`, [respond(503), cutBefore])
    await client.request({ method, path: thing })
    expect(service.calls).toEqual(Array(3).fill(`${method} ${thing}`))
  })

  it.each(['POST', 'PATCH'])(
    'of %s are repeated after 429, not once they may have arrived',
    async (method) => {
      const busy = await openClient()
      busy.service.on(`${method} ${thing}`, respond(429))
      await busy.client.request({ method, path: thing, body: {} })
      expect(busy.service.calls).toEqual(Array(2).fill(`${method} ${thing}`))
      for (const step of [respond(503), cutBefore, applyThenCut, cutInBody]) {
        const { service, client } = await openScripted(`${method} ${thing}`, step)
        await failureOf(client.request({ method, path: thing, body: {} }))
        expect(service.calls).toEqual([`${method} ${thing}`])
      }
    },
  )
})

describe('the wait between attempts', () => {
  const arrivals: number[] = []
  const noted = (step?: Step) => noting(() => arrivals.push(performance.now()), step)

  it('is capped, however often it doubles', async () => {
    const longest = { maxRetries: 6, retryDelayMs: 2 ** 31 - 1, maxRetryDelayMs: 1 }
    const { service, client } = await openClient({}, longest)
    service.on(`GET ${thing}`, Array(6).fill(respond(503)))
    expect(await client.request(get)).toMatchObject({ path: thing })
  })

  it('doubles', async () => {
    const { service, client } = await openClient({}, { maxRetries: 3, retryDelayMs: 40 })
    arrivals.length = 0
    service.on(`GET ${thing}`, [...Array(3).fill(noted(respond(503))), noted()])
    await client.request(get)
    const [first = 0, , third = 0, fourth = 0] = arrivals
    // With half of it left off at most: 20, 40, 80; timers may fire a millisecond early.
    expect(fourth - third).toBeGreaterThan(75)
    expect(fourth - first).toBeGreaterThan(135)
  })

  it('is what Retry-After says', async () => {
    const { service, client } = await openClient()
    arrivals.length = 0
    service.on(`GET ${thing}`, [noted(respond(429, '', { 'retry-after': '1' })), noted()])
    await client.request(get)
    const [first = 0, second = 0] = arrivals
    expect(second - first).toBeGreaterThan(950)
  })

  it.each(['0', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon', '-5', ''])(
    'is no longer than its own with Retry-After: %s',
    async (retryAfter) => {
      const { client } = await openScripted(`GET ${thing}`, respond(503, '', { 'retry-after': retryAfter }))
      expect(await client.request(get)).toMatchObject({ path: thing })
    },
  )

  it.each([
    ['1.5', undefined],
    ['-1', undefined],
    ['+5', undefined],
    ['1, 2', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('in Retry-After: %s is %s in the error', async (retryAfter, retryAfterMs) => {
    const { service, client } = await openClient()
    const busy = respond(503, '', { 'retry-after': retryAfter })
    service.on(`GET ${thing}`, [busy, busy, busy])
    expect(await failureOf(client.request(get))).toMatchObject({ status: 503, retryAfterMs })
  })

  it.each([
    ['31', 429, 31_000],
    ['31', 503, 31_000],
    ['99999999999999999999', 429, 1e23],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 429, expect.any(Number)],
  ])('fails at once if Retry-After: %s is too long', async (retryAfter, status, retryAfterMs) => {
    const { service, client } = await openScripted(
      `GET ${thing}`,
      respond(status, 'busy', { 'retry-after': retryAfter }),
    )
    expect(await failureOf(client.request(get))).toMatchObject({ status, body: 'busy', retryAfterMs })
    expect(service.calls).toHaveLength(1)
  })

  it.each([
    ['Fri, 01 Jan 2099 00:00:00 GMT', 'Fri, 01 Jan 2099 00:00:00 GMT', 2],
    ['Fri, 01 Jan 1999 00:00:00 GMT', 'Fri, 01 Jan 1999 01:00:00 GMT', 1],
  ])('counts from the Date of the response, %s, to Retry-After: %s', async (date, retryAfter, attempts) => {
    const { service, client } = await openScripted(
      `GET ${thing}`,
      respond(429, '', { date, 'retry-after': retryAfter }),
    )
    await client.request(get).catch(() => {})
    expect(service.calls).toHaveLength(attempts)
  })

  it('counts from the clock of the client, if the response has no Date', async () => {
    const { service, webhooks } = await openClient(
      {},
      { now: () => Date.UTC(1999, 0, 1), maxRetryDelayMs: 1 },
    )
    const retryAfter = 'Fri, 01 Jan 1999 00:01:00 GMT'
    service.on('GET *', respond(429, '', { date: 'unknown', 'retry-after': retryAfter }))
    expect(await failureOf(webhooks.list())).toMatchObject({ retryAfterMs: 60_000 })
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
  /** A client that has a token and counts what it sends: the service may not have seen what is given up. */
  async function openHasty(options: Partial<ClientOptions>) {
    const service = await openService()
    const tokenStore = await storeWithToken(service)
    const sent: string[] = []
    const counting: typeof fetch = async (...call) => {
      sent.push(new URL(String(call[0])).pathname)
      return await fetch(...call)
    }
    return { service, sent, client: clientOf(service, { tokenStore, fetch: counting, ...options }) }
  }

  it.each<[string, Step]>([
    ['no response', hang],
    ['a body that stops', stallInBody],
    ['a body without end', drip()],
  ])('is given up: %s', async (_name, step) => {
    const { service, sent, client } = await openHasty({ maxRetries: 1, timeoutMs: 60 })
    service.on('*', Array(4).fill(step))
    const error = await failureOf(client.request({ ...get, requestId: id }))
    expect(error).toMatchObject({ code: 'network_timeout', requestId: id })
    expect(await failureOf(client.refresh())).toMatchObject({ code: 'network_timeout' })
    expect(sent).toEqual([thing, thing, '/oauth/token', '/oauth/token'])
  })

  it('closes its connection', async () => {
    const { service, client } = await openHasty({ maxRetries: 0, timeoutMs: 60 })
    const closed = Promise.withResolvers<void>()
    let hasArrived = false
    service.on(`GET ${thing}`, ({ response }) => {
      hasArrived = true
      response.on('close', () => closed.resolve())
    })
    // A busy machine may not have sent it by then.
    while (!hasArrived) await failureOf(client.request(get))
    await closed.promise
  })

  it('of a POST is not repeated', async () => {
    const { service, sent, client } = await openHasty({ timeoutMs: 60 })
    service.on(`POST ${thing}`, Array(3).fill(hang))
    const error = await failureOf(client.request({ method: 'POST', path: thing }))
    expect(error).toMatchObject({ code: 'network_timeout', mayHaveArrived: true })
    expect(sent).toEqual([thing])
  })
})
