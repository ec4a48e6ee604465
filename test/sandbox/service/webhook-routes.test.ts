import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '../../../src/events/kinds.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { createSandbox, openSandbox } from '../open-sandbox.ts'
import {
  callWebhooks,
  read,
  requestGrant,
  requestToken,
  subscribe,
  tokenOf,
  type WireConfiguration,
} from './http-calls.ts'

let sandbox: Sandbox
let token: string
beforeAll(async () => {
  sandbox = await createSandbox()
  token = (await requestToken(sandbox)).access_token
})
afterAll(() => sandbox.close())

const callbackURL = 'https://example.com/hooks?token=a%20b'
const body = { event: 'VBA_TRANSACTION', callbackURL }

const errorBody = (code: number) => ({
  code,
  message: expect.any(String),
  logTag: expect.any(String),
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
})

describe('the operations', () => {
  it.each(EVENT_KINDS)('create %s, Active', async (event) => {
    const created = await callWebhooks(sandbox, { method: 'POST', token, body: { event, callbackURL } })
    expect(created.status).toBe(200)
    expect(await created.json()).toEqual({
      id: expect.any(Number),
      event,
      callbackUrl: callbackURL,
      status: 'Active',
    })
  })

  it('read, change, list, delete', async () => {
    const ben = await tokenOf(sandbox, sandbox.users[1])
    const first = await subscribe(sandbox, 'VBA_TRANSACTION', callbackURL, ben)
    const second = await subscribe(sandbox, 'VBA_TRANSACTION', callbackURL, ben)
    expect(second.id).not.toBe(first.id)
    expect(await read(await callWebhooks(sandbox, { id: first.id, token: ben }))).toEqual(first)

    const change = { event: 'VIRTUAL_CARD_TRANSACTION', callbackURL: 'http://127.0.0.1:1/' }
    const patched = await callWebhooks(sandbox, { method: 'PATCH', id: first.id, token: ben, body: change })
    expect(patched.status).toBe(200)
    const expected = {
      id: first.id,
      event: change.event,
      callbackUrl: change.callbackURL,
      status: 'Active',
    }
    expect(await patched.json()).toEqual(expected)
    expect(await read(await callWebhooks(sandbox, { token: ben }))).toEqual([expected, second])

    const deleted = await callWebhooks(sandbox, { method: 'DELETE', id: first.id, token: ben })
    expect(deleted.status).toBe(200)
    expect(await deleted.json()).toEqual({ ...expected, status: 'Inactive' })
    expect(await read(await callWebhooks(sandbox, { token: ben }))).toEqual([second])
    const seen = await read<WireConfiguration>(await callWebhooks(sandbox, { id: first.id, token: ben }))
    expect(seen.status).toBe('Inactive')
    for (const method of ['PATCH', 'DELETE']) {
      const gone = await callWebhooks(sandbox, { method, id: first.id, token: ben, body })
      expect(gone.status).toBe(404)
    }
    await callWebhooks(sandbox, { method: 'DELETE', id: second.id, token: ben })
  })

  it('do not change fields that an update omits', async () => {
    const { id } = await subscribe(sandbox, 'VBA_TRANSACTION', callbackURL, token)
    const moved = { callbackURL: 'https://example.com/moved' }
    const patched = await read(await callWebhooks(sandbox, { method: 'PATCH', id, token, body: moved }))
    expect(patched).toMatchObject({ id, event: 'VBA_TRANSACTION', callbackUrl: moved.callbackURL })
  })

  it('show nothing of another account', async () => {
    const ada = await tokenOf(sandbox, sandbox.users[0])
    const { id } = await subscribe(sandbox, 'VBA_TRANSACTION', callbackURL, token)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const call = { method, id, token: ada, ...(method === 'GET' ? {} : { body }) }
      expect((await callWebhooks(sandbox, call)).status).toBe(404)
    }
    expect(await read(await callWebhooks(sandbox, { token: ada }))).toEqual([])
    expect((await callWebhooks(sandbox, { id, token })).status).toBe(200)
  })
})

const operations = [
  { method: 'GET' },
  { method: 'POST', body },
  { method: 'GET', id: 1 },
  { method: 'PATCH', id: 1, body },
  { method: 'DELETE', id: 1 },
]

describe.each(operations)('$method $id checks', (operation) => {
  it('the bearer token first: 404 if it is missing or wrong', async () => {
    for (const bad of [undefined, 'wrong', '__proto__']) {
      const answer = await callWebhooks(sandbox, {
        ...operation,
        token: bad,
        headers: { 'x-request-id': '' },
      })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toEqual({ ...errorBody(404), message: 'Invalid token' })
    }
  })

  it('the request id: 400 if it is missing or not a UUID', async () => {
    for (const id of ['', 'abc', `${randomUUID()}x`, `${randomUUID()}, ${randomUUID()}`]) {
      const answer = await callWebhooks(sandbox, { ...operation, token, headers: { 'x-request-id': id } })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual(errorBody(400))
    }
  })

  it('its reuse: 409, ignoring case, also after a rejection', async () => {
    const id = randomUUID()
    const headers = { 'x-request-id': id, 'content-type': 'text/plain' }
    expect((await callWebhooks(sandbox, { ...operation, token, headers })).status).toBe(400)
    for (const again of [id, id.toUpperCase()]) {
      const answer = await callWebhooks(sandbox, { ...operation, token, headers: { 'x-request-id': again } })
      expect(answer.status).toBe(409)
      expect(await answer.json()).toEqual(errorBody(409))
    }
  })

  it('the request id only with a valid bearer token', async () => {
    const headers = { 'x-request-id': randomUUID() }
    await callWebhooks(sandbox, { ...operation, token: 'wrong', headers })
    expect((await callWebhooks(sandbox, { ...operation, token, headers })).status).not.toBe(409)
  })

  it('the content type: 400 unless it is JSON', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await callWebhooks(sandbox, { ...operation, token, headers: form })).status).toBe(400)
    const charset = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await callWebhooks(sandbox, { ...operation, token, headers: charset })).status).not.toBe(400)
  })
})

