import { describe, expect, it } from 'vitest'
import type { Webhooks } from '../../../src/client/index.ts'
import { respond } from '../exchange.ts'
import { failureOf, openClient, openScripted } from '../open-client.ts'

const POST = 'POST /svc/v1.2/webhooks'
const GET = 'GET /svc/v1.2/webhooks'
const GET_ONE = 'GET /svc/v1.2/webhooks/101'
const DELETE = 'DELETE /svc/v1.2/webhooks/101'
const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/hook?token=t&x=é' }

describe('the webhook operations', () => {
  it('send the three headers and only the specified fields', async () => {
    const { service, webhooks } = await openClient({ servicePath: 'pay' })
    await webhooks.create(wanted)
    await webhooks.list()
    await webhooks.update('101', { ...wanted, event: 'SOMETHING_NEW' })
    await webhooks.delete('101')
    expect(service.calls).toEqual([
      'POST /pay/v1.2/webhooks',
      'GET /pay/v1.2/webhooks',
      'PATCH /pay/v1.2/webhooks/101',
      'DELETE /pay/v1.2/webhooks/101',
    ])
    for (const { headers } of service.requests.slice(1)) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${service.grants.accessTokens[0]}`,
        'content-type': 'application/json',
        'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      })
    }
    const bodies = service.requests.slice(1).map(({ body }) => body && JSON.parse(body))
    const callbackURL = wanted.callbackUrl
    expect(bodies).toEqual([
      { event: 'VBA_TRANSACTION', callbackURL },
      '',
      { event: 'SOMETHING_NEW', callbackURL },
      '',
    ])
  })

  it.each([
    ['callbackUrl', '9223372036854775807'],
    ['callbackURL', '9007199254740994'],
  ] as const)('take a response that spells %s, and keep every digit of the id %s', async (spelling, id) => {
    const { service, webhooks } = await openClient({ spelling, getById: true })
    service.webhooks.nextId = BigInt(id)
    const active = { id, ...wanted, status: 'Active' }
    expect(await webhooks.create(wanted)).toEqual(active)
    expect(await webhooks.list()).toEqual([active])
    expect(await webhooks.get(id)).toEqual(active)
    expect(await webhooks.update(id, wanted)).toEqual(active)
    expect(await webhooks.delete(id)).toEqual({ ...active, status: 'Inactive' })
    expect(service.calls.at(-1)).toBe(`DELETE /svc/v1.2/webhooks/${id}`)
    expect(service.webhooks.active()).toEqual([])
  })

  it('accept 204', async () => {
    const { service, webhooks } = await openClient({ successStatus: { POST: 204, PATCH: 204, DELETE: 204 } })
    expect(await webhooks.create(wanted)).toEqual({ id: '101', ...wanted, status: 'Active' })
    const callbackUrl = 'https://b.example/'
    expect(await webhooks.update('101', { callbackUrl })).toMatchObject({ id: '101', callbackUrl })
    expect(await webhooks.delete('101')).toMatchObject({ id: '101', status: 'Inactive' })
    expect(service.webhooks.active()).toEqual([])
  })

  it('keep unknown fields and statuses', async () => {
    const { service, webhooks } = await openClient()
    const more = { id: 5, ...wanted, status: 'Paused', owner: { account: 1 }, big: 9_007_199_254_740_993n }
    service.on(GET, respond(200, [more]))
    expect(await webhooks.list()).toEqual([{ ...more, id: '5', big: '9007199254740993' }])
  })
})

describe('list', () => {
  const one = { id: 1, event: 'A', callbackUrl: 'https://a.example/', status: 'Active' }

  it.each<[string, unknown, string[]]>([
    ['an array', [one, { ...one, id: 2 }], ['1', '2']],
    ['a single object', one, ['1']],
    ['an empty body', '', []],
    ['null', 'null', []],
    ['an id as a string', [{ ...one, id: '007' }], ['007']],
  ])('gives an array for %s', async (_name, body, ids) => {
    const { webhooks } = await openScripted(GET, respond(200, body))
    const listed = await webhooks.list()
    expect(listed.map(({ id }) => id)).toEqual(ids)
  })

  it.each<[string, unknown]>([
    ['text', 'welcome'],
    ['a list of numbers', [1]],
    ['no id', [{ event: 'A', callbackUrl: 'https://a.example/' }]],
    ['an id that is none', [{ ...one, id: 'abc' }]],
    ['an event that is none', [{ ...one, event: 5 }]],
  ])('rejects %s', async (_name, body) => {
    const { service, webhooks } = await openScripted(GET, respond(200, body))
    const error = await failureOf(webhooks.list())
    expect(error).toMatchObject({ code: 'response_invalid', status: 502 })
    expect(error.requestId).toBe(service.requests.at(-1)?.headers['x-request-id'])
  })
})

it('an entry of a list that cannot be read is left out, and passed to onUnreadable', async () => {
  const { service, webhooks } = await openClient()
  const one = { id: 1, event: 'A', callbackUrl: 'https://a.example/', status: 'Active' }
  const odd = [{ ...one, id: 'abc' }, 'text', { id: 2, event: 'B' }]
  service.on(GET, Array(4).fill(respond(200, [odd[0], one, odd[1], odd[2]])))
  const unreadable: unknown[] = []
  const active = { ...one, id: '1' }
  expect(await webhooks.list({ onUnreadable: (entry) => unreadable.push(entry) })).toEqual([active])
  expect(unreadable).toEqual(odd)
  expect(await webhooks.list()).toEqual([active])
  expect(await webhooks.get('1')).toEqual(active)
  service.on(POST, respond(201, ''))
  expect(await webhooks.create({ event: 'A', callbackUrl: 'https://a.example/' })).toEqual(active)
})

describe('get', () => {
  it.each([404, 405])('searches the list if there is no such route: %i', async (status) => {
    const { service, webhooks } = await openClient()
    service.webhooks.add('A', 'https://a.example/')
    service.webhooks.add('B', 'https://b.example/')
    service.on(GET_ONE, respond(status, '<h1>no route</h1>'))
    expect(await webhooks.get('101')).toMatchObject({ id: '101', event: 'A' })
    expect(service.calls.at(-1)).toBe(GET)
  })

  it.each([true, false])('is not found for an unknown id, with a route for one: %s', async (getById) => {
    const { service, webhooks } = await openClient({ getById })
    service.webhooks.add('A', 'https://a.example/')
    expect(await failureOf(webhooks.get('999'))).toMatchObject({ code: 'not_found', status: 404 })
  })

  it('does not search the list after another error', async () => {
    const { service, webhooks } = await openScripted(GET_ONE, respond(403))
    expect(await failureOf(webhooks.get('101'))).toMatchObject({ code: 'request_rejected', status: 403 })
    expect(service.calls).toEqual([GET_ONE])
  })
})

describe('update', () => {
  const old = { event: 'OLD', callbackUrl: 'https://old.example/' }

  it.each<[string, object, object]>([
    ['the event', { event: 'NEW' }, { event: 'NEW', callbackUrl: old.callbackUrl }],
    ['the URL', { callbackUrl: wanted.callbackUrl }, { ...wanted, event: old.event }],
    ['both', wanted, wanted],
  ])('of %s sends both', async (_name, change, expected) => {
    for (const getById of [true, false]) {
      const { service, webhooks } = await openClient({ getById })
      service.webhooks.add(old.event, old.callbackUrl)
      expect(await webhooks.update('101', change)).toMatchObject(expected)
      expect(service.webhooks.configurations).toMatchObject([expected])
    }
  })

  it.each(['<h1>Maintenance</h1>', '{"id":"x"}'])('fails if it gets 200 with %s', async (body) => {
    const { webhooks } = await openScripted('PATCH *', respond(200, body))
    expect(await failureOf(webhooks.update('101', wanted))).toMatchObject({ code: 'response_invalid' })
  })

  it.each([{ event: 'NEW' }, wanted])('of an unknown id is not found: %j', async (change) => {
    const { webhooks } = await openClient()
    expect(await failureOf(webhooks.update('101', change))).toMatchObject({ code: 'not_found', status: 404 })
  })

  it('resolves to the service\u2019s response', async () => {
    const { service, webhooks } = await openClient()
    const body = { id: 101, event: 'A', callbackUrl: 'https://normal.example/', status: 'Active' }
    service.on('PATCH *', respond(200, body))
    expect(await webhooks.update('101', wanted)).toEqual({ ...body, id: '101' })
  })
})

describe('delete', () => {
  const deleted = { id: '101', status: 'Inactive' }

  it.each<[string, unknown, object]>([
    ['an empty body', '', deleted],
    ['text', 'deleted', deleted],
    ['another status', { id: 101, status: 'Suspended' }, { ...deleted, status: 'Suspended' }],
    ['no status', { id: 101, event: 'A' }, { ...deleted, event: 'A' }],
    ['a new field', { deletedAt: '2026-01-01' }, { ...deleted, deletedAt: '2026-01-01' }],
    ['null', { event: null, status: null }, deleted],
    ['the other spelling', { callbackURL: 'b' }, { ...deleted, callbackUrl: 'b' }],
  ])('has the response in its result: %s', async (_name, body, expected) => {
    const { webhooks } = await openScripted(DELETE, respond(200, body))
    expect(await webhooks.delete('101')).toEqual(expected)
  })

  it('fails if the response is a web page, such as one about maintenance', async () => {
    const { service, webhooks } = await openClient()
    const body = '<!doctype html><p>Back soon'
    service.on(DELETE, respond(200, body))
    expect(await failureOf(webhooks.delete('101'))).toMatchObject({ code: 'response_invalid', body })
  })
})

describe('create', () => {
  it('fills in what the response leaves out', async () => {
    const { webhooks } = await openScripted(POST, respond(201, { id: 7 }))
    expect(await webhooks.create(wanted)).toEqual({ id: '7', ...wanted, status: 'Active' })
  })
})

describe('arguments', () => {
  const callbackUrl = 'https://a.example/'

  it.each(['https://a.example/a b', ' https://a.example/', 'https://a.exa\r\nmple/'])(
    'are a TypeError for a URL with whitespace: %j',
    async (callbackUrl) => {
      const { service, webhooks } = await openClient()
      service.webhooks.add('A', 'https://a.example/', { id: 1n })
      const { create, update, sync } = webhooks
      for (const call of [
        () => create({ event: 'A', callbackUrl }),
        () => update('1', { event: 'A', callbackUrl }),
        () => update('1', { callbackUrl }),
        () => sync([{ event: 'A', callbackUrl }]),
      ]) {
        await expect(call(), String(call)).rejects.toThrow(
          expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('"callbackUrl"') }),
        )
      }
      expect(service.calls.filter((route) => !route.startsWith('GET'))).toEqual([])
    },
  )

  it.each<[string, string, (webhooks: Webhooks) => Promise<unknown>]>([
    ['no event', 'event', ({ create }) => create({ callbackUrl } as never)],
    ['an empty event', 'event', ({ create }) => create({ event: '', callbackUrl })],
    ['null after a desired one', 'event', ({ sync }) => sync([wanted, null] as never)],
    ['a change to nothing', 'event', ({ update }) => update('1', { event: '', callbackUrl })],
    ['no change', 'event" and "callbackUrl', ({ update }) => update('1', { event: undefined } as never)],
    ['no URL', 'callbackUrl', ({ create }) => create({ event: 'A' } as never)],
    ['a relative URL', 'callbackUrl', ({ create }) => create({ event: 'A', callbackUrl: '/hook' })],
    ['a misspelt URL', 'callbackURL', ({ update }) => update('1', { callbackURL: 'x' } as never)],
    ['an id with a path', 'id', ({ get }) => get('../../v1.0/hello')],
    ['an empty id', 'id', (webhooks) => webhooks.delete('')],
    ['an id with a query', 'id', (webhooks) => webhooks.delete('1?x=1')],
    ['an id that is a number', 'id', ({ get }) => get(1 as never)],
    ['a list that is none', '', ({ sync }) => sync({} as never)],
    ['an option that there is not', 'dryrun', ({ sync }) => sync([], { dryrun: true } as never)],
    ['an option of the wrong kind', 'prune', ({ sync }) => sync([], { prune: 'yes' } as never)],
  ])('are named in the TypeError, and nothing is sent: %s', async (_name, named, call) => {
    const { service, webhooks } = await openClient()
    const message = expect.stringContaining(named && `"${named}"`)
    await expect((async () => call(webhooks))()).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message }),
    )
    expect(service.requests).toEqual([])
  })
})
