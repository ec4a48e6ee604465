// Receivers behind every adapter: the same reply to the same request, whatever its chunks, and nothing is
// acknowledged that was not handled or stored.

import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Input, toInput } from '../input.ts'
import { readBody } from '../oracles/expected-rejection.ts'
import { depthOf, MAX_DEPTH } from '../oracles/read-json.ts'
import { fixtureBodies } from '../seeds.ts'
import { sendTruncated } from '../send.ts'
import { bodyOf, type ReceivedReply, type SentRequest, valuesOf } from '../sent-request.ts'
import { CLIENT_ID, MAX_BODY_BYTES, SETUPS, type Setup, TOKEN, TOKENS, takeLog } from '../setups.ts'

/** Everything that must not be shown to a sender, or in a log. */
const SECRETS = [CLIENT_ID, ...TOKENS, encodeURIComponent(TOKEN)]

export async function run(bytes: Buffer): Promise<void> {
  const input = new Input(bytes)
  const setup = input.pick(SETUPS)
  const request = toRequest(input)
  const { method, path, query, headers } = request
  takeLog()
  if (input.below(8) === 7) {
    for (const server of setup.servers) await sendTruncated(server, request)
    deepStrictEqual(setup.bodies.splice(0), [])
    return
  }
  const expected = expectedCode(request, setup)
  for (const [adapter, send] of setup.sends) {
    const reply = await send(request)
    const context = `${adapter}: ${method} ${path}${query} ${JSON.stringify(headers)}`
    assertReply(reply, expected, setup.name !== 'verifies', context)
    const handled = setup.bodies.splice(0)
    const isHandled = expected === 'ok' || expected === 'handler_failed'
    deepStrictEqual(handled, isHandled ? [bodyOf(request)] : [], context)
  }
  const logged = takeLog()
  const leaked = SECRETS.filter((secret) => logged.includes(secret) && !path.includes(secret))
  if (!FAILING.includes(setup.name)) deepStrictEqual(leaked, [])
}

/** Their handlers' own errors are logged. */
const FAILING: readonly Setup['name'][] = ['throws', 'rejects']

const STATUS: Readonly<Record<string, number>> = {
  ok: 200,
  payload_not_utf8: 400,
  payload_not_json: 400,
  envelope_invalid: 400,
  callback_token_mismatch: 401,
  signature_missing: 401,
  signature_malformed: 401,
  signature_mismatch: 401,
  method_not_allowed: 405,
  body_too_large: 413,
  content_encoding_unsupported: 415,
  handler_failed: 500,
}

function assertReply(reply: ReceivedReply, code: string, isOurs: boolean, context: string): void {
  const { status, type, allow, body } = reply
  strictEqual(status, STATUS[code], `${context}: ${status} ${body}, not ${code}`)
  strictEqual(type, 'application/json; charset=utf-8', context)
  strictEqual(allow, isOurs && code === 'method_not_allowed' ? 'POST, PUT, PATCH' : '', context)
  const content = JSON.parse(body) as Record<string, unknown>
  if (code === 'ok') deepStrictEqual(content, { received: true }, context)
  else strictEqual(content.code, code, context)
  ok(!SECRETS.some((secret) => body.includes(secret)), context)
}

/** The reply by docs/protocol.md and docs/receiver.md: the first check that fails, in their order. */
function expectedCode(request: SentRequest, { name }: Setup): string {
  const { method, query, headers } = request
  const body = bodyOf(request)
  const values = valuesOf(headers)
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return 'method_not_allowed'
  const encodings = (values['content-encoding'] ?? []).join().split(',')
  if (!encodings.every((encoding) => ['', 'identity'].includes(encoding.trim().toLowerCase())))
    return 'content_encoding_unsupported'
  const isTooLarge = body.length > MAX_BODY_BYTES
  if (isTooLarge && 'content-length' in values) return 'body_too_large'
  const tokens = new URLSearchParams(query).getAll('token')
  const needsToken = name === 'needs token' || name === 'verifies'
  if (needsToken && !(tokens.length === 1 && TOKENS.includes(tokens.join()))) return 'callback_token_mismatch'
  if (isTooLarge) return 'body_too_large'
  const [signature = '', ...others] = values['access-signature'] ?? []
  if (others.length === 0 && signature === '') return 'signature_missing'
  if (others.length > 0 || !/^[0-9a-f]{64}$/.test(signature)) return 'signature_malformed'
  if (signature !== hmac(body)) return 'signature_mismatch'
  if (name === 'stores') return 'ok'
  const envelope = readBody(body)
  if (typeof envelope === 'string') return envelope
  return FAILING.includes(name) ? 'handler_failed' : 'ok'
}

