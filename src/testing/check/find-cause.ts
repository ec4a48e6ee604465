import { Buffer } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'
import { type BodyCause, rewrittenBodies } from '../rewritten-bodies.ts'
import type { Exchange, PlannedRequest } from './check-case.ts'
import { KEPT } from './conclude.ts'
import { type ExchangeLimits, exchange, PROBE, piecesOf } from './exchange.ts'
import { isAccepted } from './judge.ts'
import type { Samples } from './samples.ts'

/** What may be accepted instead of a genuine request, and what to do then. */
interface Guess {
  readonly accepted: string
  readonly mend: string
  readonly request: Partial<PlannedRequest>
}

const BODIES: Readonly<Record<BodyCause, string>> = {
  newline_added: 'without the newline at its end',
  newline_missing: 'with a newline added to it',
  bom: 'with a byte order mark',
  line_endings: 'with other line endings',
  lossy_utf8: 'with U+FFFD for what is not UTF-8',
  latin1: 'decoded or encoded as Latin-1',
  restringified: 'as a serializer writes its JSON again',
  base64: 'in Base64',
}

type ToText = (text: string) => string | undefined

const TEXTS: Readonly<Record<string, ToText>> = {
  'without the white space around it': (text) => text.trim(),
  'without its line breaks': (text) => text.replace(/[\r\n]+/g, ''),
  'with one space for each run of white space': (text) => text.replace(/\s+/g, ' '),
  'without any white space': (text) => text.replace(/\s/g, ''),
  'in Unicode normal form C': (text) => text.normalize('NFC'),
  'without its letters beyond ASCII': (text) => text.replace(/[^\0-\x7f]/g, ''),
  'with ? for letters beyond ASCII': (text) => text.replace(/[^\0-\x7f]/gu, '?'),
  'decoded as ASCII': (text) => Buffer.from(text).toString('ascii'),
  'without its backslashes': (text) => text.replace(/\\(.)/g, '$1'),
  'when it is empty: something read it before, or there was no Content-Length to read by': () => '',
  'as an empty object': () => '{}',
  'as an empty array': () => '[]',
  'as the text [object Object]': () => '[object Object]',
  'without its envelope: "data" alone': (text) => {
    const { data } = JSON.parse(text)
    return typeof data === 'string' ? data : JSON.stringify(data)
  },
}

const FORMS: Readonly<Record<string, (digits: string, digest: Buffer) => string>> = {
  'in Base64': (_, digest) => digest.toString('base64'),
  'in Base64 for URLs': (_, digest) => digest.toString('base64url'),
  'in Base64 of its digits': (digits) => Buffer.from(digits).toString('base64'),
  'in uppercase digits': (digits) => digits.toUpperCase(),
  'with "sha256=" before it': (digits) => `sha256=${digits}`,
  'without the zeros at its start': (digits) => digits.replace(/^0+/, ''),
  'with one digit for a byte below 16': (digits) => digits.replace(/0(.)|(..)/g, '$1$2'),
  'with its bytes as signed integers': (_, digest) =>
    [...digest].map((byte) => (((byte << 24) >> 24) >>> 0).toString(16)).join(''),
}

type ToKey = (samples: Samples) => string | Buffer | undefined

const KEYS: Readonly<Record<string, ToKey>> = {
  'the client secret': ({ clientSecret }) => clientSecret,
  'empty, perhaps because the client id was decoded': () => '',
  'the text "undefined"': () => 'undefined',
  'the text "null"': () => 'null',
  'the text "None"': () => 'None',
  'the client id and a newline': ({ clientId }) => `${clientId}\n`,
  'the client id in quotes': ({ clientId }) => `"${clientId}"`,
  'the client id in lowercase': ({ clientId }) => clientId.toLowerCase(),
  'the client id in uppercase': ({ clientId }) => clientId.toUpperCase(),
  'the client id, decoded as hexadecimal': ({ clientId }) => Buffer.from(clientId, 'hex'),
  'the client id, decoded from Base64': ({ clientId }) => Buffer.from(clientId, 'base64'),
  'the client id in Base64': ({ clientId }) => Buffer.from(clientId).toString('base64'),
  'the SHA-256 of the client id': ({ clientId }) => createHash('sha256').update(clientId).digest(),
  'the SHA-256 of the client id, in hexadecimal': ({ clientId }) => hashOf(clientId),
}

type ToSignature = (body: Uint8Array, clientId: string) => string

