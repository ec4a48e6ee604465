import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Client, createClient, isPayhookError } from '../../../src/client/index.ts'
import { anyCharacter } from '../../any-character.ts'
import { listenTcp } from '../../support/listen-tcp.ts'
import { respond } from '../exchange.ts'
import { clientOf, failureOf, openClient, openService, storeWithToken } from '../open-client.ts'

const wanted = { event: 'VBA_TRANSACTION', callbackUrl: 'https://a.example/' }
const calls: ((client: Client) => Promise<unknown>)[] = [
  (client) => client.hello(),
  (client) => client.request({ method: 'GET', path: '/svc/v1.0/thing' }),
  (client) => client.request({ method: 'POST', path: '/svc/v1.0/thing', body: [] }),
  (client) => client.webhooks.list(),
  (client) => client.webhooks.create(wanted),
  (client) => client.webhooks.update('1', wanted),
  (client) => client.webhooks.update('1', { event: 'A' }),
  (client) => client.webhooks.delete('1'),
  (client) => client.webhooks.get('1'),
  (client) => client.webhooks.sync([wanted], { prune: true }),
]

/** A value, or one of payhook's errors. */
async function expectOrderly(promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return
  if (!isPayhookError(error)) throw error
  expect(error.code).toMatch(/^[a-z_]+$/)
  expect(typeof error.message).toBe('string')
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
)
const field = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('1', '101', 'Active', 'bearer', 1, 101, 2 ** 60, -1, 1e308, ''),
)
const likely = (...names: string[]) =>
  fc
    .dictionary(fc.constantFrom(...names, '__proto__', 'constructor', 'toJSON'), field)
    .map((object) => Buffer.from(JSON.stringify(object)))
const configuration = likely('id', 'event', 'callbackUrl', 'callbackURL', 'status')
const list = fc.array(configuration, { maxLength: 3 }).map((all) => Buffer.from(`[${all.join()}]`))
const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 400, 401, 404, 405, 409, 429, 500, 503),
  fc.integer({ min: 200, max: 599 }),
)
const headers = fc.dictionary(
  fc.constantFrom('content-type', 'retry-after', 'www-authenticate', 'location', 'content-encoding', 'x-a'),
  fc.constantFrom(
    '',
    'application/json',
    'text/html; charset=utf-16',
    '0',
    '-1',
    'x',
    'Bearer error="invalid_token"',
    'gzip',
    'br',
    'http://[',
    '*',
  ),
)
const response = fc.tuple(status, fc.oneof(bytes, configuration, list), headers)

