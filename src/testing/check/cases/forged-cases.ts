import { Buffer } from 'node:buffer'
import { toSpacedJson, withSortedKeys } from '../../rewritten-bodies.ts'
import type { SendingCase } from '../check-case.ts'
import type { PlannedRequest } from '../planned-request.ts'
import type { Samples } from '../samples.ts'

const REJECT = 'Respond with 401, and handle nothing.'
const RAW = `Compute the HMAC over the raw bytes, with the client id as the key. ${REJECT}`
const FIRST = `Verify before anything looks at the method, the type, or the content, in one place for all. ${REJECT}`

/** Two forgeries in one: without a signature, and with that of another key. */
function forgeries(
  samples: Samples,
  name: string,
  changes: Partial<PlannedRequest> = {},
  body = samples.body(),
): PlannedRequest[] {
  const wrong = samples.signatureOf(changes.body ?? body, 'payhook-check-wrong-key')
  const forged = { body, expected: 'rejected', ...changes } as const
  return [
    { ...forged, signatures: [], label: `${name} without a signature` },
    { ...forged, signatures: [wrong], label: `${name} with another key` },
  ]
}

const withOtherId = (body: string) => body.replace(/999(?=\d{6})/, '998')

const BOUNDARY = 'payhook-check'

/** Types that parsers of JSON leave alone, and the same fields in their form. */
const TYPES: Readonly<
  Record<string, readonly [type: string | null, toBody?: (fields: [string, string][]) => string]>
