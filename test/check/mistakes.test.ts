import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import querystring from 'node:querystring'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
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
  readonly hasToken?: (query: URLSearchParams, request: IncomingMessage) => boolean
  /** The header of the signature. */
  readonly header?: string
  /** The status for a verified body. */
  readonly handles?: (body: string, request: IncomingMessage) => number
  /** The status of a rejection. */
  readonly rejects?: number
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
  rejects = 401,
  explains = () => '',
}: Parts): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const given = String(request.headers[header] ?? '')
    const url = new URL(`http://localhost${request.url}`)
    const isRight =
      hasToken(url.searchParams, request) &&
      (skips(request, `${body}`) || expected(body, request).some((right) => compares(given, right)))
    response.writeHead(isRight ? handles(`${body}`, request) : rejects).end(isRight ? '' : explains(body))
  })
  const { port, close } = await listening(server)
  onTestFinished(async () => void (await close()))
  return `http://127.0.0.1:${port}/hooks?token=${token}`
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const toBase64 = (digits: string) => Buffer.from(digits, 'hex').toString('base64')
const withoutZeros = (digits: string) => BigInt(`0x${digits}`).toString(16)
const isOf = (kind: string, body: string) => JSON.parse(body).type.includes(kind)
const dataOf = (body: Buffer) => String(JSON.parse(`${body}`).data)
const verified = new Set<unknown>()
const handled = new Set<string>()
const isNew = (key: string) => !handled.has(key) && handled.add(key) !== undefined
function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}
const digits = /^[\da-f]{64}$/g

/** Does not verify some requests. */
const skips = (isSkipped: (request: IncomingMessage, body: string) => unknown): Parts => ({
  skips: isSkipped,
})
/** Accepts another signature, too. */
const accepts = (toSignature: (body: Buffer) => string): Parts => ({
  expected: (body) => [hmac(body, clientId), toSignature(body)],
})
const compares = (compare: (given: string, right: string) => boolean): Parts => ({ compares: compare })
const hasToken = (
  has: (token: string, query: URLSearchParams, request: IncomingMessage) => unknown,
): Parts => ({
  hasToken: (query, request) => Boolean(has(query.getAll('token').join(), query, request)),
})
/** Rejects some notifications that it has verified. */
const handles = (
  rejected: number,
  isRejected: (body: string, request: IncomingMessage) => unknown,
): Parts => ({
  handles: (body, request) => (isRejected(body, request) ? rejected : 200),
})

type Mistake = readonly [what: string, Parts, observed: RegExp]

