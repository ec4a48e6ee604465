import { Buffer } from 'node:buffer'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { unescape as decodePercent } from 'node:querystring'
import { type BodyCause, rewrittenBodies } from '../rewritten-bodies.ts'
import { isSampleObject, sampleData } from '../sample-data.ts'
import { KEPT } from './conclude.ts'
import { type ExchangeLimits, exchange, piecesOf } from './exchange.ts'
import { isAccepted } from './judge.ts'
import type { Exchange, PlannedRequest } from './planned-request.ts'
import type { Target } from './resolve-target.ts'
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

/** What is signed instead of the body. */
const textsOf = (text: string): Readonly<Record<string, string>> => ({
  'without the white space around it': text.trim(),
  'without its line breaks': text.replace(/[\r\n]+/g, ''),
  'as far as its first line break': text.replace(/\r?\n.*/s, ''),
  'with its first line only': text.replace(/(?<=\n).*/s, ''),
  'with one space for each run of white space': text.replace(/\s+/g, ' '),
  'without any white space': text.replace(/\s/g, ''),
  'in Unicode normal form C': text.normalize('NFC'),
  'without its letters beyond ASCII': text.replace(/[^\0-\x7f]/g, ''),
  'with ? for letters beyond ASCII': text.replace(/[^\0-\x7f]/gu, '?'),
  'with ? for each byte beyond ASCII': forBytes(text, '?'),
  'with U+FFFD for each byte beyond ASCII': forBytes(text, '\ufffd'),
  'decoded as ASCII': Buffer.from(text).toString('ascii'),
  'without its backslashes': text.replace(/\\(.)/g, '$1'),
  'with &lt; and &gt; for < and >': text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'without its HTML tags': text.replace(/<[^>]*>/g, ''),
  'with its percent-encoding decoded': decodePercent(text),
  'decoded as a form': decodePercent(text.replaceAll('+', ' ')),
  'when it is empty: something read it before, or there was no Content-Length to read by': '',
  'as an empty object': '{}',
  'as an empty array': '[]',
  'as the text [object Object]': '[object Object]',
  'without its envelope: "data" alone': dataOf(text),
})

function forBytes(text: string, mark: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, mark)
}

function dataOf(text: string): string {
  const { data } = JSON.parse(text)
  return typeof data === 'string' ? data : JSON.stringify(data)
}

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
  'the SHA-256 of the client id': createHash('sha256').update(clientId).digest(),
  'the SHA-256 of the client id, in hexadecimal': hashOf(clientId),
})