describe('whatever the service responds with', () => {
  it('a call resolves or rejects with a PayhookError', async () => {
    const { service, client } = await openClient({}, { maxRetries: 1 })
    const some = fc.array(response, { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.nat(calls.length - 1), some, async (which, responses) => {
        service.forget()
        await client.token()
        const steps = responses.map((each) => respond(...each))
        service.on('GET /svc*', [...steps, ...steps, ...steps, ...steps])
        for (const method of ['POST', 'PATCH', 'DELETE']) service.on(`${method} /svc*`, steps)
        await expectOrderly(calls[which]?.(client) ?? Promise.resolve())
      }),
      { numRuns: 100 },
    )
    service.complaints.length = 0
  })

  it('a grant resolves or rejects with a PayhookError', async () => {
    const service = await openService()
    const optional = ['token_type', 'refresh_token', 'expires_in', 'scope', 'account_id', 'user_id']
    const token = likely('access_token', ...optional)
    const access = fc.string({ unit: anyCharacter, minLength: 1 })
    const whole = fc
      .tuple(access, fc.dictionary(fc.constantFrom(...optional, 'id_token', 'error'), field))
      .map(([access_token, fields]) => ({ token_type: 'bearer', access_token, ...fields }))
      .map((object) => Buffer.from(JSON.stringify(object)))
    const body = fc.oneof(bytes, token, whole, whole)
    const responses = fc.array(fc.tuple(status, body, headers), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(responses, async (sent) => {
        service.forget()
        service.on(
          'POST *',
          sent.map((each) => respond(...each)),
        )
        const client = clientOf(service, { maxRetries: 0 })
        for (let round = 0; round < 2; round++) await expectOrderly(client.hello())
        await expectOrderly(client.refresh())
        await expectOrderly(client.exchangeCode({ code: 'c-1-2-3', redirectUri: wanted.callbackUrl }))
      }),
      { numRuns: 80 },
    )
    service.complaints.length = 0
  })

  it('a response that is not HTTP is a PayhookError', async () => {
    let bytesToSend: Uint8Array = Buffer.alloc(0)
    const baseUrl = await listenTcp((socket) => socket.once('data', () => socket.end(bytesToSend)))
    const credentials = { clientId: 'a', clientSecret: 'client-secret-1' }
    const client = createClient({ baseUrl, ...credentials, maxRetries: 0, retryDelayMs: 1 })
    const line = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 999 Odd\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.0 200\r\n',
      'HTTP/2 200\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: 99999999999999999999\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Content-Encoding: gzip\r\n',
      '\r\n',
      '5\r\nhello\r\n',
      'FFFFFFFFFFFFFFFF\r\n',
      '0\r\n\r\n',
      '{"access_token":"abc","token_type":"bearer"}',
    )
    const wire = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(line, { maxLength: 6 }).map((lines) => Buffer.from(lines.join(''))),
      fc
        .tuple(fc.constant('HTTP/1.1 200 OK\r\n'), fc.array(line, { maxLength: 6 }))
        .map(([start, lines]) => Buffer.from(start + lines.join(''))),
    )
    await fc.assert(
      fc.asyncProperty(wire, async (sent) => {
        bytesToSend = sent
        await expectOrderly(client.hello())
      }),
      { numRuns: 80 },
    )
  })

  const deep: [string, string][] = [
    ['lists', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
    ['objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['lists that are never closed', '['.repeat(40_000)],
    [
      'a token',
      `{"access_token":"abc","token_type":"bearer","a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
    ],
  ]

  it.each(deep)('nested so deep that a recursion would break: %s', async (_name, body) => {
    const { service, client } = await openClient({}, { maxRetries: 0 })
    await client.token()
    const { webhooks } = client
    for (const call of [client.hello, client.refresh, webhooks.list, () => webhooks.create(wanted)]) {
      for (const code of [200, 400]) {
        service.forget()
        service.on('*', Array(12).fill(respond(code, body)))
        await expectOrderly(call())
      }
    }
    service.complaints.length = 0
  })
})

describe('a fetch that misbehaves', () => {
  const fails = (controller: ReadableStreamDefaultController) => controller.error(new Error('torn'))

  it.each<[string, () => unknown]>([
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
    ['rejects with nothing', () => Promise.reject()],
    ['gives nothing', () => undefined],
    ['gives an opaque redirect', () => Response.error()],
    ['gives a body that fails', () => new Response(new ReadableStream({ start: fails }))],
  ])('%s: rejects with a PayhookError', async (_name, behave) => {
    const service = await openService()
    const fetch = (() => behave()) as never
    for (const options of [{}, { tokenStore: await storeWithToken(service) }]) {
      const hello = clientOf(service, { ...options, fetch, maxRetries: 1 }).hello()
      expect(isPayhookError(await hello.catch((error: unknown) => error))).toBe(true)
    }
  })

  it.each<[string, () => Promise<Response>]>([
    ['never settles', () => new Promise(() => {})],
    ['gives a body that ignores the signal', async () => new Response(new ReadableStream({}))],
  ])('%s: the call times out', async (_name, fetch) => {
    const service = await openService()
    const tokenStore = await storeWithToken(service)
    const client = clientOf(service, { tokenStore, fetch, timeoutMs: 20, maxRetries: 1 })
    expect(await failureOf(client.hello())).toMatchObject({ code: 'network_timeout' })
  })
})
