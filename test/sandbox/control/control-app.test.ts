import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { documents } from '../../openapi/documents.ts'
import { openSandbox, receiver } from '../open-sandbox.ts'
import type { ReceiverOfNotifications } from '../receiver-of-notifications.ts'
import { authorizeUrl } from '../service/browser.ts'
import { callWebhooks, requestToken } from '../service/http-calls.ts'
import { control } from './control-calls.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

let sandbox: Sandbox
let hooks: ReceiverOfNotifications

beforeEach(async () => {
  sandbox = await openSandbox()
  hooks = await receiver()
})

/** Adds a configuration, of the kind for the receiver if it is not said otherwise. */
async function register(fields: object = {}): Promise<Record<string, string>> {
  const configuration = { event: KIND, callbackUrl: hooks.url, ...fields }
  return (await control(sandbox, 'POST configurations', configuration)).json as Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
async function deliveries(call: string, body?: unknown): Promise<any[]> {
  const { status, json } = await control(sandbox, call, body)
  expect(json).not.toHaveProperty('message')
  expect([200, 202]).toContain(status)
  return json.deliveries as unknown[]
}

describe('trigger', () => {
  it('responds with the settled deliveries, without bodies', async () => {
    const { id: configurationId } = await register()
    const [delivery, ...others] = await deliveries('POST trigger', { kind: KIND, data: { status: 'Sent' } })
    expect(others).toEqual([])
    expect(delivery).toMatchObject({
      id: expect.any(String),
      kind: KIND,
      state: 'delivered',
      url: hooks.url,
      configurationId,
      attempts: [{ number: 1, status: 200, startedAt: expect.any(String), durationMs: expect.any(Number) }],
    })
    expect(delivery).not.toHaveProperty('body')
    expect(hooks.arrivals).toMatchObject([{ genuine: true, body: expect.stringContaining('Sent') }])
  })

  it('responds 202 at once with the pending deliveries for ?wait=false', async () => {
    const slow = await receiver(() => {})
    await register({ callbackUrl: slow.url })
    const { status, json } = await control(sandbox, 'POST trigger?wait=false', { kind: KIND })
    expect([status, json]).toMatchObject([202, { deliveries: [{ state: 'pending', attempts: [] }] }])
  })

  it('responds with its own deliveries only, however many are triggered at once', async () => {
    await register()
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => await deliveries('POST trigger?wait=false', { kind: KIND })),
    )
    expect(answers.filter(({ length }) => length !== 1)).toEqual([])
    expect(new Set(answers.map(([delivery]) => delivery.id)).size).toBe(50)
  })

  it.each([
    '"kind":"VBA_TRANSACTION","data":{',
    `"kind":"${KIND}","inline":true,"data":{"amount":{"number":12345678901234567.89},`,
    '"kind":"CARD_LOST","inline":true,"data":{',
  ])('keeps every digit of {%s', async (beginning) => {
    const text = `{${beginning}"id":9223372036854775807,"list":[12345678901234567.89,{"a":1e400}]}}`
    await register({ event: JSON.parse(text).kind === 'VBA_TRANSACTION' ? 'VBA_TRANSACTION' : KIND })
    await deliveries('POST trigger', text)
    const sent = hooks.arrivals[0]?.body ?? ''
    for (const number of ['9223372036854775807', '[12345678901234567.89,', '1e400'])
      expect(sent).toContain(number)
  })

  it('sends an unknown kind to every callback URL once, with unchanged data', async () => {
    await register()
    await register({ event: 'VBA_TRANSACTION' })
    const sent = await deliveries('POST trigger', { kind: 'CARD_LOST', data: ['x', null] })
    expect(sent).toMatchObject([{ kind: 'CARD_LOST', state: 'delivered' }])
    expect(hooks.arrivals.map(({ body }) => JSON.parse(body))).toEqual([
      { type: 'CARD_LOST', data: '["x",null]' },
    ])
  })

  it('signs and sends exact text, with its own content type', async () => {
    await register()
    const body = ' {"type" : "x",\n "data":1.50}\r\n'
    await deliveries('POST trigger', { kind: KIND, body, contentType: 'text/plain; charset=utf-8' })
    expect(hooks.arrivals).toMatchObject([
      { body, genuine: true, headers: { 'content-type': 'text/plain; charset=utf-8' } },
    ])
  })

  it('signs and sends exact bytes, also invalid UTF-8', async () => {
    await register()
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xc3, 0x28])
    const [{ id }] = await deliveries('POST trigger', { kind: KIND, bodyBase64: bytes.toString('base64') })
    expect(hooks.arrivals).toMatchObject([{ genuine: true, headers: { 'content-length': '5' } }])
    const { json } = await control(sandbox, `GET deliveries/${id}`)
    expect(Buffer.from(json.bodyBase64 as string, 'base64')).toEqual(bytes)
    expect(json.signature).toBe(createHmac('sha256', sandbox.clientId).update(bytes).digest('hex'))
  })

  it('notifies one account', async () => {
    await register()
    const [ada] = sandbox.users
    await register({ accountId: ada.accountId })
    expect(await deliveries('POST trigger', { kind: KIND })).toHaveLength(2)
    expect(await deliveries('POST trigger', { kind: KIND, accountId: ada.accountId })).toHaveLength(1)
    expect(await deliveries('POST trigger', { kind: KIND, accountId: Number(ada.accountId) })).toHaveLength(1)
  })

  it.each([
    ['no kind', {}],
    ['a kind that is not a string', { kind: 7 }],
    ['an unknown field', { kind: KIND, date: {} }],
    ['data and a body', { kind: KIND, data: {}, body: '' }],
    ['two bodies', { kind: KIND, bodyBase64: '', body: '' }],
    ['a body that is JSON', { kind: KIND, body: {} }],
    ['invalid Base64', { kind: KIND, bodyBase64: 'a*b=' }],
    ['a header in the content type', { kind: KIND, contentType: 'a\r\nX: y' }],
    ['an unknown fault', { kind: KIND, faults: { explode: true } }],
    ['inline data that is a number', { kind: KIND, inline: 1 }],
    ['a list', []],
    ['no JSON', 'kind=x'],
    ['JSON that nests too deep', `{"kind":"X","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('rejects %s, whether it waits or not', async (_what, body) => {
    await register()
    for (const call of ['POST trigger', 'POST trigger?wait=false']) {
      const { status, json } = await control(sandbox, call, body)
      expect([status, json]).toEqual([400, { code: expect.any(String), message: expect.any(String) }])
    }
    expect(hooks.arrivals).toEqual([])
  })
})

describe('deliveries', () => {
  it('are listed newest first, by kind, state and text, in pages', async () => {
    await register()
    await register({ event: 'VBA_TRANSACTION' })
    for (const note of ['one', 'Two', 'three'])
      await deliveries('POST trigger', { kind: KIND, data: { note } })
    await deliveries('POST trigger', { kind: 'VBA_TRANSACTION', faults: { drop: true } })
    const list = async (query: string) =>
      (await deliveries(`GET deliveries?${query}`)).map(({ kind, state }) => `${kind} ${state}`)
    expect(await list('')).toEqual(['VBA_TRANSACTION dropped', ...Array(3).fill(`${KIND} delivered`)])
    expect(await list('state=dropped')).toHaveLength(1)
    expect(await list(`kind=${KIND}`)).toHaveLength(3)
    expect(await list('search=tWO')).toEqual([`${KIND} delivered`])
    expect(await list('search=four')).toEqual([])
    const subject = (await deliveries('GET deliveries'))[1]?.subject
    expect(await list(`search=${subject}`)).toEqual([`${KIND} delivered`])
    const [, second] = await deliveries('GET deliveries?limit=2')
    const page = await deliveries(`GET deliveries?limit=1&after=${second?.id}&kind=${KIND}`)
    expect(page).toHaveLength(1)
    const { json } = await control(sandbox, `GET deliveries/${page[0]?.id.slice(0, 8)}`)
    expect(json.body).toContain('Two')
    expect(await control(sandbox, 'GET deliveries/0')).toMatchObject({ status: 404 })
    expect((await control(sandbox, `GET deliveries?limit=1&kind=${KIND}`)).json).toMatchObject({ total: 3 })
  })

  it('are deleted once they are settled', async () => {
    await register()
    await deliveries('POST trigger', { kind: KIND })
    await deliveries('POST trigger?wait=false', { kind: KIND, faults: { delayMs: 86_400_000 } })
    expect(await control(sandbox, 'DELETE deliveries')).toMatchObject({ status: 200, json: {} })
    expect(await deliveries('GET deliveries')).toMatchObject([{ state: 'pending' }])
  })

  it('name their subject, and id, status and amount if the body has them', async () => {
    await register()
    const shown = async (trigger: object) => {
      const [delivery] = await deliveries('POST trigger', { kind: KIND, ...trigger })
      return [delivery?.subject, delivery?.highlights]
    }
    const body = `{"type":"${KIND}","data":"{\\"id\\":9223372036854775807,\\"status\\":\\"Sent\\"}"}`
    expect(await shown({ body })).toEqual([
      'payment:9223372036854775807',
      { id: '9223372036854775807', status: 'Sent' },
    ])
    expect(await shown({ data: { id: 7, status: 'Closed' }, inline: true })).toEqual([
      'payment:7',
      { id: '7', status: 'Closed', amount: '1250.5 USD' },
    ])
    for (const none of ['no JSON', '{"type":"A","data":[1]}', `{"type":"A","data":{"id":{},"status":[]}}`])
      expect(await shown({ body: none })).toEqual([null, {}])
  })

  it.each(['limit=0', 'limit=x', 'state=sent', 'after=nobody'])('reject ?%s', async (query) => {
    const { status, json } = await control(sandbox, `GET deliveries?${query}`)
    expect(status).toBe(query.startsWith('after') ? 404 : 400)
    expect(json).toEqual({ code: expect.any(String), message: expect.any(String) })
  })

  it("have exact bytes, headers, signature and the receiver's responses", async () => {
    const rude = await receiver((response, _arrival, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(`answer ${count}`),
    )
    await register({ callbackUrl: rude.url })
    const [{ id }] = await deliveries('POST trigger', { kind: KIND, data: { name: 'Zoë' } })
    const { json } = await control(sandbox, `GET deliveries/${id}`)
    const [arrival] = rude.arrivals
    expect(json).toMatchObject({
      id,
      kind: KIND,
      state: 'delivered',
      url: rude.url,
      headers: {
        'ACCESS-SIGNATURE': arrival?.headers['access-signature'],
        'Content-Type': 'application/json',
      },
      signature: arrival?.headers['access-signature'],
      body: arrival?.body,
      attempts: [
        { number: 1, status: 500, responseBody: 'answer 1' },
        { number: 2, status: 200, responseBody: 'answer 2' },
      ],
    })
    expect(Buffer.from(json.bodyBase64 as string, 'base64').toString()).toBe(arrival?.body)
  })

  it('are sent again unchanged, or edited and signed again', async () => {
    await register()
    const [{ id }] = await deliveries('POST trigger', { kind: KIND, data: { status: 'Sent' } })
    const again = async (body: unknown) => (await deliveries(`POST deliveries/${id}/redeliver`, body))[0]
    expect(await again({})).toMatchObject({ redeliveryOf: id, state: 'delivered', kind: KIND })
    await again('{"data":{"id":12345678901234567890,"status":"Closed"}}')
    await again({ body: 'no JSON' })
    await again({ bodyBase64: '/w==' })
    const [first, second, third, fourth, fifth] = hooks.arrivals
    expect(hooks.arrivals.map(({ genuine }) => genuine)).toEqual(Array(5).fill(true))
    expect(second?.body).toBe(first?.body)
    expect(third?.body).toBe(
      `{"type":"${KIND}","data":"{\\"id\\":12345678901234567890,\\"status\\":\\"Closed\\"}"}`,
    )
    expect(fourth?.body).toBe('no JSON')
    expect(fifth?.headers['content-length']).toBe('1')
  })

  it('are edited inline if they are inline', async () => {
    await register()
    const [{ id }] = await deliveries('POST trigger', { kind: KIND, inline: true })
    await deliveries(`POST deliveries/${id}/redeliver`, { data: { id: 1 } })
    expect(hooks.arrivals[1]?.body).toBe(`{"type":"${KIND}","data":{"id":1}}`)
  })

  it('are not sent again if the configuration is Inactive', async () => {
    const { id: configurationId } = await register()
    const [{ id }] = await deliveries('POST trigger', { kind: KIND })
    await control(sandbox, `DELETE configurations/${configurationId}`)
    const { status, json } = await control(sandbox, `POST deliveries/${id}/redeliver`, {})
    expect([status, json.message]).toEqual([400, expect.stringContaining('Inactive')])
  })
})

describe('configurations', () => {
  it('are created, listed and deactivated', async () => {
    const created = await register()
    expect(created).toEqual({
      id: expect.any(String),
      accountId: sandbox.accountId,
      event: KIND,
      callbackUrl: hooks.url,
      status: 'Active',
    })
    const deleted = await control(sandbox, `DELETE configurations/${created.id}`)
    expect(deleted.json).toMatchObject({ status: 'Inactive' })
    const next = await register()
    const { json } = await control(sandbox, 'GET configurations')
    expect(json.configurations).toEqual([deleted.json, next])
    expect((await control(sandbox, `DELETE configurations/${created.id}`)).status).toBe(404)
  })

  it.each([
    [{}],
    [{ event: 'CARD_LOST', callbackUrl: 'http://a.example/' }],
    [{ event: KIND, callbackUrl: 'javascript:alert(1)' }],
    [{ event: KIND, callbackUrl: 'http://a.example/', accountId: '1' }],
  ])('reject %j', async (body) => {
    const { status, json } = await control(sandbox, 'POST configurations', body)
    expect([status, json]).toEqual([400, { code: 'invalid_request', message: expect.any(String) }])
    expect(json.message).not.toContain('callbackURL')
  })
})

it('tokens expire and are revoked', async () => {
  const { access_token: token } = await requestToken(sandbox)
  expect((await control(sandbox, 'POST tokens/expire')).json).toEqual({})
  expect((await callWebhooks(sandbox, { token })).status).toBe(401)
  expect((await control(sandbox, 'POST tokens/revoke')).json).toEqual({})
  expect((await callWebhooks(sandbox, { token })).status).toBe(404)
})

describe('the sandbox', () => {
  it('consents for a user, so that a program without a browser gets a code', async () => {
    const url = authorizeUrl(sandbox, { state: 's' }).href
    const consent = async (body: object) => await control(sandbox, 'POST consent', body)
    for (const user of [undefined, 'ada@example.com', sandbox.users[1]]) {
      const { status, json } = await consent({ url, user })
      const back = new URL(String(json.redirectTo))
      expect([status, back.searchParams.get('state')]).toEqual([200, 's'])
      expect(back.searchParams.get('code')).toBeTruthy()
    }
    expect((await consent({ url: url.replace('type=code', 'type=x') })).json.redirectTo).toContain('error=')
    const users = ['eve@example.com', 1].map((user) => ({ url, user }))
    for (const wrong of [{}, { url: 'x' }, { url: sandbox.url }, ...users])
      expect(await consent(wrong)).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  })

  it('is not controlled by its own notifications', async () => {
    await register({ callbackUrl: `${sandbox.url}/_sandbox/deliveries/x/redeliver` })
    const [{ id }] = await deliveries('POST trigger', { kind: KIND, body: '{}' })
    expect((await control(sandbox, `GET deliveries/${id}`)).json).toMatchObject({
      state: 'failed',
      attempts: [{ status: 403 }, { status: 403 }, { status: 403 }],
    })
  })

  it('returns its credentials', async () => {
    const { url, clientId, clientSecret, accountId, users, redirectUris } = sandbox
    const { json } = await control(sandbox, 'GET credentials')
    const authorizeUrl = `${url}/oauth/authorize`
    expect(json).toEqual({ url, clientId, clientSecret, accountId, users, redirectUris, authorizeUrl })
  })

  it('lists requests of clients, newest first, without those of the control API', async () => {
    await requestToken(sandbox)
    await callWebhooks(sandbox, { method: 'POST', body: { event: KIND } })
    const { json } = await control(sandbox, 'GET requests')
    expect(json.requests).toMatchObject([
      { method: 'POST', path: '/svc/v1.2/webhooks', status: 404, body: `{"event":"${KIND}"}` },
      { method: 'POST', path: '/oauth/token', status: 200, headers: { authorization: 'Basic ***' } },
    ])
  })

  it('is reset to its initial state, and cancels pending deliveries', async () => {
    const first = await register()
    const { access_token: token } = await requestToken(sandbox)
    const silent = await receiver(() => {})
    await register({ callbackUrl: silent.url })
    await control(sandbox, `DELETE configurations/${(await register()).id}`)
    await control(sandbox, 'PUT faults', { duplicate: 1 })
    const waiting = sandbox.trigger(KIND)
    await waitFor(() => silent.arrivals.length)
    expect((await control(sandbox, 'POST reset')).json).toEqual({})
    expect((await waiting).map(({ state }) => state).sort()).toContain('cancelled')
    for (const list of ['configurations', 'deliveries', 'requests'])
      expect((await control(sandbox, `GET ${list}`)).json).toMatchObject({ [list]: [] })
    expect((await control(sandbox, 'GET faults')).json).toEqual({})
    expect((await callWebhooks(sandbox, { token })).status).toBe(404)
    expect((await register()).id).toBe(first.id)
    expect(await deliveries('POST trigger', { kind: KIND })).toMatchObject([{ state: 'delivered' }])
  })

  it('keeps what is triggered while a reset cancels a burst, and does not wait for it', async () => {
    await register()
    const before = sandbox.trigger(KIND, {}, { faults: { burst: 2_000 } })
    const reset = sandbox.reset()
    const silent = await receiver(() => {})
    await register({ callbackUrl: silent.url })
    const [kept] = await deliveries('POST trigger?wait=false', { kind: KIND })
    await reset
    await before
    expect(sandbox.deliveries()).toMatchObject([{ id: kept.id, state: 'pending' }])
  })

  it('explains why a signature does not verify', async () => {
    const body = '{"type":"X"}'
    const signature = createHmac('sha256', sandbox.clientId).update(body).digest('hex')
    const check = async (question: object) =>
      (await control(sandbox, 'POST check-signature', question)).json as object
    expect(await check({ body, signature })).toEqual({ valid: true })
    expect(await check({ body: `${body}\n`, signature })).toMatchObject({
      valid: false,
      cause: 'newline_added',
    })
    const bodyBase64 = Buffer.from(body).toString('base64')
    expect(await check({ bodyBase64, signature: signature.toUpperCase() })).toMatchObject({
      cause: 'signature_uppercase',
    })
    expect(await check({ body, signature, clientId: 'another' })).toMatchObject({ cause: 'other_client_id' })
    expect(await check({ signature })).toMatchObject({ code: 'invalid_request' })
    await register()
    await deliveries('POST trigger', { kind: KIND, body, faults: { signature: 'wrong' } })
    const wrong = hooks.arrivals[0]?.headers['access-signature']
    expect(await check({ body, signature: wrong })).toMatchObject({ cause: 'other_client_id' })
  })

  it.each(['GET nothing', 'POST credentials', 'GET ', 'DELETE deliveries/x', 'GET deliveries/nobody'])(
    'responds 404 to %s',
    async (call) => {
      const { status, json } = await control(sandbox, call)
      expect([status, json]).toEqual([404, { code: 'not_found', message: expect.any(String) }])
    },
  )
})

describe('a page of another site', () => {
  const writes = Object.entries(documents.control.paths).flatMap(([path, operations]) =>
    ['post', 'put', 'patch', 'delete']
      .filter((method) => method in operations)
      .map((method) => `${method.toUpperCase()} ${path.slice('/_sandbox/'.length).replace(/\{\w+\}/, 'x')}`),
  )

  it('cannot write', async () => {
    const { port } = new URL(sandbox.url)
    const own = `http://evil.example:${port}`
    const origins = ['https://evil.example', 'null', 'http://localhost:1', own, 'x']
    for (const call of writes) {
      for (const origin of origins)
        expect(await control(sandbox, call, {}, { origin })).toMatchObject({
          status: 403,
          json: { code: 'origin_not_allowed' },
        })
      expect(await control(sandbox, call, {}, { host: `evil.example:${port}`, origin: own })).toMatchObject({
        status: 421,
        json: { code: 'host_not_allowed' },
      })
    }
  })

  it("does not include the sandbox's own page, which may write", async () => {
    const { port } = new URL(sandbox.url)
    for (const name of ['localhost', '127.0.0.1']) {
      const headers = { host: `${name}:${port}`, origin: `http://${name}:${port}` }
      expect((await control(sandbox, 'POST tokens/expire', undefined, headers)).status).toBe(200)
    }
  })

  it('may use an allowed host name', async () => {
    sandbox = await openSandbox({ allowedHosts: ['Sandbox.test'] })
    const headers = { host: 'sandbox.test', origin: 'https://sandbox.test' }
    expect((await control(sandbox, 'POST tokens/expire', undefined, headers)).status).toBe(200)
    expect((await control(sandbox, 'GET credentials', undefined, { host: 'evil.test' })).status).toBe(421)
  })

  it('can reach a sandbox on a network address only by its address', async () => {
    sandbox = await openSandbox({ hostname: '0.0.0.0' })
    const { port } = new URL(sandbox.url)
    const status = async (host: string, path: string) =>
      (await sendRequest(Number(port), { method: 'GET', path, headers: { host } })).status
    expect(await status('evil.example', '/_sandbox/credentials')).toBe(421)
    expect(await status('evil.example', '/')).toBe(421)
    expect(await status('10.0.0.7', '/_sandbox/credentials')).toBe(200)
    expect(await status('evil.example', '/svc/v1.0/hello')).toBe(401)
  })
})
