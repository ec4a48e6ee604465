import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { toSpacedJson, withSortedKeys } from '../../rewritten-bodies.ts'
import type { Cases, SendingCase } from '../check-case.ts'
import type { PlannedRequest } from '../planned-request.ts'
import type { Samples } from '../samples.ts'

const REJECT = 'Respond with 401, and handle nothing.'
const RAW = `Compute the HMAC over the raw bytes, with the client id as the key. ${REJECT}`
const FIRST = `Verify before anything looks at the method, the type, or the content, in one place for all. ${REJECT}`

/** How a forged request differs from a plain notification. */
type Forgery = Partial<PlannedRequest>

interface ForgedCase extends Pick<SendingCase, 'level' | 'why'> {
  /** What else than to verify first. */
  readonly or?: string
  forge(samples: Samples): readonly Forgery[]
}

/** A case that sends forgeries without a signature, and with that of another key. */
function forging(what: string, { forge, or, ...texts }: ForgedCase): SendingCase {
  return {
    title: `${what}, without a signature and with another key`,
    mend: or === undefined ? FIRST : `${FIRST} ${or}`,
    ...texts,
    requests: (samples) =>
      forge(samples).flatMap((forgery) => [unsigned(samples, forgery), wronglySigned(samples, forgery)]),
  }
}

function unsigned({ body }: Samples, { label = '', ...forgery }: Forgery = {}): PlannedRequest {
  return {
    body: body(),
    expected: 'rejected',
    signatures: [],
    label: `${label} without a signature`,
    ...forgery,
  }
}

function wronglySigned(samples: Samples, { label = '', ...forgery }: Forgery = {}): PlannedRequest {
  const request = { ...unsigned(samples, forgery), label: `${label} with another key` }
  return { ...request, signatures: [samples.signatureOf(request.body, 'payhook-check-wrong-key')] }
}

const HALF = { transfer: 'half', expected: 'not accepted', label: 'half' } as const
const withOtherId = (body: string) => body.replace(/999(?=\d{6})/, '998')

const BOUNDARY = 'payhook-check'

type Field = readonly [name: string, value: string]

const toPart = ([name, value]: Field) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** Types that parsers of JSON leave alone, and the same fields in their form. */
const TYPES: Readonly<
  Record<string, readonly [type: string | null, toBody?: (fields: [string, string][]) => string]>
> = {
  'no type': [null],
  'text/plain': ['text/plain'],
  'application/octet-stream': ['application/octet-stream'],
  'a form': ['application/x-www-form-urlencoded', (fields) => `${new URLSearchParams(fields)}`],
  'multipart/form-data': [
    `multipart/form-data; boundary=${BOUNDARY}`,
    (fields) => `${fields.map(toPart).join('')}--${BOUNDARY}--\r\n`,
  ],
}

