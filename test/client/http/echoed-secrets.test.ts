import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createRedaction } from '../../../src/client/http/redaction.ts'
import type { Client } from '../../../src/client/index.ts'
import { respond, type Step, toResponse } from '../exchange.ts'
import {
  type ClientFailure,
  clientOf,
  failureOf,
  openClient,
  openService,
  shown,
  storeWithToken,
} from '../open-client.ts'

const THING = '/svc/v1.0/thing'
const TOKEN = 'POST /oauth/token'

// Of words that occur nowhere else, so that a part of a secret is seen in whatever notation it is left.
const access = 'Kwqzjh+Bvxnmt/Rplkdf=Gzxcvw&Ytrwqp%41'
const refresh = 'Nhgbvf/Lkmjnb+Zaqxsw???Pfdkgj&Mcnvbx'
const clientSecret = 'Qmznxb+Wvtcrx/Eyghub=Ujmkil&Olpzxc%2B'
const secrets = [access, refresh, clientSecret]
const words = secrets.flatMap((secret) => secret.split(/[^a-z]+/i)).filter((word) => word.length === 6)

function expectNoWord(error: unknown): void {
  const text = shown(error)
  for (const word of words) expect(text.includes(word), `${word} in ${text.slice(0, 2_000)}`).toBe(false)
}

/** A service of these secrets, and a client that has its token. */
async function openEchoing(maxResponseBytes?: number) {
  const token = { access_token: access, refresh_token: refresh }
  const service = await openService({ clientSecret, token })
  const tokenStore = await storeWithToken(service)
  const client = clientOf(service, { tokenStore, maxRetries: 0, maxResponseBytes })
  return { service, client, tokenStore }
}

const get = (client: Client) => failureOf(client.request({ method: 'GET', path: THING }))

