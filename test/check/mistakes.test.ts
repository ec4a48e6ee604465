import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { checkReceiver } from '../../src/testing/index.ts'
import { hmac } from '../contracts/hmac.ts'
import { listening } from '../contracts/listen.ts'

const clientId = 'check-client-id'
const clientSecret = 'check-client-secret'
const token = 'check-Callback-token'

/** The parts of a receiver, each of which may be wrong. */
interface Parts {
  /** Whether a request is not verified. */
  readonly skips?: (request: IncomingMessage, body: string) => unknown
  /** What is signed. */
  readonly signs?: (body: Buffer) => string | Buffer
  /** The signatures that are right. */
  readonly expected?: (body: Buffer, request: IncomingMessage) => readonly string[]
  readonly compares?: (given: string, expected: string) => boolean
  readonly hasToken?: (query: URLSearchParams) => boolean
  /** The header of the signature. */
  readonly header?: string
  /** The status for a verified body. */
  readonly handles?: (body: string) => number
  /** The body of a rejection. */
  readonly explains?: (body: Buffer) => string
}

async function open({
  skips = () => false,
  signs = (body) => body,
  expected = (body) => [hmac(signs(body), clientId)],
  compares = (given, right) => given === right,
  hasToken = (query) => query.getAll('token').join() === token,
  header = 'access-signature',
  handles = () => 200,
  explains = () => '',
}: Parts): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const given = String(request.headers[header] ?? '')
    const url = new URL(`http://localhost${request.url}`)
    const isRight =
      hasToken(url.searchParams) &&
      (skips(request, `${body}`) || expected(body, request).some((right) => compares(given, right)))
    response.writeHead(isRight ? handles(`${body}`) : 401).end(isRight ? '' : explains(body))
  })
  const { port, close } = await listening(server)
  onTestFinished(async () => void (await close()))
  return `http://127.0.0.1:${port}/hooks?token=${token}`
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const toBase64 = (digits: string) => Buffer.from(digits, 'hex').toString('base64')
const withoutZeros = (digits: string) => BigInt(`0x${digits}`).toString(16)
const dataOf = (body: Buffer) => String(JSON.parse(`${body}`).data)
const verified = new Set<unknown>()
const digits = /^[\da-f]{64}$/g