> = {
  'no type': [null],
  'text/plain': ['text/plain'],
  'application/octet-stream': ['application/octet-stream'],
  'a form': ['application/x-www-form-urlencoded', (fields) => new URLSearchParams(fields).toString()],
  'multipart/form-data': [
    `multipart/form-data; boundary=${BOUNDARY}`,
    (fields) =>
      [
        ...fields.map(
          ([name, value]) =>
            `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
        ),
        `--${BOUNDARY}--\r\n`,
      ].join(''),
  ],
}

/** What nobody without the client id, or nobody at all, may get in with. */
export const FORGED_CASES: readonly SendingCase[] = [
  {
    id: 'signature-missing',
    title: 'No signature',
    why: 'Anyone on the internet can send this.',
    mend: REJECT,
    requests: (samples) => forgeries(samples, '').slice(0, 1),
  },
  {
    id: 'wrong-key',
    title: 'A signature with another key',
    why: 'Only the key distinguishes the service from others.',
    mend: RAW,
    requests: (samples) => forgeries(samples, '').slice(1),
  },
  {
    id: 'forged-kinds',
    title: 'Every kind, without a signature and with another key',
    why: 'A receiver that verifies where it handles a kind can forget one.',
    mend: FIRST,
    requests: (samples) =>
      [...samples.kinds, ...(samples.isPayment ? ['PAYMENT_STATUS_UPDATED'] : [])].flatMap((kind) =>
        forgeries(samples, kind, {}, samples.body(kind)),
      ),
  },
  {
    id: 'forged-unknown-kind',
    level: 'should',
    title: 'A kind that does not exist, without a signature and with another key',
    why: 'A receiver that acknowledges unknown kinds before it verifies fills its log for anyone.',
    mend: FIRST,
    requests: (samples) =>
      forgeries(samples, 'a kind', {}, samples.body('PAYHOOK_CHECK_KIND', { id: samples.newId() })),
  },
  {
    id: 'forged-inline',
    title: 'Data as an object, without a signature and with another key',
    why: 'A receiver that verifies the string in "data", or only reads it, has none here.',
    mend: FIRST,
    requests: (samples) => forgeries(samples, 'an object', {}, samples.body(samples.kind, {}, true)),
  },
  {
    id: 'forged-types',
    title: 'Other content types, without a signature and with another key',
    why: 'A receiver that verifies in its parser of JSON does not verify what another parser reads, such as that of forms.',
    mend: `${FIRST} Or reject other types with 415.`,
    requests: (samples) =>
      Object.entries(TYPES).flatMap(([name, [contentType, toBody]]) => {
        const body = samples.body()
        const fields = Object.entries(JSON.parse(body) as Record<string, string>)
        return forgeries(samples, name, { contentType }, toBody?.(fields) ?? body)
      }),
  },
  {
    id: 'forged-methods',
    title: 'PUT and PATCH, without a signature and with another key',
    why: 'A receiver that verifies POST only may handle all methods.',
    mend: `${FIRST} Or respond with 405 to other methods than POST.`,
    requests: (samples) =>
      (['PUT', 'PATCH'] as const).flatMap((method) => forgeries(samples, method, { method })),
  },
  {
    id: 'forged-paths',
    title: 'Other spellings of the path, without a signature and with another key',
    why: 'A receiver that verifies for one path may be reached by another: routers ignore case and slashes.',
    mend: `${FIRST} Verify where the route is, not by comparing the path.`,
    requests: (samples) => {
      const { pathname } = samples
      const spellings = pathname === '/' ? [] : [`${pathname}/`, `/${pathname}`, pathname.toUpperCase()]
      // `new URL` throws for the last one, which ends programs that do not expect it.
      return [...spellings, '//'].flatMap((spelling) =>
        forgeries(samples, spelling, {
          path: samples.path.replace(pathname, spelling),
          expected: 'not accepted',
        }),
      )
    },
  },
  {
    id: 'forged-chunked',
    title: 'A body without Content-Length, without a signature and with another key',
    why: 'A receiver that reads as many bytes as Content-Length says may find nothing to verify.',
    mend: FIRST,
    requests: (samples) => forgeries(samples, 'in chunks', { transfer: 'chunked' }),
  },
  {
    id: 'forged-megabyte',
    title: 'A body of a megabyte, without a signature and with another key',
    why: 'A receiver that drops what is beyond its limit with a 2xx loses it: the service does not send it again.',
    mend: `${FIRST} Or respond with 413 to what is beyond the limit.`,
    requests: (samples) =>
      forgeries(samples, 'a megabyte', { expected: 'rejected or closed' }, samples.body().padEnd(1_000_000)),
  },
  {
    id: 'body-changed',
    title: 'A digit of the body changed after it was signed',
    why: 'Whoever sees one notification could change its amount.',
    mend: RAW,
    requests: (samples) => {
      const genuine = samples.body()
      return [signedAs(samples, withOtherId(genuine), genuine)]
    },
  },
  {
    id: 'body-changed-later',
    title: 'A genuine notification, then a changed one with its signature',
    why: 'A receiver that remembers signatures may take a known one for verified.',
    mend: 'Verify each request, before you look for duplicates.',
    requests: (samples) => {
      const genuine = samples.signed(samples.body(), { label: 'genuine' })
      const body = String(genuine.body)
      return [genuine, signedAs(samples, withOtherId(body), body, 'changed')]
    },
  },
  {
    id: 'signature-of-rewritten-body',
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
      }
      const body = `${JSON.stringify(value, null, 2)}\n`
      return Object.entries(rewritten).map(([label, text]) => signedAs(samples, body, text, label))
    },
  },
  {
    id: 'signature-of-data',
    title: 'A signature of "data" alone',
    why: 'The kind could be changed: of a payment that you sent into one that you received.',
    mend: RAW,
    requests: (samples) => {
      const body = samples.body()
      return [signedAs(samples, body, JSON.parse(body).data)]
    },
  },
  {
    id: 'signature-of-decoded-text',
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
  {
    id: 'body-truncated',
    level: 'should',
    title: 'A body that ends before its Content-Length',
    why: 'A connection that breaks is not a notification. Nobody reads the response, so a 5xx of a proxy is fine, too.',
    mend: 'Verify the body once it is complete. Stop waiting when the connection is closed.',
    requests: (samples) => [samples.signed(samples.body(), { transfer: 'half', expected: 'not accepted' })],
  },
]

/** A body with the signature of another text. */
function signedAs(
  { signatureOf }: Samples,
  body: string | Uint8Array,
  signed: string,
  label = '',
): PlannedRequest {
  return { body, signatures: [signatureOf(signed)], expected: 'rejected', label }
}
