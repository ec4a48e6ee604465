import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { toSpacedJson, withSortedKeys } from '../../rewritten-bodies.ts'
import { type Cases, type Requests, type SendingCase, toDrafts } from '../check-case.ts'
import { each } from '../samples.ts'

export const OTHER_KEY = 'payhook-check-wrong-key'

const REJECT = 'Respond with 401, and handle nothing.'
const RAW = `Compute the HMAC over the raw bytes, with the client id as the key. ${REJECT}`
const FIRST = `Verify before anything looks at the method, the type, or the content, in one place for all. ${REJECT}`

interface ForgedCase extends Omit<SendingCase, 'title' | 'mend'> {
  /** What else than to verify first. */
  readonly or?: string
  readonly requests: Requests
}

/** A case that sends forgeries without a signature, and with that of another key. */
function forging(what: string, { requests, or, ...rest }: ForgedCase): SendingCase {
  return {
    title: `${what}, without a signature and with another key`,
    mend: or === undefined ? FIRST : `${FIRST} ${or}`,
    ...rest,
    requests: (samples) =>
      toDrafts(requests, samples).flatMap(({ label, ...forgery }) => [
        { ...forgery, label: `${label} without a signature`, signatures: [] },
        { ...forgery, label: `${label} with another key`, key: OTHER_KEY },
      ]),
  }
}

const withOtherId = (body: string) => body.replace(/999(?=\d{6})/, '998')

const BOUNDARY = 'payhook-check'