/** What nobody without the client id, or nobody at all, may get in with. */
export const FORGED_CASES: Cases<SendingCase> = {
  // First, as the others are compared with it.
  'wrong-key': {
    title: 'A signature with another key',
    why: 'Only the key distinguishes the service from others.',
    mend: RAW,
    requests: (samples) => [wronglySigned(samples)],
  },
  'signature-missing': {
    title: 'No signature',
    why: 'Anyone on the internet can send this.',
    mend: REJECT,
    requests: (samples) => [unsigned(samples)],
  },
  'forged-kinds': forging('Every kind', {
    why: 'A receiver that verifies where it handles a kind can forget one.',
    forge: ({ kinds, isPayment, body }) =>
      [...kinds, ...(isPayment ? ['PAYMENT_STATUS_UPDATED'] : [])].map((kind) => ({
        label: kind,
        body: body(kind),
      })),
  }),
  'forged-unknown-kind': forging('A kind that does not exist', {
    level: 'should',
    why: 'A receiver that acknowledges unknown kinds before it verifies fills its log for anyone.',
    forge: ({ body, newId }) => [{ label: 'a kind', body: body('PAYHOOK_CHECK_KIND', { id: newId() }) }],
  }),
  'forged-inline': forging('Data as an object', {
    why: 'A receiver that verifies the string in "data", or only reads it, has none here.',
    forge: ({ body, kind }) => [{ label: 'an object', body: body(kind, {}, true) }],
  }),
  'forged-types': forging('Other content types', {
    why: 'A receiver that verifies in its parser of JSON does not verify what another parser reads, such as that of forms.',
    or: 'Or reject other types with 415.',
    forge: (samples) =>
      Object.entries(TYPES).map(([label, [contentType, toBody]]) => {
        const body = samples.body()
        return { label, contentType, body: toBody?.(Object.entries(JSON.parse(body))) ?? body }
      }),
  }),
  'forged-headers': forging('X-Forwarded-For: 127.0.0.1, Host: localhost, and Content-Encoding: gzip', {
    why: 'Anyone can send these headers. A receiver may trust an address or a name in them, or not verify what it unpacked.',
    forge: ({ body }) => [
      {
        label: 'from 127.0.0.1',
        headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
      },
      // A proxy may lead other hosts elsewhere.
      { label: 'to localhost', headers: { Host: 'localhost' }, expected: 'not accepted' },
      { label: 'gzip', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body()) },
    ],
  }),
  'forged-methods': forging('PUT and PATCH', {
    why: 'A receiver that verifies POST only may handle all methods.',
    or: 'Or respond with 405 to other methods than POST.',
    forge: () => (['PUT', 'PATCH'] as const).map((method) => ({ label: method, method })),
  }),
  'forged-paths': forging('Other spellings of the path', {
    why: 'A receiver that verifies for one path may be reached by another: routers ignore case and slashes. In Node, new URL("//", base) throws, and may end the process.',
    or: 'Verify where the route is, not by comparing the path.',
    forge: ({ spellings, path, pathname }) =>
      spellings.map((label) => ({ label, path: path.replace(pathname, label), expected: 'not accepted' })),
  }),
  'forged-chunked': forging('A body without Content-Length', {
    why: 'A receiver that reads as many bytes as Content-Length says may find nothing to verify.',
    forge: () => [{ label: 'in chunks', transfer: 'chunked' }],
  }),
  'forged-megabyte': forging('A body of a megabyte', {
    why: 'A receiver that drops what is beyond its limit with a 2xx loses it: the service does not send it again.',
    or: 'Or respond with 413 to what is beyond the limit.',
    forge: ({ body }) => [
      { label: 'a megabyte', body: body().padEnd(1_000_000), expected: 'rejected or closed' },
    ],
  }),
  'body-changed': {
    title: 'A digit of the body changed after it was signed',
    why: 'Whoever sees one notification could change its amount.',
    mend: RAW,
    requests: (samples) => {
      const genuine = samples.body()
      return [signedAs(samples, withOtherId(genuine), genuine)]
    },
  },
  'body-changed-later': {
    title: 'A genuine notification, then a changed one with its signature, and the same one with another key',
    why: 'A receiver that remembers signatures or payments may take a known one for verified.',
    mend: 'Verify each request, before you look for duplicates.',
    requests: (samples) => {
      const genuine = samples.signed(samples.body(), { label: 'genuine' })
      const body = String(genuine.body)
      return [
        genuine,
        signedAs(samples, withOtherId(body), body, 'changed'),
        wronglySigned(samples, { body, label: 'the same' }),
      ]
    },
  },
  'signature-of-rewritten-body': {
    title: 'A signature of the JSON as a parser and a serializer rewrite it',
    why: 'A receiver that accepts it does not verify the bytes that arrived.',
    mend: RAW,
    requests: (samples) => {
      const compact = samples.body()
      const value = JSON.parse(compact)
      const rewritten = {
        'as Node writes it': compact,
        'as Python writes it': toSpacedJson(value),
        'as Go writes a map': JSON.stringify(withSortedKeys(value)),
        'as PHP writes it': compact.replaceAll('/', String.raw`\/`),
        trimmed: JSON.stringify(value, null, 2),
        'without any white space': compact.replace(/\s/g, ''),
      }
      const body = `${JSON.stringify(value, null, 2)}\n`
      return Object.entries(rewritten).map(([label, text]) => signedAs(samples, body, text, label))
    },
  },
  'signature-of-data': {
    title: 'A signature of "data" alone',
    why: 'The kind could be changed: of a payment that you sent into one that you received.',
    mend: RAW,
    requests: (samples) => {
      const body = samples.body()
      return [signedAs(samples, body, JSON.parse(body).data)]
    },
  },
  'signature-of-decoded-text': {
    title: 'Bytes with a signature of the text that a decoder makes of them',
    why: 'A lossy decoder makes the same text of different bytes, so the signature no longer says what arrived. So does a function for strings that end at a NUL.',
    mend: `Do not decode the body before you verify. ${RAW}`,
    requests: (samples) => {
      const invalid = Buffer.from(samples.bodyWith('~'))
      invalid[invalid.lastIndexOf('~')] = 0xff
      const text = samples.body()
      const decoded: Record<string, readonly [body: string | Uint8Array, text: string]> = {
        'not UTF-8': [invalid, invalid.toString()],
        'a byte order mark': [`\ufeff${text}`, text],
        'more after a NUL': [`${text}\0payhook check`, text],
      }
      return Object.entries(decoded).map(([label, [body, signed]]) => signedAs(samples, body, signed, label))
    },
  },
  'body-truncated': {
    level: 'should',
    title: 'A body that ends before its Content-Length, then a whole one',
    why: 'A connection that breaks is not a notification. Nobody reads the response, so a 5xx of a proxy is fine, too.',
    mend: 'Verify the body once it is complete. Stop waiting when the connection is closed. In Node, an error of the body that nobody catches ends the process.',
    requests: ({ signed, body }) => [signed(body(), HALF), signed(body(), { label: 'whole' })],
  },
}

/** A body with the signature of another text. */
function signedAs(
  { signatureOf }: Samples,
  body: string | Uint8Array,
  signed: string,
  label = '',
): PlannedRequest {
  return { body, signatures: [signatureOf(signed)], expected: 'rejected', label }
}
