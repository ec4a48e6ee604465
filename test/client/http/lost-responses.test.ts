import { describe, expect, it } from 'vitest'
import type { Client } from '../../../src/client/index.ts'
import {
  applyThen,
  applyThenCut,
  applyThenHang,
  cutBefore,
  cutInBody,
  respond,
  type Step,
} from '../exchange.ts'
import { clientOf, failureOf, openClient, openScripted, openService } from '../open-client.ts'
import type { Service } from '../service-by-the-book.ts'

const thing = '/svc/v1.0/thing'
const POST = 'POST /svc/v1.2/webhooks'
const GET = 'GET /svc/v1.2/webhooks'
const PATCH = 'PATCH /svc/v1.2/webhooks/101'
const DELETE = 'DELETE /svc/v1.2/webhooks/101'
const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/hook?token=t' }

const ids = (service: Service, route: string) =>
  service.requests
    .filter(({ method, path }) => `${method} ${path}` === route)
    .map(({ headers }) => headers['x-request-id'])

const requesting =
  (isKept: boolean) =>
  (method: string): [string, string, (client: Client) => Promise<unknown>, boolean] => [
    method,
    `${method} ${thing}`,
    (client) => client.request({ method, path: thing }),
    isKept,
  ]

/** The id is spent, and nothing else is done. */
const spendThen = (service: Service, status: number): Step => {
  return ({ request, send }) => {
    service.webhooks.spendId(request)
    send({ status })
  }
}

/** Ways to lose a response after the work is done. */
const losses: [string, Step][] = [
  ['the connection is cut', applyThenCut],
  ['the body breaks off', cutInBody],
  ['502', applyThen(502, '<h1>Bad Gateway</h1>')],
]

describe('X-Request-Id', () => {
  it.each<[string, string, (client: Client) => Promise<unknown>, boolean]>([
    ['create', POST, ({ webhooks }) => webhooks.create(wanted), true],
    ...['PUT', 'DELETE'].map(requesting(true)),
    ['list', GET, ({ webhooks }) => webhooks.list(), false],
    ['update', PATCH, ({ webhooks }) => webhooks.update('101', wanted), false],
    ['delete', DELETE, ({ webhooks }) => webhooks.delete('101'), false],
    ...['GET', 'HEAD', 'OPTIONS'].map(requesting(false)),
  ])(
    'is a new one for each attempt of %s, unless it must not be done twice',
    async (_, route, call, isKept) => {
      const { service, client } = await openScripted(route, [respond(429), respond(401), cutBefore])
      service.webhooks.add('VBA_TRANSACTION', 'https://old.example/')
      await call(client)
      const [busy, unauthorized, lost, last, ...others] = ids(service, route)
      expect(new Set([busy, unauthorized, lost]).size).toBe(3)
      expect([last === lost, others]).toEqual([isKept, []])
    },
  )
})

describe('a 504', () => {
  it.each([
    ['POST', 'The request may have taken effect: check before you try again.'],
    ['PUT', 'The request may have taken effect: check before you try again.'],
    ['GET', 'The service failed; try again later.'],
  ])('says of a %s whether it is safe to try again', async (method, advice) => {
    const { client } = await openScripted(`${method} ${thing}`, Array(3).fill(respond(504)))
    const error = await failureOf(client.request({ method, path: thing }))
    expect(error).toMatchObject({ code: 'service_failed', status: 504 })
    expect(error.message.endsWith(advice)).toBe(true)
  })
})

describe('a 409', () => {
  it('on the first attempt of create is a conflict, and nothing is looked up', async () => {
    const { service, webhooks } = await openScripted(POST, respond(409, { message: 'conflict' }))
    expect(await failureOf(webhooks.create(wanted))).toMatchObject({ code: 'conflict', status: 409 })
    expect(service.calls).toEqual([POST])
  })

  it.each([
    ['after a lost response', [applyThenCut, respond(409, 'there')]],
    ['after a lost response and a renewal of the token', [applyThenCut, respond(401), respond(409, 'there')]],
  ])('in another operation is a conflict %s', async (_name, steps) => {
    const { service, client } = await openScripted(`PUT ${thing}`, steps)
    const error = await failureOf(client.request({ method: 'PUT', path: thing, body: 1 }))
    expect(error).toMatchObject({ code: 'conflict', status: 409, body: 'there' })
    expect(new Set(ids(service, `PUT ${thing}`)).size).toBe(1)
  })
})