/** What a mistake is, the part with it, the case that has to find it, and what it has to say. */
const MISTAKES: readonly (readonly [string, Parts, string, RegExp])[] = [
  [
    'verifies JSON only',
    { skips: ({ headers }) => headers['content-type'] !== 'application/json' },
    'forged-types',
    /^200 \(all 10\)$/,
  ],
  [
    'does not verify forms',
    {
      skips: ({ headers }) => headers['access-signature'] && headers['content-type']?.includes('x-www-form'),
    },
    'forged-types',
    /^200 \(a form with another key\)$/,
  ],
  ['verifies POST only', { skips: ({ method }) => method === 'PUT' }, 'forged-methods', /PUT/],
  [
    'forgets to verify some kinds',
    { skips: (_, body) => body.includes('VIRTUAL') },
    'forged-kinds',
    /VIRTUAL_CARD/,
  ],
  [
    'acknowledges what it does not know',
    { skips: (_, body) => body.includes('CHECK_KIND') },
    'forged-unknown-kind',
    /^200/,
  ],
  [
    'verifies data only if it is text',
    { skips: (_, body) => body.includes('"data":{') },
    'forged-inline',
    /^200/,
  ],
  [
    'verifies as many bytes as Content-Length says',
    { skips: ({ headers }) => headers['content-length'] === undefined },
    'forged-chunked',
    /^200/,
  ],
  [
    'verifies one spelling of its path',
    { skips: ({ url = '' }) => !url.startsWith('/hooks?') },
    'forged-paths',
    /^200 \(all 8\)/,
  ],
  ['drops large bodies', { skips: (_, body) => body.length > 65_536 }, 'forged-megabyte', /^200 \(both\)$/],
  ['decodes the body', { signs: (body) => `${body}` }, 'signature-of-decoded-text', /^200 \(not UTF-8\)$/],
  [
    'removes a byte order mark',
    { signs: (body) => body.subarray(body[0] === 0xef ? 3 : 0) },
    'signature-of-decoded-text',
    /^200 \(a byte order mark\)$/,
  ],
  [
    'ends at a NUL',
    { signs: (body) => body.subarray(0, `${body}\0`.indexOf('\0')) },
    'signature-of-decoded-text',
    /^200 \(more after a NUL\)$/,
  ],
  [
    'takes a known signature for verified',
    {
      compares: (given, right) => (given === right ? verified.add(given) && true : verified.has(given)),
    },
    'body-changed-later',
    /^200 \(changed\)$/,
  ],
  [
    'compares the first half',
    { compares: (given, right) => given.length === 64 && given.startsWith(right.slice(0, 32)) },
    'signature-altered',
    /^200 \(the last digit; the second half\)$/,
  ],
  [
    'compares all but the first digit',
    { compares: (given, right) => given.length === 64 && given.slice(1) === right.slice(1) },
    'signature-altered',
    /^200 \(the first digit\)$/,
  ],
  [
    'compares numbers',
    { compares: (given, right) => Number(`0x${given}`) === Number(`0x${right}`) },
    'signature-altered',
    /the last digit/,
  ],
  [
    'compares the end',
    { compares: (given, right) => given !== '' && right.endsWith(given) },
    'signature-truncated',
    /the second half/,
  ],
  [
    'compares big integers',
    { compares: (given, right) => /^[\da-f]+$/.test(given) && withoutZeros(given) === withoutZeros(right) },
    'signature-too-long',
    /^200 \(digits before it\)$/,
  ],
  [
    'has an empty entry in a list of keys',
    { expected: (body) => [clientId, ''].map((key) => hmac(body, key)) },
    'guessable-key',
    /^200 \(an empty key\)$/,
  ],
  [
    'has a key that is not set',
    { expected: (body) => [clientId, `${undefined}`].map((key) => hmac(body, key)) },
    'guessable-key',
    /"undefined"/,
  ],
  [
    'accepts a hash without a key',
    { expected: (body) => [hmac(body, clientId), sha256(body)] },
    'guessable-key',
    /SHA-256 without a key/,
  ],
  [
    'accepts a signature of data, too',
    { expected: (body) => [hmac(body, clientId), hmac(dataOf(body), clientId)] },
    'signature-of-data',
    /^200$/,
  ],
  [
    'compares the whole type',
    {
      expected: (body, { headers }) =>
        headers['content-type']?.includes('charset') ? [] : [hmac(body, clientId)],
    },
    'charset',
    /^401$/,
  ],
  [
    'compares the start of the token',
    { hasToken: (query) => token.startsWith(query.get('token') || '?') },
    'callback-token',
    /^200 \(all but its last letter\)$/,
  ],
  [
    'ignores the case of the token',
    { hasToken: (query) => query.getAll('token').join().toLowerCase() === token.toLowerCase() },
    'callback-token',
    /^200 \(upper and lower case exchanged\)$/,
  ],
  [
    'lets requests without a token pass',
    { hasToken: (query) => query.getAll('token').every((each) => each === token) },
    'callback-token',
    /^200 \(none; a list\)$/,
  ],
  [
    'says which signature it expected',
    { explains: (body) => toBase64(hmac(body, clientId)) },
    'reveals-secret',
    /the right signature/,
  ],
  [
    'says which client id it has',
    { explains: () => `no notification for ${clientId}` },
    'reveals-secret',
    /the client id/,
  ],
  [
    'says which token it expected',
    { explains: () => `not ${token}` },
    'reveals-secret',
    /the callback token/,
  ],
  ['needs data', { handles: (body) => (/"data":"?{/.test(body) ? 200 : 500) }, 'not-data', /^500 \(all 5\)$/],
  [
    'needs two decimals',
    { handles: (body) => (/number\\":\d+\.\d\d\b/.test(body) ? 200 : 422) },
    'amounts',
    /^422 \(5000; 0.60/,
  ],
  [
    'knows no reversals',
    { handles: (body) => (body.includes('R01') ? 500 : 200) },
    'optional-fields',
    /^500 \(returned\)$/,
  ],
]

it.each(MISTAKES)('finds a receiver that %s', async (_, parts, id, observed) => {
  const { results, conclusions } = await checkReceiver({
    ...{ url: await open(parts), clientId, clientSecret },
    only: [id, 'signature-missing', 'forged-inline', 'callback-token'],
  })
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  expect(conclusions).toEqual([])
  expect(failed).toMatchObject([{ id, observed: expect.stringMatching(observed) }])
})

const latin1 = (body: Buffer) => Buffer.from(body.toString('latin1'))
const normalize = (body: Buffer) => `${body}`.normalize('NFC')
const indent = (body: Buffer) => JSON.stringify(JSON.parse(`${body}`), null, 2)

/** What a receiver verifies instead, the case that finds it, and the cause. */
const CAUSES: readonly (readonly [string, Parts, string, RegExp])[] = [
  ['Base64', { expected: (body) => [toBase64(hmac(body, clientId))] }, 'plain', /signature in Base64/],
  ['a prefix', { expected: (body) => [`sha256=${hmac(body, clientId)}`] }, 'plain', /"sha256="/],
  ['uppercase', { expected: (body) => [hmac(body, clientId).toUpperCase()] }, 'plain', /uppercase/],
  [
    'the client secret',
    { expected: (body) => [hmac(body, clientSecret)] },
    'plain',
    /key is the client secret/,
  ],
  ['a newline in the key', { expected: (body) => [hmac(body, `${clientId}\n`)] }, 'plain', /and a newline/],
  ['a hash', { expected: (body) => [sha256(body)] }, 'plain', /SHA-256 of the body, without a key/],
  ['exchanged arguments', { expected: (body) => [hmac(clientId, `${body}`)] }, 'plain', /body as its key/],
  [
    'SHA-512',
    { expected: (body) => [createHmac('sha512', clientId).update(body).digest('hex')] },
    'plain',
    /SHA-512/,
  ],
  ['a body that was read before', { signs: () => '' }, 'plain', /something read it/],
  ['an object as text', { signs: () => '[object Object]' }, 'plain', /\[object Object\]/],
  ['a serialized body', { signs: indent }, 'plain', /serializer/],
  ['data alone', { signs: dataOf }, 'plain', /"data" alone/],
  ['another header', { header: 'x-signature' }, 'plain', /header X-Signature/],
  ['the opposite', { compares: (given, right) => given !== right }, 'plain', /wrong way round/],
  [
    'a number',
    { expected: (body) => [withoutZeros(hmac(body, clientId))] },
    'leading-zeros',
    /without the zeros at its start/,
  ],
  ['Latin-1', { signs: latin1 }, 'utf-8', /Latin-1/],
  ['ASCII', { signs: (body) => body.toString('ascii') }, 'utf-8', /decoded as ASCII/],
  ['a normal form', { signs: normalize }, 'utf-8', /normal form C/],
  [
    'every other request',
    { compares: (given, right) => digits.test(given) && given === right },
    'spaces',
    /flag g/,
  ],
  ['trimmed text', { signs: (body) => `${body}`.trim() }, 'spaces-around', /white space around/],
  [
    'no chunks',
    {
      expected: (body, { headers }) => [hmac(headers['content-length'] ? body : '', clientId)],
    },
    'chunked',
    /no Content-Length/,
  ],
]

it.each(CAUSES)('names the cause if a receiver verifies %s', async (_, parts, id, cause) => {
  const { results, conclusions } = await checkReceiver({
    ...{ url: await open(parts), clientId, clientSecret },
    only: [id],
  })
  expect(results.find((result) => result.id === id)).toMatchObject({
    outcome: 'failed',
    cause: expect.stringMatching(cause),
  })
  if (id === 'plain') expect(conclusions).toEqual([expect.stringMatching(cause)])
})