const toForm = (json: string) => `${new URLSearchParams(JSON.parse(json))}`
const toMultipart = (json: string) => {
  const parts = Object.entries(JSON.parse(json)).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

/** What nobody without the client id, or nobody at all, may get in with. */
export const FORGED_CASES: Cases<SendingCase> = {
  // First, as the others are compared with it.
  'wrong-key': {
    title: 'A signature with another key',
    why: 'Only the key distinguishes the service from others.',
    mend: RAW,
    requests: [{ key: OTHER_KEY }],
  },
  'signature-missing': {
    title: 'No signature',
    why: 'Anyone on the internet can send this.',
    mend: REJECT,
    requests: [{ signatures: [] }],
  },
  'forged-kinds': forging('Every kind', {
    why: 'A receiver that verifies where it handles a kind can forget one.',
    requests: ({ kinds, isPayment }) =>
      each([...kinds, ...(isPayment ? ['PAYMENT_STATUS_UPDATED'] : [])], (kind) => ({ kind })),
  }),
  'forged-unknown-kind': forging('A kind that does not exist', {
    level: 'should',
    why: 'A receiver that acknowledges unknown kinds before it verifies fills its log for anyone.',
    requests: { 'a kind': { kind: 'PAYHOOK_CHECK_KIND' } },
  }),
  'forged-inline': forging('Data as an object', {
    why: 'A receiver that verifies the string in "data", or only reads it, has none here.',
    requests: { 'an object': { inline: true } },
  }),
  'forged-types': forging('Other content types', {
    why: 'A receiver that verifies in its parser of JSON does not verify what another parser reads, such as that of forms.',
    or: 'Or reject other types with 415.',
    // Types that parsers of JSON leave alone.
    requests: {
      'no type': { contentType: null },
      'text/plain': { contentType: 'text/plain' },
      'application/octet-stream': { contentType: 'application/octet-stream' },
      'a form': { contentType: 'application/x-www-form-urlencoded', write: toForm },
      'multipart/form-data': { contentType: `multipart/form-data; boundary=${BOUNDARY}`, write: toMultipart },
    },
  }),
  'forged-headers': forging('X-Forwarded-For: 127.0.0.1, Host: localhost, and Content-Encoding: gzip', {
    why: 'Anyone can send these headers. A receiver may trust an address or a name in them, or not verify what it unpacked.',
    requests: ({ toBody }) => ({
      'from 127.0.0.1': {
        headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
      },
      // A proxy may lead other hosts elsewhere.
      'to localhost': { headers: { Host: 'localhost' }, expected: 'not accepted' },
      gzip: { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(toBody()) },
    }),
  }),
  'forged-methods': forging('PUT and PATCH', {
    why: 'A receiver that verifies POST only may handle all methods.',
    or: 'Or respond with 405 to other methods than POST.',
    requests: { PUT: { method: 'PUT' }, PATCH: { method: 'PATCH' } },
  }),
  'forged-paths': forging('Other spellings of the path', {
    why: 'A receiver that verifies for one path may be reached by another: routers ignore case and slashes. In Node, new URL("//", base) throws, and may end the process.',
    or: 'Verify where the route is, not by comparing the path.',
    expects: 'not accepted',
    requests: ({ spellings, path, pathname }) =>
      each(spellings, (spelling) => ({ path: path.replace(pathname, spelling) })),
  }),
  'forged-chunked': forging('A body without Content-Length', {
    why: 'A receiver that reads as many bytes as Content-Length says may find nothing to verify.',
    requests: { 'in chunks': { transfer: 'chunked' } },
  }),
  'forged-megabyte': forging('A body of a megabyte', {
    why: 'A receiver that drops what is beyond its limit with a 2xx loses it: the service does not send it again.',
    or: 'Or respond with 413 to what is beyond the limit.',
    expects: 'rejected or closed',
    requests: { 'a megabyte': { write: (json) => json.padEnd(1_000_000) } },
  }),
  'body-changed': {
    title: 'A digit of the body changed after it was signed',
    why: 'Whoever sees one notification could change its amount.',
    mend: RAW,
    requests: [{ alter: withOtherId }],
  },
  'body-changed-later': {
    title:
      'A genuine notification between copies of it with another key, and a changed one with its signature',
    why: 'A receiver that remembers signatures or payments may take a known one for verified, or a forged one for the first.',
    mend: 'Verify each request, before you look for duplicates.',
    requests: ({ plan }) => {
      const genuine = plan()
      const { body } = genuine
      return {
        'a copy before it': { body, key: OTHER_KEY },
        genuine,
        changed: { body, alter: withOtherId },
        'the same with another key': { body, key: OTHER_KEY },
      }
    },
  },
  'signature-of-rewritten-body': {
    title: 'A signature of the JSON as a parser and a serializer rewrite it',
    why: 'A receiver that accepts it does not verify the bytes that arrived.',
    mend: RAW,
    requests: ({ toBody }) => {
      const value = JSON.parse(toBody())
      const compact = JSON.stringify(value)
      const trimmed = JSON.stringify(value, null, 2)
      const rewritten = {
        'as Node writes it': compact,
        'as Python writes it': toSpacedJson(value),
        'as Go writes a map': JSON.stringify(withSortedKeys(value)),
        'as PHP writes it': compact.replaceAll('/', String.raw`\/`),
        trimmed,
        'without any white space': compact.replace(/\s/g, ''),
      }
      return Object.entries(rewritten).map(([label, signs]) => ({ label, body: `${trimmed}\n`, signs }))
    },
  },
  'signature-of-data': {
    title: 'A signature of "data" alone',
    why: 'The kind could be changed: of a payment that you sent into one that you received.',
    mend: RAW,
    requests: ({ toBody }) => {
      const body = toBody()
      return [{ body, signs: JSON.parse(body).data }]
    },
  },
  'signature-of-decoded-text': {
    title: 'Bytes with a signature of the text that a decoder makes of them',
    why: 'A lossy decoder makes the same text of different bytes, so the signature no longer says what arrived. So does a function for strings that end at a NUL.',
    mend: `Do not decode the body before you verify. ${RAW}`,
    requests: {
      'not UTF-8': { text: '\ufffd', alter: (json) => Buffer.from(json.replace('\ufffd', '\xff'), 'latin1') },
      'a byte order mark': { alter: (json) => `\ufeff${json}` },
      'more after a NUL': { alter: (json) => `${json}\0payhook check` },
    },
  },
  'body-truncated': {
    level: 'should',
    title: 'A body that ends before its Content-Length, then a whole one',
    why: 'A connection that breaks is not a notification. Nobody reads the response, so a 5xx of a proxy is fine, too.',
    mend: 'Verify the body once it is complete. Stop waiting when the connection is closed. In Node, an error of the body that nobody catches ends the process.',
    requests: { half: { transfer: 'half', expected: 'not accepted' }, whole: {} },
  },
}