function hmac(body: Buffer): string {
  return createHmac('sha256', CLIENT_ID).update(body).digest('hex')
}

type Headers = readonly (readonly [name: string, value: string])[]
type Choices<Value> = readonly [Value, ...Value[]]

const QUERIES: Choices<string> = [
  `?token=${encodeURIComponent(TOKEN)}`,
  '',
  '?',
  '?token=',
  '?token',
  '?token=a-long-random-token',
  `?token=${encodeURIComponent(TOKEN)}&token=`,
  `?token=${encodeURIComponent(TOKEN)}&other=%zz&&`,
  `?a=1;b&%74oken=${encodeURIComponent(TOKEN)}`,
  `?TOKEN=${encodeURIComponent(TOKEN)}`,
  `?token=another-callback-token`,
  `?token[]=${encodeURIComponent(TOKEN)}`,
  `?__proto__=1&token=${encodeURIComponent(TOKEN)}`,
  `?x=/?token=${encodeURIComponent(TOKEN)}`,
]

/** Any content type, or none, which some frameworks parse. */
const EXTRA: Choices<Headers> = [
  [['content-type', 'application/json']],
  [],
  [['content-type', 'text/plain; charset=utf-16']],
  [['content-type', 'application/x-www-form-urlencoded']],
  [['content-type', 'multipart/form-data']],
  [['content-type', ';;"']],
  [['Content-Encoding', 'identity']],
  [['content-encoding', ' IDENTITY ,identity, ']],
  [['content-encoding', '']],
  [['content-encoding', 'gzip']],
  [['content-encoding', 'identity, br']],
  linesOf('content-encoding: identity', 'content-encoding: deflate'),
  linesOf('__proto__: x', 'constructor: y', 'toString: z', 'get: f'),
  linesOf('x-http-method-override: GET', 'x-original-url: /?token', 'access_signature: 0'),
  linesOf('accept-encoding: gzip', 'range: bytes=0-', 'if-none-match: *', 'accept: text/html'),
]

function linesOf(...lines: readonly string[]): Headers {
  return lines.map((line) => line.split(': ') as [string, string])
}

const NAMES: Choices<string> = [
  'ACCESS-SIGNATURE',
  'access-signature',
  'Access-Signature',
  'ACCESS-SIGNATURE2',
]

function toRequest(input: Input): SentRequest {
  // The oracle calls itself, payhook does not.
  const body = depthOf(input.body.toString('latin1')) > MAX_DEPTH ? Buffer.from('[') : input.body
  const right = hmac(body)
  const name = input.pick(NAMES)
  const signatures = input.pick<() => Headers>([
    () => [[name, right]],
    () => [],
    () => [[name, '']],
    () => [[name, right.toUpperCase()]],
    () => [
      [name, right],
      ['access-signature', right],
    ],
    () => [[name, `${right.slice(0, input.below(64))}`]],
    () => [[name, right.replace(/./, '0')]],
    () => [[name, `${right},`]],
    () => [[name, `\u00e9${right.slice(1)}`]],
    () => [[name, createHmac('sha256', TOKEN).update(body).digest('hex')]],
  ])()
  const method = input.pick(['POST', 'PUT', 'PATCH', 'GET', 'DELETE', 'OPTIONS'])
  const query = input.pick(QUERIES)
  const extra = input.pick(EXTRA)
  const length: Headers = input.below(2) === 0 ? [['Content-Length', String(body.length)]] : []
  const path = input.pick(['/webhooks', '/', '//a/../b', '/%2e%2e/%00', '/__proto__'])
  return { method, path, query, headers: [...signatures, ...extra, ...length], chunks: cut(input, body) }
}

function cut(input: Input, body: Buffer): Buffer[] {
  const at = [0, 0, 0, 0]
    .map(() => Math.round((input.below(255) / 254) * body.length))
    .toSorted((a, b) => a - b)
  return [0, ...at].map((start, index) => body.subarray(start, at[index]))
}

export const seeds = () => [
  ...fixtureBodies(),
  ...fixtureBodies()
    .slice(0, 20)
    .map((body, index) => toInput(body, index % SETUPS.length, 0, 0, 0, 0, 0, 0, 0, 50, 100, 150)),
]
