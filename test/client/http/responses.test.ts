import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ApiError, NetworkError, TokenError } from '../../../src/client/index.ts'
import { paymentDataSchema } from '../../../src/index.ts'
import { flood, respond, type Step, toResponse } from '../exchange.ts'
import {
  clientOf,
  failureOf,
  openClient,
  openScripted,
  openService,
  shown,
  storeWithToken,
} from '../open-client.ts'

const thing = '/svc/v1.0/thing'
const get = { method: 'GET', path: thing }
const TOKEN = 'POST /oauth/token'

it.each([301, 303, 304, 307, 308])(
  'a %i is rejected, and neither token nor secret goes along',
  async (status) => {
    const { service, client } = await openClient()
    const witness = await openService()
    service.on(TOKEN, respond(status, '', { location: `${witness.url}/oauth/token` }))
    expect(await failureOf(client.token())).toMatchObject({ code: 'token_endpoint_failed', status })
    service.on(`GET ${thing}`, respond(status, '', { location: `${witness.url}${thing}` }))
    expect(await failureOf(client.request(get))).toMatchObject({ code: 'redirect_rejected', status })
    expect(witness.requests).toEqual([])
    expect(service.calls).toHaveLength(1)
  },
)

describe('the body of an error', () => {
  const bodies: [string, string | Uint8Array, unknown][] = [
    ['the usual shape', '{"code":7,"message":"m","logTag":"l"}', { code: 7, message: 'm', logTag: 'l' }],
    ['JSON with a long number', '{"code":12345678901234567890}', { code: '12345678901234567890' }],
    ['a list', '[1]', [1]],
    ['null', 'null', null],
    ['HTML', '<!doctype html><h1>502</h1>', '<!doctype html><h1>502</h1>'],
    ['half of JSON', '{"code":', '{"code":'],
    ['nothing', '', undefined],
    ['an error that is no text', '{"error":5}', { error: 5 }],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0xc3]), '\ufffd\ufffd\u0000\ufffd'],
  ]

  it.each(bodies)('is kept as it came, and is of no OAuth error: %s', async (_name, body, expected) => {
    const { service, client } = await openScripted(TOKEN, respond(400, body))
    const rejected = { code: 'grant_rejected', status: 400, oauthError: undefined }
    expect(await failureOf(client.token())).toMatchObject(rejected)
    service.on(`GET ${thing}`, respond(400, body))
    const error = await failureOf(client.request(get))
    expect([error.code, error.status, error.body]).toEqual(['request_rejected', 400, expected])
  })

  it('of the token endpoint is not in the error, but its OAuth error and its reason are', async () => {
    const { service, client } = await openClient()
    const said = { error: 'invalid_scope', error_description: 'the scope is all', account: 'of Mr Smith' }
    service.on(TOKEN, respond(400, said))
    const error = await failureOf(client.token())
    expect(error).toMatchObject({ code: 'grant_rejected', oauthError: 'invalid_scope' })
    expect(error.message).toContain('responded with 400: the scope is all.')
    expect(error).not.toHaveProperty('body')
    expect(shown(error)).not.toContain('Smith')
  })

  it('asks at an HTML page with 403 whether the address of this machine is admitted', async () => {
    const { service, client } = await openClient()
    for (const call of [TOKEN, `GET ${thing}`]) {
      service.on(call, respond(403, '<html>'))
      const error = await failureOf(client.request(get))
      expect(error.message).toContain('403')
      expect(error.message).toContain('Is the address of this machine admitted by the service?')
    }
  })

  it.each([
    [{ code: 400, message: 'no such kind', account: 'of Mr Smith' }, ' got a 400: no such kind. '],
    [{ error: 'invalid_request', error_description: 'no kind' }, ' got a 400: no kind. '],
    [{ message: 'two\r\nlines' }, ' got a 400: two%0D%0Alines. '],
    [{ message: 'x'.repeat(5_000) }, ` got a 400: ${'x'.repeat(200)}. `],
    [{ message: { not: 'text' } }, ' got a 400. '],
    ['of Mr Smith', ' got a 400. '],
  ])('has its reason in the message, and no more: %j', async (body, part) => {
    const { client } = await openScripted(`GET ${thing}`, respond(400, body))
    const error = await failureOf(client.request(get))
    expect(error.message).toContain(part)
    expect(error.message).not.toContain('Smith')
  })
})