describe('bodies', () => {
  const OBJECT = 'The body must be a JSON object'
  const EVENT = '"event" must be one of the event kinds'
  const URL = '"callbackURL" must be an absolute http or https URL'
  const SPELLING = 'The field is "callbackURL", with URL in capitals; only responses have "callbackUrl"'
  const NOTHING = 'The body must have "event" or "callbackURL"'
  const event = 'VBA_TRANSACTION'

  const INVALID: [content: unknown, message: string][] = [
    ...['{', '', 'null', '[]'].map((content): [string, string] => [content, OBJECT]),
    [{ event, callbackUrl: callbackURL }, SPELLING],
    ...['CARD_LOST', 'toString', 1].map((wrong): [object, string] => [{ event: wrong, callbackURL }, EVENT]),
    ...[
      ...['', '/hooks', 'example.com', 'http:example.com', 'ftp://example.com', 'javascript:alert(1)'],
      ...['https://', 'http://a/\r\nX-Evil: 1', 1],
    ].map((wrong): [object, string] => [{ event, callbackURL: wrong }, URL]),
  ]

  it.each([...INVALID, ['{}', EVENT], [{ callbackURL }, EVENT], [{ event }, URL]] as const)(
    'of a creation: %j gets a 400',
    async (content, message) => {
      const answer = await callWebhooks(sandbox, { method: 'POST', token, body: content })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({ ...errorBody(400), message })
    },
  )

  it('of an update that get a 400 change nothing', async () => {
    const created = await subscribe(sandbox, event, callbackURL, token)
    const updates = [...INVALID, ['{}', NOTHING], ['{"x":1}', NOTHING], [{ event: 'x' }, EVENT]] as const
    for (const [content, message] of updates) {
      const call = { method: 'PATCH', id: created.id, token, body: content }
      expect(await (await callWebhooks(sandbox, call)).json()).toMatchObject({ code: 400, message })
    }
    expect(await read(await callWebhooks(sandbox, { id: created.id, token }))).toEqual(created)
  })

  it('an update whose configuration is deleted while its body is read: 404', async () => {
    const { id } = await subscribe(sandbox, 'VBA_TRANSACTION', callbackURL, token)
    const content = JSON.stringify({ callbackURL: 'https://example.com/late' })
    const patch = openRequest(`${sandbox.url}/svc/v1.2/webhooks/${id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'x-request-id': randomUUID(),
        'content-type': 'application/json',
        'content-length': content.length,
        expect: '100-continue',
      },
    })
    patch.flushHeaders()
    // The server has started to process it when it asks for the body.
    await once(patch, 'continue')
    patch.write(content.slice(0, 5))
    const deleted = await callWebhooks(sandbox, { method: 'DELETE', id, token })
    expect(deleted.status).toBe(200)
    patch.end(content.slice(5))
    const [answer] = (await once(patch, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(404)
    const seen = await read<WireConfiguration>(await callWebhooks(sandbox, { id, token }))
    expect(seen).toMatchObject({ status: 'Inactive', callbackUrl: callbackURL })
  })
})

it('requests are recorded without their secrets', async () => {
  const own = await openSandbox()
  const { access_token, refresh_token } = await requestToken(own)
  await requestGrant(own, { grant_type: 'refresh_token' }, { refresh_token })
  const requestId = randomUUID()
  await callWebhooks(own, { headers: { 'x-request-id': requestId } })
  await fetch(`${own.url}/nowhere?client_secret=s3cr3t&x=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, cookie: 'a=s3cr3t' },
    body: '{"password": "s3cr3t\\"s3cr3t", "name": "Ada"}',
  })
  const requests = own.requests().slice(1)
  expect(requests).toMatchObject([
    {
      method: 'POST',
      path: '/oauth/token',
      query: '?refresh_token=***',
      headers: { authorization: 'Basic ***' },
      body: 'grant_type=refresh_token',
      status: 200,
      at: expect.any(Date),
    },
    { method: 'GET', path: '/svc/v1.2/webhooks', requestId, status: 404 },
    {
      method: 'POST',
      path: '/nowhere',
      query: '?client_secret=***&x=1',
      headers: { authorization: 'Bearer ***', cookie: '***' },
      body: '{"password": "***", "name": "Ada"}',
      status: 404,
      responseBody: expect.stringContaining('Not found'),
    },
  ])
  const text = JSON.stringify(requests)
  for (const secret of ['s3cr3t', access_token, refresh_token, own.clientSecret])
    expect(text).not.toContain(secret)
})