describe('a 409 for a request that was rejected for its token before', () => {
  const requestId = '0b8f7b1e-7c1c-4a5e-9d7b-0123456789ab'

  it.each(['POST', 'PUT', 'DELETE'])('is a conflict if the id is the caller\u2019s: %s', async (method) => {
    const { service, client } = await openClient()
    const route = `${method} ${thing}`
    service.on(route, [respond(401), respond(409, 'known'), respond(200, 'never')])
    const error = await failureOf(client.request({ method, path: thing, requestId }))
    expect(error).toMatchObject({ code: 'conflict', status: 409, body: 'known', requestId })
    expect(ids(service, route)).toEqual([requestId, requestId])
    expect(service.grantTypes).toEqual(['client_credentials', 'refresh_token'])
  })
})

describe('create whose response is lost', () => {
  it.each<[number, Step[]]>([
    [302, [respond(302)]],
    [401, [respond(401), respond(401)]],
    [429, Array(3).fill(respond(429))],
  ])('and that then gets a %i may have taken effect', async (status, steps) => {
    const { webhooks } = await openScripted(POST, [applyThenCut, ...steps])
    const error = await failureOf(webhooks.create(wanted))
    expect(error).toMatchObject({ status, cause: { code: 'network_failed' } })
    expect(String(error)).toMatch(/The first request may have taken effect: check before you try again\.$/)
  })

  it.each(losses)('because %s returns the configuration', async (_name, step) => {
    const { service, webhooks } = await openScripted(POST, step)
    const created = await webhooks.create(wanted)
    expect(created).toEqual({ id: '101', ...wanted, status: 'Active' })
    expect(service.calls).toEqual([POST, POST, GET])
    expect(new Set(ids(service, POST)).size).toBe(1)
    expect(service.webhooks.active()).toHaveLength(1)
  })

  it.each<[string, Step[], Step[]]>([
    ['because of a time-out', [applyThenHang], []],
    ['more than once', [applyThenCut, respond(503)], []],
    ['and whose token expires then', [applyThenCut, respond(401)], []],
    ['and that of the list, too,', [applyThenCut], [applyThenCut, respond(503)]],
    ['and of which nothing arrived', [cutBefore, cutBefore], []],
  ])('%s returns the configuration', async (_name, posts, lists) => {
    const { service, webhooks } = await openClient({}, { timeoutMs: 1_000 })
    service.on(POST, posts)
    service.on(GET, lists)
    expect(await webhooks.create(wanted)).toMatchObject({ id: '101' })
    expect(service.webhooks.active()).toHaveLength(1)
  })

  it('returns the newest of equal configurations, by numeric id', async () => {
    const { service, webhooks } = await openClient()
    service.webhooks.nextId = 9n
    service.webhooks.add(wanted.event, wanted.callbackUrl)
    service.webhooks.add('VBA_ACCOUNT_STATUS_UPDATED', wanted.callbackUrl)
    service.webhooks.add(wanted.event, 'https://other.example/')
    service.webhooks.nextId = 10_000_000_000_000_000_000n
    service.on(POST, applyThenCut)
    expect(await webhooks.create(wanted)).toMatchObject({ id: '10000000000000000000' })
  })

  it('may have taken effect if it then gets a 404, and nobody tells whether the token is valid', async () => {
    const { service, webhooks } = await openScripted(POST, [applyThenCut, respond(404)])
    service.on('GET /svc/v1.0/hello', Array(3).fill(respond(503)))
    const message = expect.stringContaining('The first request may have taken effect')
    expect(await failureOf(webhooks.create(wanted))).toMatchObject({ code: 'not_found', message })
  })

  it('is a conflict with the first error if nothing was created', async () => {
    const { service, webhooks } = await openClient()
    service.on(POST, spendThen(service, 503))
    const error = await failureOf(webhooks.create(wanted))
    expect(error).toMatchObject({
      code: 'conflict',
      status: 409,
      cause: { code: 'service_failed', status: 503 },
    })
    expect(error.message).toContain('POST /svc/v1.2/webhooks got a 503, and got a 409')
    service.on(POST, ({ request, response }) => {
      service.webhooks.spendId(request)
      response.destroy()
    })
    const second = await failureOf(webhooks.create(wanted))
    expect(second).toMatchObject({ code: 'conflict', status: 409, cause: { code: 'network_failed' } })
    expect(second.message).toContain('got no response, and got a 409')
    expect(service.webhooks.active()).toEqual([])
  })

  it.each<[string, string, Step]>([
    ['a 409', 'conflict', applyThenCut],
    ['a 2xx that is no configuration', 'response_invalid', applyThen(201, 'Created')],
  ])('is in doubt if it cannot be looked up after %s', async (_name, code, step) => {
    const { service, webhooks } = await openScripted(POST, step)
    service.on(GET, [...Array(3).fill(respond(503)), ...Array(3).fill(cutBefore)])
    expect(await failureOf(webhooks.create(wanted))).toMatchObject({ code })
    service.on(POST, step)
    expect(await failureOf(webhooks.create(wanted))).toMatchObject({ code })
    const controller = new AbortController()
    service.on(POST, step)
    service.on(GET, () => controller.abort('enough'))
    await expect(webhooks.create(wanted, { signal: controller.signal })).rejects.toBe('enough')
  })

  it('does not return an inactive configuration', async () => {
    const service = await openService({ listsInactive: true })
    service.webhooks.add(wanted.event, wanted.callbackUrl, { id: 999n, status: 'Inactive' })
    service.on(POST, applyThenCut)
    expect(await clientOf(service).webhooks.create(wanted)).toMatchObject({ id: '101' })
    service.webhooks.configurations.length = 1
    service.on(POST, spendThen(service, 503))
    expect(await failureOf(clientOf(service).webhooks.create(wanted))).toMatchObject({ code: 'conflict' })
  })
})

