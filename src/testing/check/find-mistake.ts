import { Buffer } from 'node:buffer'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { unescape as decodePercent } from 'node:querystring'
import { REWRITTEN, rewrittenBodies } from '../rewritten-bodies.ts'
import { KEPT } from './conclude.ts'
import { piecesOf } from './exchange.ts'
import { isAccepted } from './judge.ts'
import type { Exchange, PlannedRequest, Send } from './planned-request.ts'
import type { Samples } from './samples.ts'

const dataOf = ({ data }: { data: unknown }) => (typeof data === 'string' ? data : JSON.stringify(data))

/** What is signed instead of the body. */
const textsOf = (text: string, bytes = Buffer.from(text)): Readonly<Record<string, string>> => ({
  'without the white space around it': text.trim(),
  'without its line breaks': text.replace(/[\r\n]+/g, ''),
  'as far as its first line break': text.replace(/\r?\n.*/s, ''),
  'with its first line only': text.replace(/(?<=\n).*/s, ''),
  'with one space for each run of white space': text.replace(/\s+/g, ' '),
  'without any white space': text.replace(/\s/g, ''),
  'in Unicode normal form C': text.normalize('NFC'),
  'without its letters beyond ASCII': text.replace(/[^\0-\x7f]/g, ''),
  'with ? for letters beyond ASCII': text.replace(/[^\0-\x7f]/gu, '?'),
  'with ? for each byte beyond ASCII': bytes.toString('latin1').replace(/[\x80-\xff]/g, '?'),
  'with U+FFFD for each byte beyond ASCII': bytes.toString('latin1').replace(/[\x80-\xff]/g, '\ufffd'),
  'decoded as ASCII': bytes.toString('ascii'),
  'without its backslashes': text.replace(/\\(.)/g, '$1'),
  'with &lt; and &gt; for < and >': text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'without its HTML tags': text.replace(/<[^>]*>/g, ''),
  'with its percent-encoding decoded': decodePercent(text),
  'decoded as a form': decodePercent(text.replaceAll('+', ' ')),
  'when it is empty: something read it before, or there was no Content-Length to read by': '',
  'as an empty object': '{}',
  'as an empty array': '[]',
  'as the text [object Object]': '[object Object]',
  'without its envelope: "data" alone': dataOf(JSON.parse(text)),
})

/** How the right signature is written. */
const formsOf = (digits: string, digest = Buffer.from(digits, 'hex')): Readonly<Record<string, string>> => ({
  'in Base64': digest.toString('base64'),
  'in Base64 for URLs': digest.toString('base64url'),
  'in Base64 of its digits': Buffer.from(digits).toString('base64'),
  'in uppercase digits': digits.toUpperCase(),
  'with "sha256=" before it': `sha256=${digits}`,
  'without the zeros at its start': digits.replace(/^0+/, ''),
  'with one digit for a byte below 16': digits.replace(/0(.)|(..)/g, '$1$2'),
  'with its bytes as signed integers': [...digest]
    .map((byte) => (((byte << 24) >> 24) >>> 0).toString(16))
    .join(''),
})