/** Ways to write a text within the quotes of JSON. */
const spellings: [string, (text: string) => string][] = [
  ['plain', (text) => JSON.stringify(text).slice(1, -1)],
  ['with escapes', (text) => text.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
  ['with %2B', encodeURIComponent],
  ['with %2b', (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())],
  ['as a form does', (text) => String(new URLSearchParams({ x: text })).slice(2)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
]

/** Places in JSON where it can stand. */
const places: [string, (spelled: string) => string][] = [
  ['text around it', (spelled) => `{"echo":"Bearer ${spelled}, and again ${spelled}"}`],
  ['a name within a name', (spelled) => `{"x-${spelled}":{"y-${spelled}":["${spelled}"]}}`],
  ['a list', (spelled) => `[[["${spelled}"],"${spelled}"]]`],
]

describe.each(spellings)('a secret that is sent back %s', (_name, spell) => {
  it.each(places)('in %s is not in the error', async (_place, place) => {
    const { service, client } = await openEchoing()
    for (const secret of secrets) {
      const body = `{"message":"kept","echo":${place(spell(secret))}}`
      service.on(`GET ${THING}`, respond(422, body))
      const error = await get(client)
      expect(error).toMatchObject({ code: 'request_rejected', status: 422, body: { message: 'kept' } })
      expect(inspect(error.body, { depth: 20 })).toContain('[redacted]')
      expect(shown(error)).not.toContain(spell(secret))
      expectNoWord(error)
    }
  })

  it('by the token endpoint is not in the error', async () => {
    const { service, client } = await openEchoing()
    for (const secret of secrets) {
      const body = `{"error":"${spell(secret)}","error_description":"kept <${spell(secret)}>"}`
      service.on(TOKEN, [respond(400, body), respond(400, body)])
      const error = await failureOf(client.refresh())
      expect(error).toMatchObject({ code: 'grant_rejected', status: 400 })
      expect(error.message).toContain('kept <[redacted]')
      expectNoWord(error)
    }
  })
})

it('a secret that begins with another one is redacted completely', async () => {
  const longer = `${access}-Jvqwhz`
  const service = await openService({ token: { access_token: access, refresh_token: longer } })
  const tokenStore = await storeWithToken(service)
  service.on(`GET ${THING}`, respond(422, { echo: `<${longer}> <${access}>` }))
  const { body } = await get(clientOf(service, { tokenStore }))
  expect(body).toEqual({ echo: '<[redacted]> <[redacted]>' })
})

it('a token is forgotten after a hundred newer ones, and the application\u2019s secrets never', () => {
  const redaction = createRedaction(clientSecret)
  for (let count = 0; count <= 100; count++) redaction.add(`token-${count}-of-many`)
  const redacted = redaction.redact(`token-0-of-many, token-1-of-many, ${clientSecret}`)
  expect(redacted).toBe('token-0-of-many, [redacted], [redacted]')
})

it('the credentials of the application are redacted where the token endpoint sends them back', async () => {
  const { service, client } = await openEchoing()
  const echo: Step = ({ request, send }) =>
    send(toResponse(400, { message: `${request.headers.authorization}, ${clientSecret}` }))
  service.on(TOKEN, [echo, echo])
  const error = await failureOf(client.refresh())
  expect(error.message).toContain('Basic [redacted], [redacted]')
  expectNoWord(error)
})

describe('tokens that the client does not know', () => {
  const stranger = 'Wqxzjk-Vbnmhg'
  const url = `https://other.example/hook?a=1&token=${stranger}&b=2`

  it.each<[string, string, string]>([
    ['the URL of a configuration', JSON.stringify({ a: { callbackUrl: url } }), '?a=1&token=[redacted]&b=2'],
    ['a URL in a sentence', JSON.stringify({ message: `${url} is taken` }), 'token=[redacted]&b=2 is taken'],
    ['a URL as a name', JSON.stringify({ [url]: 1 }), 'token=[redacted]&b=2'],
    ['a URL in HTML', `<a href="${url.replaceAll('&', '&amp;')}">`, '?a=1&amp;token=[redacted]&amp;b=2'],
    ['a URL in truncated JSON', JSON.stringify({ url }).slice(0, -8), '?a=1&token=[redacted]'],
    ['a form', `access_token=${stranger}&token_type=bearer&refresh_token=${stranger}`, '&token_type=bearer&'],
    ['a token response', JSON.stringify([{ access_token: stranger, token_type: 'bearer' }]), "'bearer'"],
    [
      'a truncated token response further down',
      `[{"token_type":"bearer","accessToken":"${stranger}","refresh_token" : "${stranger.slice(0, 8)}`,
      '"accessToken":"[redacted]","refresh_token" : "[redacted]',
    ],
    [
      'a token response in a text',
      JSON.stringify({ a: JSON.stringify({ access_token: stranger }) }),
      '[redacted]',
    ],
  ])('are not in the error that carries them: %s', async (_name, body, kept) => {
    const { service, client } = await openEchoing()
    service.on(`GET ${THING}`, respond(422, body))
    service.on(TOKEN, [respond(400, body), respond(400, body)])
    const error = await get(client)
    expect(inspect(error.body, { depth: 20 })).toContain(kept)
    for (const each of [error, await failureOf(client.refresh())]) {
      expect(shown(each)).not.toContain(stranger.slice(0, 6))
    }
  })

  it('but sentences about tokens are not redacted', async () => {
    const { service, client } = await openEchoing()
    const body = { message: 'Token: expired', error: 'expired_token', token_type: 'bearer' }
    service.on(`GET ${THING}`, respond(422, body))
    expect((await get(client)).body).toEqual(body)
  })
})

it.each([(text: string) => text, encodeURIComponent])(
  'a secret in text that is not JSON is not in the error',
  async (spell) => {
    const { service, client } = await openEchoing()
    const text = secrets.map((secret) => `<p>kept "${spell(secret)}"</p>`).join('\n')
    service.on(`GET ${THING}`, respond(422, text))
    const error = await get(client)
    expect(error.body).toContain('<p>kept "[redacted]"</p>')
    expectNoWord(error)
  },
)

describe('a body that is truncated in the middle of a secret', () => {
  const before = `{"message":"${'kept '.repeat(60)}","echo":"`

  it.each<[string, (text: string) => string]>([
    ['plain', (text) => text],
    ['in a URL', encodeURIComponent],
  ])('has no part of it in the error: %s', async (_name, spell) => {
    const { service, tokenStore } = await openEchoing()
    const spelled = spell(access)
    for (let shownOfIt = 1; shownOfIt < spelled.length; shownOfIt += 3) {
      service.on(`GET ${THING}`, respond(shownOfIt % 2 ? 200 : 422, `${before}${spelled}"}`))
      const maxResponseBytes = before.length + shownOfIt
      const error = await get(clientOf(service, { tokenStore, maxResponseBytes, maxRetries: 0 }))
      expect(String(error.body)).toContain('kept kept')
      // Four characters, as anything less is in every other text.
      if (shownOfIt >= 4) expect(shown(error), `${shownOfIt}`).not.toContain(access.slice(0, 4))
      expectNoWord(error)
    }
  })

  it('of the token endpoint has no part of it in the error', async () => {
    const { service, tokenStore } = await openEchoing()
    for (const cut of [4, 10, 20, 30]) {
      service.on(TOKEN, Array(2).fill(respond(400, `${before}${refresh}"}`)))
      const client = clientOf(service, { tokenStore, maxResponseBytes: before.length + cut })
      const error = await failureOf(client.refresh())
      expect(error).toMatchObject({ code: 'grant_rejected', status: 400 })
      expect(shown(error)).not.toContain(refresh.slice(0, 4))
    }
  })
})

describe('a body in JSON', () => {
  const nested = (depth: number) => [
    `${'['.repeat(depth)}"${access}"${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}"${access}"${'}'.repeat(depth)}`,
  ]

  it('of 1,000 levels is redacted on every level', async () => {
    const { service, client } = await openEchoing()
    for (const text of nested(1_000)) {
      service.on(`GET ${THING}`, respond(422, text))
      let { body } = await get(client)
      let found = 0
      for (; typeof body === 'object' && body !== null; found++) body = Object.values(body)[0]
      expect([body, found]).toEqual(['[redacted]', 1_000])
    }
  })

  it.each([5_000, 10_000])('of %i levels is cut off, so that the error can be logged', async (depth) => {
    const { service, client } = await openEchoing()
    for (const text of nested(depth)) {
      service.on(`GET ${THING}`, respond(422, text))
      const error = await get(client)
      expect(JSON.stringify(error)).toContain('more than 1000 levels')
      expectNoWord(error)
    }
  })

  it('keeps a property named __proto__', async () => {
    const { service, client } = await openEchoing()
    service.on(`GET ${THING}`, respond(422, '{"__proto__":{"polluted":true},"b":{"c":1e2}}'))
    const { body } = (await get(client)) as ClientFailure & { body: Record<string, unknown> }
    expect(Object.keys(body)).toEqual(['__proto__', 'b'])
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(body.polluted).toBeUndefined()
    expect(body.b).toEqual({ c: 100 })
  })
})

describe('the callback token', () => {
  const secret = 'Hvbnmq+Tzxdfg/Wplkju=Sryewt'
  const parts = secret.split(/[^a-z]/i)
  const callbackUrl = `https://a.example/hook?token=${encodeURIComponent(secret)}&x=1`
  const desired = { event: 'VBA_TRANSACTION', callbackUrl }
  const PATCH_101 = 'PATCH /svc/v1.2/webhooks/101'

  it.each<[string, string, (client: Client) => Promise<unknown>]>([
    ['create', 'POST /svc/v1.2/webhooks', ({ webhooks }) => webhooks.create(desired)],
    ['update of both', PATCH_101, ({ webhooks }) => webhooks.update('101', desired)],
    ['update of the URL', PATCH_101, ({ webhooks }) => webhooks.update('101', { callbackUrl })],
    ['sync', 'POST /svc/v1.2/webhooks', ({ webhooks }) => webhooks.sync([desired])],
  ])('that a 422 to %s sends back is not in the error', async (_name, route, call) => {
    for (const token of [secret, encodeURIComponent(secret), 'nothing but the request']) {
      const { service, client } = await openClient()
      service.webhooks.add('A', 'https://a.example/other')
      service.webhooks.add('A', callbackUrl)
      service.on(route, ({ request, send }) =>
        send(toResponse(422, { message: 'no such URL', seen: request.body, [`token ${token}`]: [token] })),
      )
      const error = await failureOf(call(client))
      expect(error).toMatchObject({ code: 'request_rejected', body: { message: 'no such URL' } })
      expect(inspect(error.body)).toContain('token=[redacted]')
      for (const part of parts) expect(shown(error)).not.toContain(part)
    }
  })
})

it.each(['\\'.repeat(200), `${'\\'.repeat(60)}${'+'.repeat(60)}`, '\\u002b'.repeat(30)])(
  'a code of %s does not slow down redaction',
  async (code) => {
    const service = await openService()
    service.on(TOKEN, respond(400, { error: 'invalid_grant', error_description: `${code.slice(0, -1)}?` }))
    const exchange = clientOf(service).exchangeCode({ code, redirectUri: 'https://app.example/back' })
    expect(await failureOf(exchange)).toMatchObject({ code: 'grant_rejected' })
    service.on(TOKEN, respond(400, `Unknown code ${code}, or ${JSON.stringify(code)}`))
    const again = clientOf(service).exchangeCode({ code, redirectUri: 'https://app.example/back' })
    expect(shown(await failureOf(again))).not.toContain(code)
    service.complaints.length = 0
  },
)