describe('update and delete', () => {
  async function openExisting() {
    const opened = await openClient()
    opened.service.webhooks.add('VBA_TRANSACTION', 'https://old.example/')
    return opened
  }

  it.each(losses)('succeed if the response is lost because %s', async (_name, step) => {
    const { service, webhooks } = await openExisting()
    service.on(PATCH, step)
    expect(await webhooks.update('101', wanted)).toEqual({ id: '101', ...wanted, status: 'Active' })
    service.on(DELETE, step)
    expect(await webhooks.delete('101')).toMatchObject({ id: '101', status: 'Inactive' })
    expect(service.webhooks.active()).toEqual([])
  })

  it.each<[string, Step[], object]>([
    ['a 502 and a cut connection', [respond(502), cutBefore], { status: 502 }],
    ['a cut connection and a 502', [cutBefore, respond(502)], { code: 'network_failed' }],
  ])('update that is a conflict after %s has the first error as its cause', async (_name, steps, first) => {
    const { service, webhooks } = await openScripted(PATCH, [...steps, respond(409)])
    const error = await failureOf(webhooks.update('101', wanted))
    const [firstId, , lastId] = ids(service, PATCH)
    const cause = { ...first, requestId: firstId }
    expect(error).toMatchObject({ code: 'conflict', status: 409, requestId: lastId, cause })
  })

  it('delete whose response is lost, and then gets a 404, succeeds', async () => {
    const { service, webhooks } = await openExisting()
    service.on(DELETE, [applyThenCut, respond(404, { message: 'Not found' })])
    expect(await webhooks.delete('101')).toEqual({ id: '101', status: 'Inactive' })
    expect(service.calls.slice(0, 3)).toEqual([DELETE, DELETE, 'GET /svc/v1.0/hello'])
    expect(service.webhooks.active()).toEqual([])
  })

  it.each([302, 429, 503])('delete may not be done if hello gets a %i, so its 404 fails', async (status) => {
    const { service, client } = await openExisting()
    await client.token()
    service.grants.setAccessTokens('invalid')
    service.on(DELETE, cutBefore)
    service.on('GET /svc/v1.0/hello', Array(3).fill(respond(status)))
    expect(await failureOf(client.webhooks.delete('101'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(service.webhooks.active()).toHaveLength(1)
  })

  it('delete whose connection is cut, and whose token is then invalid, fails', async () => {
    const { service, webhooks } = await openExisting()
    service.on(DELETE, [cutBefore, respond(404, { error: 'invalid_token' })])
    expect(await failureOf(webhooks.delete('101'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(service.webhooks.active()).toHaveLength(1)
  })

  it('delete of an unknown id is not found, even after a 429', async () => {
    const { webhooks } = await openScripted(DELETE, [respond(429), respond(404, { message: 'Not found' })])
    expect(await failureOf(webhooks.delete('101'))).toMatchObject({ code: 'not_found', status: 404 })
  })

  it('get and update of a deleted configuration are not found, even after a lost response', async () => {
    const { service, webhooks } = await openClient({ getById: true })
    for (const [route, call] of [
      ['GET /svc/v1.2/webhooks/101', () => webhooks.get('101')],
      [PATCH, () => webhooks.update('101', wanted)],
    ] as const) {
      service.on(route, [applyThenCut, respond(404)])
      expect(await failureOf(call())).toMatchObject({ code: 'not_found', status: 404 })
    }
  })
})

it('a read that fails after a lost response has not taken effect', async () => {
  const { webhooks } = await openScripted(GET, [applyThenCut, respond(422, { message: 'no' })])
  const error = await failureOf(webhooks.list())
  expect(error).toMatchObject({ code: 'request_rejected', status: 422 })
  expect(error.message).not.toContain('may have taken effect')
})