const hashOf = (...parts: readonly (string | Uint8Array)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex')
const hmacOf =
  (name: string): ToSignature =>
  (body, key) =>
    createHmac(name, key).update(body).digest('hex')

const HASHES: Readonly<Record<string, ToSignature>> = {
  'the SHA-256 of the body, without a key': (body) => hashOf(body),
  'the SHA-256 of the client id and the body': (body, clientId) => hashOf(clientId, body),
  'the SHA-256 of the body and the client id': (body, clientId) => hashOf(body, clientId),
  'an HMAC of the client id, with the body as its key': (body, clientId) =>
    createHmac('sha256', body).update(clientId).digest('hex'),
  'an HMAC with SHA-1': hmacOf('sha1'),
  'an HMAC with SHA-512': hmacOf('sha512'),
  'an HMAC with MD5': hmacOf('md5'),
  'the body and an HMAC of nothing, as Sum(body) returns in Go': (body, clientId) =>
    Buffer.from(body).toString('hex') + hmacOf('sha256')(new Uint8Array(), clientId),
  'the client id itself': (_, clientId) => clientId,
}

const NAMES = ['X-Access-Signature', 'X-Signature', 'Signature', 'X-Webhook-Signature', 'X-Hub-Signature-256']

/** Of buffers that programs read a body into. */
const SIZES = Array.from({ length: 9 }, (_, index) => 1_024 << index)

const ALL = 'Read the body to its end, in as many pieces as it has.'
const RAW = 'Verify the raw bytes of the body, before a parser reads them.'
const HEX = 'Compare with the 64 lowercase hexadecimal digits, zeros included.'
const KEY = 'The key is the client id, exactly as it is.'
const HMAC = 'The signature is the HMAC-SHA-256 of the body, with the client id as the key.'
const NAME = 'The service sends the header ACCESS-SIGNATURE.'
const CONDITION = 'Is a condition the wrong way round? Or is its client id another one?'

/** How a receiver responds to a content that it cannot read. */
const CONTENT: ReadonlySet<number | undefined> = new Set([400, 422, 500])

/**
 * Tries what a receiver that rejects a genuine request may have mistaken it for.
 *
 * @param rejected the status of the rejection
 */
export async function findMistake(
  planned: PlannedRequest,
  rejected: number,
  samples: Samples,
  send: (request: PlannedRequest) => Promise<Exchange>,
): Promise<string | undefined> {
  for (const { accepted, mend, request } of toGuesses(planned, samples)) {
    const { status, failure } = await send({ ...planned, ...request })
    if (failure !== undefined || status === 429) return undefined
    if (isAccepted(status) || (isWellFormed(request) && CONTENT.has(status) && !CONTENT.has(rejected)))
      return `It rejects the right signature, but accepts ${accepted}. ${mend}`
  }
  return undefined
}

function isWellFormed({ signatures: [signature = ''] = [] }: Partial<PlannedRequest>): boolean {
  return /^[\da-f]{64}$/.test(signature)
}

function* toGuesses(planned: PlannedRequest, samples: Samples): Generator<Guess> {
  const { clientId, signatureOf } = samples
  const body = Buffer.from(planned.body)
  const text = body.toString()
  const digits = signatureOf(body)
  const tried = new Set([digits])
  function* guess(accepted: string, mend: string, signature: string): Generator<Guess> {
    if (tried.has(signature)) return
    tried.add(signature)
    yield { accepted, mend, request: { signatures: [signature] } }
  }
  // Twice: what changes with every request may be wrong for the first one, too.
  const again = { accepted: 'the same request again', mend: KEPT, request: {} }
  yield* [again, again]
  yield { accepted: 'none at all', mend: CONDITION, request: { signatures: [] } }
  yield* guess('a wrong signature', CONDITION, '5'.repeat(64))
  for (const [form, toForm] of Object.entries(FORMS))
    yield* guess(`the signature ${form}`, HEX, toForm(digits, Buffer.from(digits, 'hex')))
  for (const [what, toText] of Object.entries(TEXTS))
    yield* guess(`the signature of the body ${what}`, RAW, signatureOf(toText(text) ?? text))
  for (const [cause, bytes] of rewrittenBodies(body))
    yield* guess(`the signature of the body ${BODIES[cause]}`, RAW, signatureOf(bytes))
  const pieces = piecesOf(body)
  const [first = body, , last = body] = pieces
  for (const length of [first.length, body.length - last.length, ...SIZES].filter(
    (size) => size < body.length,
  ))
    yield* guess(`the signature of its first ${length} bytes`, ALL, signatureOf(body.subarray(0, length)))
  yield* guess(
    'the signature of what decoding piece by piece makes of it',
    RAW,
    signatureOf(pieces.map((piece) => Buffer.from(piece).toString()).join('')),
  )
  for (const [what, toKey] of Object.entries(KEYS))
    yield* guess(
      `a signature whose key is ${what}`,
      KEY,
      hmacOf('sha256')(body, (toKey(samples) ?? clientId) as string),
    )
  for (const [what, toSignature] of Object.entries(HASHES))
    yield* guess(what, HMAC, toSignature(body, clientId))
  for (const signatureName of NAMES)
    yield { accepted: `the signature in the header ${signatureName}`, mend: NAME, request: { signatureName } }
}

/** Whether the port speaks TLS although the URL has http, or the other way round. */
export async function findProtocol(url: string, limits: ExchangeLimits): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url)
  const isTls = protocol === 'https:'
  const other = isTls ? `http://${hostname}:${port || 443}/` : `https://${hostname}:${port || 80}/`
  const { status, code = '' } = await exchange(other, PROBE, limits)
  // A certificate that is not trusted is one.
  if (status === undefined && !/CERT|LEAF/.test(code)) return undefined
  return isTls
    ? 'The port speaks HTTP without TLS: use http:// in the URL.'
    : 'The port speaks TLS: use https:// in the URL.'
}