const hashOf = (...parts: readonly (string | Uint8Array)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex')
const hmacOf = (name: string, key: string | Uint8Array, body: string | Uint8Array) =>
  createHmac(name, key).update(body).digest('hex')

const hashesOf = (body: Buffer, { clientId, path, url }: Samples): Readonly<Record<string, string>> => ({
  'the SHA-256 of the body, without a key': hashOf(body),
  'the SHA-256 of the client id and the body': hashOf(clientId, body),
  'the SHA-256 of the body and the client id': hashOf(body, clientId),
  'an HMAC of the client id, with the body as its key': hmacOf('sha256', body, clientId),
  'an HMAC of the method, the path and the body': hmacOf('sha256', clientId, `POST${path}${body}`),
  'an HMAC of the path and the body': hmacOf('sha256', clientId, `${path}${body}`),
  'an HMAC of the URL and the body': hmacOf('sha256', clientId, `${url}${body}`),
  'an HMAC with SHA-1': hmacOf('sha1', clientId, body),
  'an HMAC with SHA-512': hmacOf('sha512', clientId, body),
  'an HMAC with MD5': hmacOf('md5', clientId, body),
  'the body and an HMAC of nothing, as Sum(body) returns in Go':
    body.toString('hex') + hmacOf('sha256', clientId, ''),
  'the client id itself': clientId,
})

const NEEDLESS: Guess = {
  accepted: 'it with the headers Accept and X-Request-Id',
  mend: 'The service documents neither.',
  request: { headers: { Accept: '*/*', 'X-Request-Id': randomUUID() } },
}
const AGAIN: Guess = { accepted: 'the same request again', mend: KEPT, request: {} }
const WHOLE: Guess = {
  accepted: 'it with its Content-Length, in one piece',
  mend: 'Collect all pieces as bytes, and decode them together.',
  request: { transfer: 'whole' },
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

export const WRONG = 'a5'.repeat(32)

/** What Node sends as the value of a header. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/

/** How every cause of a rejected signature begins. */
export const REJECTS = 'It rejects the right signature, but accepts'

export const OF_CONTENT =
  'It accepts the signature, as a wrong one gets another status, but rejects something else. Look into its log.'

const WRITTEN =
  'It accepts the same JSON without white space and escapes: read it with a parser, instead of searching its text.'

/** How a receiver responds to a content that it cannot read. */
const CONTENT: ReadonlySet<number | undefined> = new Set([400, 422, 500])

/** @param rejected the status of the rejection */
export async function findMistake(
  planned: PlannedRequest,
  rejected: number,
  samples: Samples,
  send: (request: PlannedRequest) => Promise<Exchange>,
): Promise<string | undefined> {
  for (const { accepted, mend, request } of toGuesses(planned, samples)) {
    const { status, failure } = await send({
      ...planned,
      ...request,
      headers: { ...planned.headers, ...request.headers },
    })
    if (failure !== undefined || status === 429) return undefined
    if (isAccepted(status) || (isWellFormed(request) && CONTENT.has(status) && !CONTENT.has(rejected)))
      return `${REJECTS} ${accepted}. ${mend}`
    if (request.signatures?.[0] === WRONG && status !== rejected)
      return CONTENT.has(rejected) ? OF_CONTENT : undefined
  }
  return undefined
}

function isWellFormed({ signatures: [signature = ''] = [] }: Partial<PlannedRequest>): boolean {
  return /^[\da-f]{64}$/.test(signature)
}

function* toGuesses(planned: PlannedRequest, samples: Samples): Generator<Guess> {
  const { signatureOf } = samples
  const body = Buffer.from(planned.body)
  const digits = signatureOf(body)
  const tried = new Set([digits])
  function* guess(accepted: string, mend: string, signature: string): Generator<Guess> {
    if (tried.has(signature) || !SENDABLE.test(signature)) return
    tried.add(signature)
    yield { accepted, mend, request: { signatures: [signature] } }
  }
  // Twice: what changes with every request may be wrong for the first one, too. Pieces may meet by chance.
  const isWhole = (planned.transfer ?? 'whole') === 'whole'
  if (isWhole) yield* [AGAIN, AGAIN, NEEDLESS]
  yield { accepted: 'none at all', mend: CONDITION, request: { signatures: [] } }
  yield* guess('a wrong signature', CONDITION, WRONG)
  for (const [form, written] of Object.entries(formsOf(digits)))
    yield* guess(`the signature ${form}`, HEX, written)
  for (const [what, signed] of Object.entries(textsOf(body.toString())))
    yield* guess(`the signature of the body ${what}`, RAW, signatureOf(signed))
  for (const [cause, bytes] of rewrittenBodies(body))
    yield* guess(`the signature of the body ${BODIES[cause]}`, RAW, signatureOf(bytes))
  const pieces = piecesOf(body)
  const [first = body, , last = body] = pieces
  for (const part of [first, body.subarray(0, body.length - last.length)])
    yield* guess('the signature of the part that arrives first', ALL, signatureOf(part))
  for (const length of SIZES.filter((size) => size < body.length))
    yield* guess(`the signature of its first ${length} bytes`, ALL, signatureOf(body.subarray(0, length)))
  const decoded = pieces.map((piece) => Buffer.from(piece).toString()).join('')
  yield* guess('the signature of what decoding piece by piece makes of it', RAW, signatureOf(decoded))
  for (const [what, key] of Object.entries(keysOf(samples)))
    yield* guess(`a signature whose key is ${what}`, KEY, hmacOf('sha256', key, body))
  for (const [what, hash] of Object.entries(hashesOf(body, samples))) yield* guess(what, HMAC, hash)
  for (const signatureName of NAMES)
    yield { accepted: `the signature in the header ${signatureName}`, mend: NAME, request: { signatureName } }
  if (!isWhole) yield WHOLE
}

/** Fields that a receiver may miss in other notifications. */
const MISSED = Object.entries({
  ...sampleData('INBOUND_INVOICE_STATUS_UPDATED'),
  ...sampleData('INBOUND_PAYMENT_STATUS_UPDATED'),
  ...{ status: 'Sent', amount: { number: 1250.5, currency: 'USD' } },
  mtlReceiptLinkUrl: 'https://check.example/r/1',
})

/** What to write otherwise, to leave out, or to add, so that the notification is accepted. */
export async function findContent(
  planned: PlannedRequest,
  { signed }: Samples,
  send: (request: PlannedRequest) => Promise<Exchange>,
): Promise<string | undefined> {
  const text = `${planned.body}`
  if (!isObject(text) || !isObject(dataOf(text))) return undefined
  const envelope = JSON.parse(text)
  const data = JSON.parse(dataOf(text))
  // First the same content: it may be how the JSON is written, or be rejected as a duplicate. The id marks
  // what a check left.
  const changes: [found: string | undefined, change?: object][] = [
    [WRITTEN],
    [undefined, {}],
    ...Object.keys(data)
      .filter((name) => name !== 'id')
      .flatMap((name) => [
        ...Object.keys(isSampleObject(data[name]) ? data[name] : {}).map((part): [string, object] => [
          `Without "${part}" of "${name}" in the data, it accepts it.`,
          { [name]: { ...data[name], [part]: undefined } },
        ]),
        [`Without "${name}" in the data, it accepts it.`, { [name]: undefined }] satisfies [string, object],
      ]),
    ...MISSED.filter(([name]) => data[name] == null).map(([name, value]): [string, object] => [
      `With "${name}" in the data, it accepts it.`,
      { [name]: value },
    ]),
  ]
  for (const [found, change] of changes) {
    const changed = { ...data, ...change }
    const written = typeof envelope.data === 'string' ? JSON.stringify(changed) : changed
    const body = JSON.stringify({ ...envelope, ...(change && { data: written }) })
    if (body === text && !change) continue
    const again = signed(body === text ? `${body} ` : body)
    const { status, failure } = await send({ ...planned, ...again })
    if ((failure !== undefined && failure !== 'closed') || status === 429) return undefined
    if (isAccepted(status)) return found
  }
  return undefined
}

function isObject(text = ''): boolean {
  try {
    return Object.keys(JSON.parse(text)).length > 0
  } catch {
    return false
  }
}

/** Whether the port speaks TLS although the URL has http, or the other way round. */
export async function findProtocol(target: Target, limits: ExchangeLimits): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(target.url)
  const isTls = protocol === 'https:'
  const other = isTls ? `http://${hostname}:${port || 443}/` : `https://${hostname}:${port || 80}/`
  const request: PlannedRequest = { method: 'GET', body: '', signatures: [], expected: 'rejected' }
  const { status, code = '' } = await exchange({ ...target, url: other }, request, limits)
  // A certificate that is not trusted is one.
  if (status === undefined && !/CERT|LEAF/.test(code)) return undefined
  return isTls
    ? 'The port speaks HTTP without TLS: use http:// in the URL.'
    : 'The port speaks TLS: use https:// in the URL.'
}