/** By the case that has to find it: what a mistake is, the part with it, and what the case has to say. */
const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'forged-types': [
    [
      'verifies JSON only',
      skips(({ headers }) => headers['content-type'] !== 'application/json'),
      /^200 \(all 10\)$/,
    ],
    [
      'does not verify forms',
      skips(({ headers }) => headers['access-signature'] && headers['content-type']?.includes('x-www-form')),
      /^200 \(a form with another key\)$/,
    ],
  ],
  'forged-headers': [
    [
      'trusts 127.0.0.1, whoever says so',
      skips(({ headers }) => headers['x-forwarded-for'] === '127.0.0.1'),
      /^200 \(from 127.0.0.1 without a signature; from 127.0.0.1 with another key\)$/,
    ],
    [
      'does not verify what is for localhost',
      skips(({ headers }) => headers.host === 'localhost'),
      /^200 \(to localhost without a signature; to localhost with another key\)$/,
    ],
    [
      'does not verify gzip',
      skips(({ headers }) => headers['content-encoding']),
      /^200 \(gzip without .*\)$/,
    ],
  ],
  'forged-methods': [['verifies POST only', skips(({ method }) => method === 'PUT'), /PUT/]],
  'forged-kinds': [
    ['forgets to verify some kinds', skips((_, body) => body.includes('VIRTUAL')), /VIRTUAL_CARD/],
  ],
  'forged-unknown-kind': [
    ['acknowledges what it does not know', skips((_, body) => body.includes('CHECK_KIND')), /^200/],
  ],
  'forged-inline': [
    ['verifies data only if it is text', skips((_, body) => body.includes('"data":{')), /^200/],
  ],
  'forged-chunked': [
    ['verifies Content-Length bytes', skips(({ headers }) => !headers['content-length']), /^200/],
  ],
  'forged-paths': [
    [
      'verifies one spelling of its path',
      skips(({ url = '' }) => !url.startsWith('/hooks?')),
      /^200 \(all 8\)/,
    ],
  ],
  'forged-megabyte': [['drops large bodies', skips((_, body) => body.length > 65_536), /^200 \(both\)$/]],
  'signature-of-decoded-text': [
    ['decodes the body', { signs: (body) => `${body}` }, /^200 \(not UTF-8\)$/],
    [
      'removes a byte order mark',
      { signs: (body) => body.subarray(body[0] === 0xef ? 3 : 0) },
      /^200 \(a byte order mark\)$/,
    ],
    [
      'ends at a NUL',
      { signs: (body) => body.subarray(0, `${body}\0`.indexOf('\0')) },
      /^200 \(more after a NUL\)$/,
    ],
  ],
  'body-changed-later': [
    [
      'takes a known signature for verified',
      compares((given, right) => (given === right ? verified.add(given) && true : verified.has(given))),
      /^200 \(changed\)$/,
    ],
    [
      'looks for duplicates first',
      { skips: (_, body) => handled.has(body), handles: (body) => (handled.add(body) ? 200 : 500) },
      /^200 \(the same with another key\)$/,
    ],
  ],
  'signature-not-hex': [
    [
      'searches with the signature as a regular expression',
      compares((given, right) => given !== '' && !given.includes('*') && right.search(`^${given}$`) === 0),
      /^200 \(a regular expression\)$/,
    ],
  ],
  'signature-altered': [
    [
      'compares the first half',
      compares((given, right) => given.length === 64 && given.startsWith(right.slice(0, 32))),
      /^200 \(the last digit; the second half\)$/,
    ],
    [
      'compares all but the first digit',
      compares((given, right) => given.length === 64 && given.slice(1) === right.slice(1)),
      /^200 \(the first digit\)$/,
    ],
    [
      'compares numbers',
      compares((given, right) => Number(`0x${given}`) === Number(`0x${right}`)),
      /the last digit/,
    ],
  ],
  'signature-truncated': [
    ['compares the end', compares((given, right) => !!given && right.endsWith(given)), /the second half/],
  ],
  'signature-too-long': [
    [
      'compares big integers',
      compares((given, right) => /^[\da-f]+$/.test(given) && withoutZeros(given) === withoutZeros(right)),
      /^200 \(digits before it\)$/,
    ],
  ],
  'guessable-key': [
    ['has an empty entry in its keys', accepts((body) => hmac(body, '')), /^200 \(an empty key\)$/],
    ['has a key that is not set', accepts((body) => hmac(body, `${undefined}`)), /"undefined"/],
    [
      "keeps the sandbox's client id",
      accepts((body) => hmac(body, 'sandbox-client-id')),
      /sandbox's client id/,
    ],
    ['accepts a hash without a key', accepts(sha256), /SHA-256 without a key/],
  ],
  'signature-of-data': [
    ['accepts a signature of data, too', accepts((body) => hmac(dataOf(body), clientId)), /^200$/],
  ],
  'signature-of-rewritten-body': [
    [
      'accepts a signature of the body without white space, too',
      accepts((body) => hmac(`${body}`.replace(/\s/g, ''), clientId)),
      /^200 \(without any white space\)$/,
    ],
  ],
  charset: [
    [
      'compares the whole type',
      {
        expected: (body, { headers }) =>
          headers['content-type']?.includes('charset') ? [] : [hmac(body, clientId)],
      },
      /^401 \(both\)$/,
    ],
    [
      'knows one spelling of a type with a charset',
      handles(415, (_, { headers }) => headers['content-type']?.includes(';charset')),
      /^415 \(application\/json;charset=UTF-8\)$/,
    ],
  ],
  'few-headers': [
    [
      'needs a type',
      handles(500, (_, { headers }) => headers['content-type'] === undefined),
      /^500 \(no Content-Type\)$/,
    ],
    [
      'needs the name of a browser',
      handles(403, (_, { headers }) => headers['user-agent'] === undefined),
      /^403 \(no User-Agent\)$/,
    ],
  ],
  'callback-token-elsewhere': [
    [
      'looks for a token in POST requests',
      hasToken((given, _, { method }) => method !== 'POST' || given === token),
      /^200 \(PUT; PATCH\)$/,
    ],
    [
      'looks for a token at one path',
      hasToken((given, _, { url = '' }) => !/^\/hooks(?:\?|$)/.test(url) || given === token),
      /^200 \(\/hooks\/; \/\/hooks; \/HOOKS; \/\/\)$/,
    ],
  ],
  'same-status': [
    [
      'takes the id and the status for a key',
      handles(500, (body) => {
        const id = /"id\\":(\d+)/.exec(body)?.[1]
        return isOf('PAYMENT', body) && body.includes('\\"Sent') && !isNew(`${id} Sent`)
      }),
      /^500 \(another reason; OUTBOUND_PAYMENT_STATUS_UPDATED\)$/,
    ],
  ],
  'escapes-in-data': [
    [
      'removes backslashes from data',
      handles(500, (body) => !isJson(JSON.parse(body).data.replaceAll('\\', ''))),
      /^500 \(quotes\)$/,
    ],
    [
      'writes the data into a statement of SQL',
      handles(500, (body) => dataOf(Buffer.from(body)).includes("'")),
      /^500 \(an apostrophe\)$/,
    ],
  ],
  currencies: [
    [
      'knows two currencies',
      handles(422, (body) => /(?:JPY|KWD)/.test(body)),
      /^422 \(5000 JPY; 12.345 KWD\)$/,
    ],
  ],
  'unpaid-invoice': [
    [
      'needs a payment',
      handles(422, (body) => !/"paymentId\\":\d/.test(body) && isOf('INVOICE', body)),
      /^422 \(null; absent\)$/,
    ],
    [
      'rejects dates in the past',
      handles(422, (body) => body.includes('dueDate\\":\\"2020')),
      /^422 \(past due\)$/,
    ],
  ],
  'open-fields': [
    [
      'has a list of funding methods',
      handles(422, (body) => body.includes('payerFundingMethodType\\":\\"PayhookCheck')),
      /^422 \({"payerFundingMethodType":"PayhookCheck"}\)$/,
    ],
  ],
  'earlier-form': [
    [
      'needs an amount',
      handles(500, (body) => isOf('INBOUND_PAYMENT', body) && !body.includes('amount')),
      /^500 \(INBOUND_PAYMENT_STATUS_UPDATED\)$/,
    ],
  ],
  'unknown-status': [
    [
      'knows the documented statuses of an invoice only',
      handles(422, (body) => isOf('INVOICE', body) && /Drafted|Rejected|Scheduled/.test(body)),
      /^422 \(Drafted; Rejected; Scheduled\)$/,
    ],
  ],
  'callback-token': [
    [
      'compares the start of the token',
      hasToken((_, query) => token.startsWith(query.get('token') || '?')),
      /^200 \(all but its last letter\)$/,
    ],
    [
      'ignores the case of the token',
      hasToken((given) => given.toLowerCase() === token.toLowerCase()),
      /^200 \(upper and lower case exchanged\)$/,
    ],
    [
      'lets requests without a token pass',
      hasToken((_, query) => query.getAll('token').every((each) => each === token)),
      /^200 \(none; a list\)$/,
    ],
  ],
  'keep-alive': [
    [
      'verifies the first request of a connection only',
      {
        skips: ({ socket }) => verified.has(socket),
        handles: (_, { socket }) => (verified.add(socket) ? 200 : 500),
      },
      /^200 \(forged\)$/,
    ],
  ],
  'reveals-secret': [
    [
      'says which signature it expected',
      { explains: (body) => toBase64(hmac(body, clientId)) },
      /the right signature/,
    ],
    [
      'says which signature it expected, as a buffer in JSON',
      { explains: (body) => JSON.stringify(Buffer.from(hmac(body, clientId), 'hex')) },
      /the right signature/,
    ],
    [
      'says which signature it expected, as Node prints a buffer',
      { explains: (body) => inspect(Buffer.from(hmac(body, clientId), 'hex')) },
      /the right signature/,
    ],
    ['says which client id it has', { explains: () => `not for ${clientId}` }, /the client id/],
    ['says which token it expected', { explains: () => `not ${token}` }, /the callback token/],
  ],
  'not-data': [
    ['needs data', { handles: (body) => (/"data":"?{/.test(body) ? 200 : 500) }, /^500 \(all 5\)$/],
  ],
  amounts: [
    [
      'needs two decimals',
      { handles: (body) => (/number\\":\d+\.\d\d\b/.test(body) ? 200 : 422) },
      /^422 \(5000; 0.60/,
    ],
  ],
  'optional-fields': [
    ['knows no reversals', { handles: (body) => (body.includes('R01') ? 500 : 200) }, /^500 \(returned\)$/],
  ],
}

const mistakes = Object.entries(MISTAKES).flatMap(([id, rows]) => rows.map((row) => [...row, id] as const))

it.each(mistakes)('finds a receiver that %s', async (_, parts, observed, id) => {
  const { results, conclusions } = await checkReceiver({
    ...{ url: await open(parts), clientId, clientSecret },
    only: [id, 'signature-missing', 'forged-inline', 'callback-token'],
  })
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  expect(conclusions).toEqual([])
  expect(failed[0]?.cause ?? '').not.toContain('rejects the right signature')
  expect(failed).toMatchObject([{ id, observed: expect.stringMatching(observed) }])
})

const latin1 = (body: Buffer) => Buffer.from(body.toString('latin1'))
const toAscii = (body: Buffer, mark: string) => body.toString('latin1').replace(/[^\0-\x7f]/g, mark)
const escapeTags = (body: Buffer) => `${body}`.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const normalize = (body: Buffer) => `${body}`.normalize('NFC')
const indent = (body: Buffer) => JSON.stringify(JSON.parse(`${body}`), null, 2)
const sha512 = (body: Buffer) => createHmac('sha512', clientId).update(body).digest('hex')
/** Expects something else than the signature. */
const expects = (toExpected: (body: Buffer, request: IncomingMessage) => string): Parts => ({
  expected: (body, request) => [toExpected(body, request)],
})

/** What a receiver verifies instead, the case that finds it, the cause, and how to mend it. */
type Cause = [verified: string, Parts, id: string, cause: RegExp, mend?: RegExp]

const CAUSES: readonly Cause[] = [
  [
    'what it has not remembered before it fails',
    handles(500, (body) => body.includes('Łódź') && isNew(body)),
    'utf-8',
    /remembered before it was handled/,
  ],
  ['Base64', expects((body) => toBase64(hmac(body, clientId))), 'plain', /signature in Base64/],
  ['a prefix', expects((body) => `sha256=${hmac(body, clientId)}`), 'plain', /"sha256="/],
  ['uppercase', expects((body) => hmac(body, clientId).toUpperCase()), 'plain', /uppercase/],
  ['the client secret', expects((body) => hmac(body, clientSecret)), 'plain', /key is the client secret/],
  ['a newline in the key', expects((body) => hmac(body, `${clientId}\n`)), 'plain', /and a newline/],
  ['a hash', expects(sha256), 'plain', /SHA-256 of the body, without a key/],
  ['exchanged arguments', expects((body) => hmac(clientId, `${body}`)), 'plain', /body as its key/],
  ['SHA-512', expects(sha512), 'plain', /SHA-512/],
  ['a body that was read before', { signs: () => '' }, 'plain', /something read it/],
  ['an object as text', { signs: () => '[object Object]' }, 'plain', /\[object Object\]/],
  ['a serialized body', { signs: indent }, 'plain', /serializer/],
  ['data alone', { signs: dataOf }, 'plain', /"data" alone/],
  [
    'a request that has an id',
    { handles: (_, { headers }) => (headers['x-request-id'] ? 200 : 400) },
    'plain',
    /with the headers Accept and X-Request-Id/,
  ],
  ['another header', { header: 'x-signature' }, 'plain', /header X-Signature/],
  ['the opposite', compares((given, right) => given !== right), 'plain', /wrong way round/],
  [
    'a number',
    expects((body) => withoutZeros(hmac(body, clientId))),
    'leading-zeros',
    /without the zeros at its start/,
  ],
  ['Latin-1', { signs: latin1 }, 'utf-8', /Latin-1/],
  ['ASCII', { signs: (body) => body.toString('ascii') }, 'utf-8', /decoded as ASCII/],
  ['a ? for each byte', { signs: (body) => toAscii(body, '?') }, 'utf-8', /\? for each byte/],
  ['a U+FFFD for each byte', { signs: (body) => toAscii(body, '\ufffd') }, 'utf-8', /U\+FFFD for each byte/],
  ['one line', { signs: (body) => `${body}`.split(/\r?\n/)[0] ?? '' }, 'spaces', /as far as its first line/],
  ['what a filter of HTML leaves', { signs: escapeTags }, 'escapes', /&lt; and &gt;/],
  ['a normal form', { signs: normalize }, 'utf-8', /normal form C/],
  [
    'every other request',
    { compares: (given, right) => digits.test(given) && given === right, rejects: 400 },
    'spaces',
    /flag g/,
  ],
  [
    'the path, too',
    expects((body, { url }) => hmac(`POST${url}${body}`, clientId)),
    'plain',
    /method, the path/,
  ],
  [
    'fields that it knows',
    { handles: (body) => (body.includes('u0074ype') ? 422 : 200) },
    'escapes',
    /accepts the signature, as a wrong one/,
  ],
  [
    'amounts of its own form',
    handles(422, (body) => body.includes('amount')),
    'kind-inbound-payment',
    /accepts the signature.* Without "amount" in the data, it accepts/,
  ],
  [
    'fields that are not null',
    handles(422, (body) => body.includes('mtlReceiptLinkUrl\\":null')),
    'optional-fields',
    /Without "mtlReceiptLinkUrl" in the data/,
  ],
  [
    'refunds with a reference',
    handles(500, (body) => body.includes('refundTxn\\":{')),
    'optional-fields',
    /Without "refundTxn" in the data/,
  ],
  [
    'error codes that are numbers',
    handles(400, (body) => body.includes('errorCode\\":\\"')),
    'optional-fields',
    /Without "errorCode" of "debitTxn" in the data/,
  ],
  [
    'payments with an invoice',
    handles(422, (body) => !/invoiceId\\":\d/.test(body)),
    'optional-fields',
    /With "invoiceId" in the data/,
  ],
  [
    'invoices with a date',
    handles(422, (body) => isOf('INVOICE', body) && !/dueDate\\":\\"/.test(body)),
    'unpaid-invoice',
    /With "dueDate" in the data/,
  ],
  [
    'payments with a receipt',
    handles(400, (body) => !body.includes('mtlReceiptLinkUrl')),
    'plain',
    /With "mtlReceiptLinkUrl" in the data/,
  ],
  [
    'a text that it searches',
    handles(400, (body) => !body.includes('"type":"')),
    'spaces',
    /same JSON without white space.*parser/,
  ],
  [
    'a field that an account does not have',
    handles(422, (body) => !body.includes('status\\":')),
    'kind-account',
    /With "status" in the data, it accepts/,
  ],
  ['a form', { signs: (body) => querystring.unescape(`${body}`), rejects: 422 }, 'escapes', /percent/],
  [
    'trimmed text',
    { signs: (body) => `${body}`.trim(), rejects: 404 },
    'spaces-around',
    /without the white space around it/,
  ],
  [
    'ASCII text only',
    handles(422, (body) => /[^\0-\x7f]/.test(body)),
    'utf-8',
    /It accepts the signature/,
    /^Read the envelope with a JSON parser/,
  ],
  [
    'invoices without a payment',
    handles(404, (body) => /paymentId\D+\d/.test(body)),
    'kind-inbound-invoice',
    /Without "paymentId" in the data/,
  ],
  [
    'a payment once',
    handles(500, (body) => !isNew(JSON.parse(JSON.parse(body).data).id)),
    'out-of-order',
    /^Look into its log\.$/,
  ],
  [
    'no chunks',
    expects((body, { headers }) => hmac(headers['content-length'] ? body : '', clientId)),
    'chunked',
    /no Content-Length/,
  ],
]

it.each<Cause>(CAUSES)(
  'names the cause if a receiver verifies %s',
  async (_, parts, id, cause, mend = /./) => {
    const { results, conclusions } = await checkReceiver({
      ...{ url: await open(parts), clientId, clientSecret },
      only: [id],
    })
    expect(results.find((result) => result.id === id)).toMatchObject({
      outcome: 'failed',
      cause: expect.stringMatching(cause),
      mend: expect.stringMatching(mend),
    })
    if (id === 'plain') expect(conclusions).toEqual([expect.stringMatching(cause)])
  },
)