describe('a response that is too large', () => {
  const tooLarge = { code: 'response_invalid', status: 502 }

  it.each<[string, Step]>([
    ['declared', respond(200, `"${'x'.repeat(2_000)}"`)],
    ['in pieces', flood(500_000)],
    ['without end', flood(Number.POSITIVE_INFINITY)],
  ])('is cut off, and its connection closed: %s', async (_name, step) => {
    const { service, client } = await openClient({}, { maxResponseBytes: 1_000 })
    service.on(TOKEN, step)
    expect(await failureOf(client.token())).toMatchObject({ code: 'token_response_invalid' })
    const closed = Promise.withResolvers<void>()
    service.on(`GET ${thing}`, (exchange) => {
      exchange.response.on('close', () => closed.resolve())
      return step(exchange)
    })
    expect(await failureOf(client.request(get))).toMatchObject(tooLarge)
    await closed.promise
    expect(service.calls).toHaveLength(1)
  })

  it('by one byte', async () => {
    const service = await openService({ hello: toResponse(200, `"${'x'.repeat(498)}"`) })
    expect(await clientOf(service, { maxResponseBytes: 500 }).hello()).toHaveLength(498)
    const hello = clientOf(service, { maxResponseBytes: 499 }).hello()
    expect(await failureOf(hello)).toMatchObject({ ...tooLarge, body: expect.stringContaining('"xxx') })
  })

  it('says so of a list of configurations, too', async () => {
    const { service, client } = await openClient({}, { maxResponseBytes: 1_000 })
    service.on('GET /svc/v1.2/webhooks', respond(200, Array(200).fill({ id: 1 })))
    expect((await failureOf(client.webhooks.list())).message).toContain('larger than "maxResponseBytes"')
  })

  it('after decompression', async () => {
    const { service, client } = await openClient({}, { maxResponseBytes: 100_000 })
    const bomb = gzipSync(`"${'x'.repeat(5_000_000)}"`)
    service.on(`GET ${thing}`, respond(200, bomb, { 'content-encoding': 'gzip' }))
    expect(await failureOf(client.request(get))).toMatchObject(tooLarge)
  })
})

describe('an error', () => {
  it('has expose false, whatever its status', () => {
    for (const error of [
      new ApiError('request_rejected', 'made', { status: 404 }),
      new TokenError('grant_rejected', 'made', { status: 401 }),
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
    ['text', 'ok', 'ok'],
    ['nothing', '', undefined],
    ['numbers', '[1e400,9007199254740993,0.1]', ['1e400', '9007199254740993', 0.1]],
    ['integers', '[9007199254740991,-9007199254740992]', [9007199254740991, '-9007199254740992']],
    ['large integers in other forms', '[1.00e+22,9007199254740994.0]', ['1.00e+22', '9007199254740994.0']],
  ])('may be %s', async (_name, body, expected) => {
    const { client } = await openScripted(`GET ${thing}`, respond(200, body))
    expect(await client.request(get)).toEqual(expected)
  })

  it('has ids and amounts that the schema of a payment takes, however large they are', async () => {
    const text =
      '{"id":9007199254740994,"status":"Sent","amount":{"number":10000000000000000,"currency":"VND"}}'
    const { client } = await openScripted(`GET ${thing}`, respond(200, text))
    expect(paymentDataSchema.parse(await client.request(get))).toMatchObject({
      id: '9007199254740994',
      amount: { number: '10000000000000000' },
    })
  })

  it('may arrive in pieces that end within a character', async () => {
    const pieces = [...Buffer.from('{"payee":"Jürgen €"}')].map((byte) => Uint8Array.of(byte))
    const fetch = async () => new Response(ReadableStream.from<unknown>(pieces) as ReadableStream)
    const service = await openService()
    const client = clientOf(service, { tokenStore: await storeWithToken(service), fetch })
    expect(await client.request(get)).toEqual({ payee: 'Jürgen €' })
  })
})
