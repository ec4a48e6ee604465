import { Buffer } from 'node:buffer'
import { withSortedKeys } from '../../rewritten-bodies.ts'
import { idField, sampleData } from '../../sample-data.ts'
import type { Cases, Need, SendingCase } from '../check-case.ts'
import { type Draft, each } from '../samples.ts'

const WHY =
  'The signature covers the exact bytes. A receiver that parses and serializes the JSON first has others.'
export const RAW_BYTES =
  'Compute the HMAC over the raw bytes of the body, before a parser reads them: express.raw(), rfile.read(), php://input, io.ReadAll. '
const MEND = `${RAW_BYTES}Read the envelope with a JSON parser.`
export const DIGITS =
  'Read numbers as strings or decimals, not as doubles or 32-bit integers. Store ids in 64-bit columns.'

/** Enough, with so large bodies, that two are hashed at the same time. */
const EIGHT = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

const AN_AMOUNT: Need = { what: 'a kind with an amount', isMet: ({ kind }) => 'amount' in sampleData(kind) }

const withAmount = (amount: string): Draft => {
  const [number = '', currency = 'USD'] = amount.split(' ')
  return { data: { amount: { number, currency } } }
}
const indent = (json: string) => JSON.stringify(JSON.parse(json), null, 2)

/** The same content in other bytes, and numbers that a double cannot hold. */
export const BYTE_CASES: Cases<SendingCase> = {
  'key-order': {
    title: '"data" before "type"',
    why: 'The members of a JSON object have no order.',
    mend: 'Read the envelope with a JSON parser.',
    requests: [{ write: (json) => JSON.stringify(withSortedKeys(JSON.parse(json))) }],
  },
  spaces: {
    title: 'Spaces and line breaks between the parts of the JSON',
    why: WHY,
    mend: MEND,
    requests: {
      'with LF': { write: indent },
      'with CRLF': { write: (json) => indent(json).replaceAll('\n', '\r\n') },
    },
  },
  'spaces-around': {
    title: 'A newline after the JSON, and spaces before it',
    why: 'They are part of what was signed. A receiver that trims the body loses them.',
    mend: MEND,
    requests: { newline: { write: (json) => `${json}\n` }, spaces: { write: (json) => `  ${json}` } },
  },
  escapes: {
    title: String.raw`Escapes: \/ for a solidus, \u0074 for a letter, and none for < > & % +`,
    why: `${WHY} Serializers differ in what they escape.`,
    mend: `${MEND} Decode no percent-encoding: it is no form.`,
    requests: {
      solidus: { text: 'https://check.example/', write: (json) => json.replaceAll('/', String.raw`\/`) },
      letter: { write: (json) => json.replace('"type"', String.raw`"\u0074ype"`) },
      'none, for < > & % +': { text: '<b>A & B</b> &lt; 100% +1 %41' },
    },
  },
  'escapes-in-data': {
    title: 'Text with quotes, an apostrophe, a backslash and a line break in the data',
    why: 'In the string of "data", they are escaped twice. An apostrophe ends a string of SQL.',
    mend: 'Parse the envelope, and then the string of "data", each with a JSON parser. Remove no backslashes. Bind values to a statement of SQL as parameters.',
    requests: {
      quotes: { text: '"A"' },
      'an apostrophe': { text: "O'Neil" },
      'a backslash': { text: 'A\\B' },
      'a line break': { text: 'A\nB' },
    },
  },
  'utf-8': {
    title: 'Letters beyond ASCII, in UTF-8',
    why: 'Names and descriptions have them. A body that is decoded as Latin-1 has other bytes.',
    mend: `${MEND} Store and log it where all of Unicode fits: in MySQL, as utf8mb4.`,
    requests: {
      letters: { text: 'Zoë, Łódź, 東京' },
      'beyond 16 bits': { text: '𝄞 😀' },
      'a letter and its accent': { text: 'Zoe\u0308' },
    },
  },
  'large-id': {
    title: 'Ids that a double cannot hold: 9007199254740993, 9223372036854775807, and one less',
    why: 'Ids are 64-bit integers. With a wrong digit, the notification is about a different payment.',
    mend: DIGITS,
    unseen: 'whether the digits were kept: look for the ids …0993 (not …0992) and …5807 in what was stored.',
    requests: ({ kind }) =>
      each(['9007199254740993', '9223372036854775807', '9223372036854775806'], (id) => ({
        data: { [idField(kind)]: id },
      })),
  },
  'long-amount': {
    needs: AN_AMOUNT,
    title: 'Amounts of 17 and 19 digits: 123456789012345.67 and 12345678901234567.89',
    why: 'Amounts are decimals. A double rounds them.',
    mend: DIGITS,
    unseen: 'whether the digits were kept: look for the amounts ….67 and ….89 in what was stored.',
    requests: each(['123456789012345.67', '12345678901234567.89'], withAmount),
  },
  amounts: {
    needs: AN_AMOUNT,
    title: 'Amounts without a fraction, with a zero at the end, and with 16 digits after the point',
    why: 'Currencies have other fractions than hundredths, and the service writes zeros.',
    mend: 'Read amounts as decimals, with any number of digits after the point.',
    requests: each(['5000', '1250.50', '0.6033780000000000'], withAmount),
  },
  currencies: {
    needs: AN_AMOUNT,
    level: 'should',
    title: 'Amounts in other currencies, with no and with three digits after the point',
    why: 'The service documents no list of currencies. A minor unit is not always a hundredth.',
    mend: 'Accept every currency, and decide later what to do with it.',
    requests: each(['5000 JPY', '12.345 KWD', '1250.50 EUR'], withAmount),
  },
  'odd-text': {
    level: 'should',
    title: String.raw`Text with \u0000, with an unpaired surrogate, and of 1,000 letters`,
    why: 'It is valid JSON, but some databases and encoders reject it, with an exception.',
    mend: 'Store the body as bytes. Shorten or replace what a column does not take.',
    expects: 'not an error',
    requests: {
      '\\u0000': { text: '\0' },
      'a surrogate': { text: '\ud800' },
      letters: { text: 'a'.repeat(1_000) },
    },
  },
  'leading-zeros': {
    title: 'Signatures with zeros at the start, and within',
    why: 'One of 16 signatures begins with a zero. Number formats leave it out, and such a notification is lost.',
    mend: 'Write two digits for each byte: hexdigest(), digest("hex"), bin2hex(), %02x. Not toString(16) of a number.',
    requests: {
      'one zero': { pattern: /^0[^0]([^0].)+$/ },
      'two zeros': { pattern: /^00/ },
      'a zero within': { pattern: /^([^0].)+(0[^0])([^0].)+$/ },
    },
  },
  megabyte: {
    level: 'should',
    title: 'Bodies of a megabyte, eight at once',
    why: 'The service states no largest size. Many parsers stop at 100 KB.',
    mend: 'Read the body to its end. Set its limit to 1 MiB, in the proxy, too.',
    order: 'at once',
    requests: each(EIGHT, () => ({ write: (json) => json.padEnd(1_000_000) })),
  },
  'no-limit': {
    level: 'should',
    title: 'A body of 16 megabytes, with its length and in chunks',
    why: 'Without a limit, anyone can fill the memory of the receiver with a few requests.',
    mend: 'Stop reading at a limit such as 1 MiB, and respond with 413. Content-Length alone does not tell: count.',
    expects: 'rejected or closed',
    requests: ({ toBody }) => {
      const body = Buffer.from(toBody().padEnd(16_000_000))
      return { 'with its length': { body }, 'in chunks': { body, transfer: 'chunked' } }
    },
  },
}