const keysOf = ({ clientId, clientSecret = clientId }: Samples): Record<string, string | Buffer> => ({
  'the client secret': clientSecret,
  'empty, perhaps because the client id was decoded': '',
  'the text "undefined"': 'undefined',
  'the text "null"': 'null',
  'the text "None"': 'None',
  'the client id and a newline': `${clientId}\n`,
  'the client id without the white space around it': clientId.trim(),
  'the client id in quotes': `"${clientId}"`,
  'the client id in lowercase': clientId.toLowerCase(),
  'the client id in uppercase': clientId.toUpperCase(),
  'the client id, decoded as hexadecimal': Buffer.from(clientId, 'hex'),
  'the client id, decoded from Base64': Buffer.from(clientId, 'base64'),
  'the client id in Base64': Buffer.from(clientId).toString('base64'),
  'the SHA-256 of the client id': Buffer.from(hashOf(clientId), 'hex'),
  'the SHA-256 of the client id, in hexadecimal': hashOf(clientId),
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const hmacOf = (name: string, key: string | Buffer, text: string) =>
  createHmac(name, key).update(text).digest('hex')

const hashesOf = (body: string, { clientId, path, url }: Samples): Readonly<Record<string, string>> => ({
  'the SHA-256 of the body, without a key': hashOf(body),
  'the SHA-256 of the client id and the body': hashOf(clientId + body),
  'the SHA-256 of the body and the client id': hashOf(body + clientId),
  'an HMAC of the client id, with the body as its key': hmacOf('sha256', body, clientId),
  'an HMAC of the method, the path and the body': hmacOf('sha256', clientId, `POST${path}${body}`),
  'an HMAC of the path and the body': hmacOf('sha256', clientId, `${path}${body}`),
  'an HMAC of the URL and the body': hmacOf('sha256', clientId, `${url}${body}`),
  'an HMAC with SHA-1': hmacOf('sha1', clientId, body),
  'an HMAC with SHA-512': hmacOf('sha512', clientId, body),
  'an HMAC with MD5': hmacOf('md5', clientId, body),
  'the body and an HMAC of nothing, as Sum(body) returns in Go':
    Buffer.from(body).toString('hex') + hmacOf('sha256', clientId, ''),
  'the client id itself': clientId,
})

const NAMES = ['X-Access-Signature', 'X-Signature', 'Signature', 'X-Webhook-Signature', 'X-Hub-Signature-256']

/** Of buffers that programs read a body into. */
const SIZES = Array.from({ length: 9 }, (_, index) => 1_024 << index)

const ALL = 'Read the body to its end, in as many pieces as it has.'
const RAW = 'Verify the raw bytes of the body, before a parser reads them.'
const HEX = 'Compare with the 64 lowercase hexadecimal digits, zeros included.'
const KEY = 'The key is the client id, exactly as it is.'
const HMAC = 'The signature is the HMAC-SHA-256 of the body, with the client id as the key.'
const CONDITION = 'Is a condition the wrong way round? Or is its client id another one?'

export const WRONG = 'a5'.repeat(32)

/** What Node sends as the value of a header. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/

/** How every cause of a rejected signature begins. */
export const REJECTS = 'It rejects the right signature, but accepts'

/** How a receiver responds to a content that it cannot read. */
const CONTENT: ReadonlySet<number | undefined> = new Set([400, 422, 500])

/** What may be accepted instead of a genuine request, and what to do then. */
type Guess = readonly [accepted: string, mend: string, request: Partial<PlannedRequest>]

/** What is accepted instead of the right signature; `null` if that is accepted, but not what it signs. */
export async function findMistake(rejected: Exchange, samples: Samples, send: Send) {
  const { request: planned, status: rejection } = rejected
  for (const [accepted, mend, request] of toGuesses(planned, samples)) {
    const headers = { ...planned.headers, ...request.headers }
    const { status, failure } = await send({ ...planned, ...request, headers })
    if (failure !== undefined || status === 429) return undefined
    const [signature = ''] = request.signatures ?? []
    const isRead = /^[\da-f]{64}$/.test(signature) && CONTENT.has(status) && !CONTENT.has(rejection)
    if (isAccepted(status) || isRead) return `${REJECTS} ${accepted}. ${mend}`
    // With 404, it may miss what the content is about.
    if (signature === WRONG && status !== rejection)
      return CONTENT.has(rejection) || rejection === 404 ? null : undefined
  }
  return undefined
}

function* toGuesses(planned: PlannedRequest, samples: Samples): Generator<Guess> {
  const isWhole = (planned.transfer ?? 'whole') === 'whole'
  if (isWhole) {
    const again: Guess = ['the same request again', KEPT, {}]
    const headers = { Accept: '*/*', 'X-Request-Id': randomUUID() }
    // Twice: what changes with every request may be wrong for the first one, too. Pieces may meet by chance.
    yield* [again, again]
    yield ['it with the headers Accept and X-Request-Id', 'The service documents neither.', { headers }]
  }
  yield ['none at all', CONDITION, { signatures: [] }]
  const body = String(planned.body)
  const tried = new Set([samples.signatureOf(body)])
  for (const [accepted, mend, signature] of toSignatures(body, samples)) {
    if (tried.has(signature) || !SENDABLE.test(signature)) continue
    tried.add(signature)
    yield [accepted, mend, { signatures: [signature] }]
  }
  for (const signatureName of NAMES) {
    const mend = 'The service sends the header ACCESS-SIGNATURE.'
    yield [`the signature in the header ${signatureName}`, mend, { signatureName }]
  }
  const collect = 'Collect all pieces as bytes, and decode them together.'
  if (!isWhole) yield ['it with its Content-Length, in one piece', collect, { transfer: 'whole' }]
}

type Signature = readonly [accepted: string, mend: string, signature: string]

/** What a receiver may expect, the most likely first. */
function* toSignatures(body: string, samples: Samples): Generator<Signature> {
  const { signatureOf } = samples
  const bytes = Buffer.from(body)
  const pieces = piecesOf(bytes)
  const [first = bytes, second = bytes] = pieces
  const decoded = pieces.map((piece) => Buffer.from(piece).toString()).join('')
  yield ['a wrong signature', CONDITION, WRONG]
  for (const [form, written] of Object.entries(formsOf(signatureOf(body))))
    yield [`the signature ${form}`, HEX, written]
  for (const [what, text] of Object.entries(textsOf(body)))
    yield [`the signature of the body ${what}`, RAW, signatureOf(text)]
  for (const [cause, rewritten] of rewrittenBodies(bytes))
    yield [`the signature of the body ${REWRITTEN[cause]}`, RAW, signatureOf(rewritten)]
  for (const part of [first, Buffer.concat([first, second])])
    yield ['the signature of the part that arrives first', ALL, signatureOf(part)]
  for (const size of SIZES.filter((size) => size < bytes.length))
    yield [`the signature of its first ${size} bytes`, ALL, signatureOf(bytes.subarray(0, size))]
  yield ['the signature of what decoding piece by piece makes of it', RAW, signatureOf(decoded)]
  for (const [what, key] of Object.entries(keysOf(samples)))
    yield [`a signature whose key is ${what}`, KEY, hmacOf('sha256', key, body)]
  for (const [what, hash] of Object.entries(hashesOf(body, samples))) yield [what, HMAC, hash]
}
