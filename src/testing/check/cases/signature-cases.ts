import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Cases, SendingCase } from '../check-case.ts'
import type { Draft, Samples } from '../samples.ts'

/** Makes a value of the header, or several, from the right one. */
type Forge = (right: string, body: string) => string | readonly string[]

interface SignatureCase extends Omit<SendingCase, 'title' | 'requests'> {
  /** Sent in a request each, by their labels. */
  readonly forged: Readonly<Record<string, Forge | Draft>>
}

const REJECT = 'Respond with 401, and handle nothing.'
const WELL_FORMED = `Check that the header is 64 lowercase hexadecimal digits before you compare. ${REJECT}`
const COMPARE = `Compare all 64 digits, as text of equal length. ${REJECT}`
const KEY = `The only key is the client id. Fail to start without one. ${REJECT}`

const OTHER = '5'.repeat(64)
const change =
  (isChanged: (index: number) => boolean): Forge =>
  (right) =>
    right.replace(/./g, (digit, index: number) => (isChanged(index) ? (digit === '5' ? 'a' : '5') : digit))

const LOOSE = {
  level: 'should',
  why: 'The service never sends this. A receiver that accepts it compares more loosely than it has to.',
  mend: WELL_FORMED,
} as const

/** Values of the header that are wrong, or right in another form than the service's. */
export const SIGNATURE_CASES: Cases<SendingCase> = {
  'signature-empty': forging('An empty signature', {
    why: 'The header is there, but proves nothing.',
    mend: WELL_FORMED,
    forged: { empty: () => '' },
  }),
  'client-secret': {
    title: 'A signature with the client secret as the key',
    why: 'The key is the client id. A second key is a second way in.',
    mend: KEY,
    needs: { what: 'the client secret', isMet: ({ clientSecret }) => clientSecret !== undefined },
    requests: ({ clientSecret }) => [{ key: clientSecret }],
  },
  'guessable-key': forging('A signature with a key that anyone can guess, or without one', {
    why: 'A variable that is not set, an empty entry in a list of keys, or the client id of the sandbox, becomes a key.',
    mend: KEY,
    forged: {
      'an empty key': { key: '' },
      '"undefined"': { key: 'undefined' },
      '"null"': { key: 'null' },
      '"None"': { key: 'None' },
      "the sandbox's client id": { key: 'sandbox-client-id' },
      'SHA-256 without a key': (_, body) => createHash('sha256').update(body).digest('hex'),
    },
  }),
  'signature-altered': forging('The right signature with some digits changed', {
    why: 'A comparison of numbers, of a part, or in a loop of its own can miss digits. The rest can be guessed.',
    mend: COMPARE,
    forged: {
      'the first digit': change((index) => index === 0),
      'the last digit': change((index) => index === 63),
      'the first half': change((index) => index < 32),
      'the second half': change((index) => index >= 32),
      'every other digit': change((index) => index % 2 === 0),
      'the other ones': change((index) => index % 2 === 1),
    },
  }),
  'signature-truncated': forging('A part of the signature', {
    why: 'A comparison of values of different lengths throws in some languages, and ends early in others.',
    mend: WELL_FORMED,
    forged: {
      'the first half': (right) => right.slice(0, 32),
      'the second half': (right) => right.slice(32),
      'all but the last digit': (right) => right.slice(0, -1),
      'all but the first digit': (right) => right.slice(1),
      'one digit': (right) => right.slice(0, 1),
    },
  }),
  'signature-too-long': forging('The signature with more around it', {
    level: 'should',
    why: 'A decoder that stops at the first invalid digit ignores the rest, and a search finds it anywhere.',
    mend: WELL_FORMED,
    forged: {
      'zz after it': (right) => `${right}zz`,
      'a digit after it': (right) => `${right}0`,
      'digits before it': (right) => `00${right}`,
      twice: (right) => `${right}${right}`,
    },
  }),
  'signature-not-hex': forging('64 characters that are not hexadecimal digits', {
    why: 'A decoder makes an empty value of them. A comparison with it throws, or finds two empty values equal. A search takes them for a pattern.',
    mend: WELL_FORMED,
    forged: {
      letters: () => 'z'.repeat(64),
      'a regular expression': () => '.'.repeat(64),
      'a pattern of LIKE': () => '%'.repeat(64),
      'a pattern of file names': () => '*'.repeat(64),
    },
  }),
  'signature-not-ascii': forging('64 letters beyond ASCII', {
    why: 'Some comparisons in constant time throw: they count bytes, not letters. The receiver responds with 500, or ends.',
    mend: WELL_FORMED,
    forged: { letters: () => 'é'.repeat(64) },
  }),
  'signature-uppercase': forging('The signature in uppercase digits', {
    ...LOOSE,
    forged: { uppercase: (right) => right.toUpperCase() },
  }),
  'signature-base64': forging('The signature in Base64', {
    ...LOOSE,
    forged: { Base64: (right) => Buffer.from(right, 'hex').toString('base64') },
  }),
  'signature-prefixed': forging('The signature with "sha256=" before it', {
    ...LOOSE,
    forged: { prefixed: (right) => `sha256=${right}` },
  }),
  'signature-twice': forging('Two signature headers, of which one is right', {
    ...LOOSE,
    why: `${LOOSE.why} A proxy in front may judge by the other one.`,
    mend: `Reject a request with two signature headers. ${WELL_FORMED}`,
    forged: {
      'the first is right': (right) => [right, OTHER],
      'the second is right': (right) => [OTHER, right],
    },
  }),
  'signature-list': forging('Two signatures in one header, of which one is right', {
    ...LOOSE,
    forged: {
      'the first is right': (right) => `${right}, ${OTHER}`,
      'the second is right': (right) => `${OTHER},${right}`,
    },
  }),
}

function forging(title: string, { forged, ...rest }: SignatureCase): SendingCase {
  const requests = ({ toBody, signatureOf, clientId }: Samples) =>
    Object.entries(forged).flatMap(([label, forge]) => {
      // A receiver that is tried with the sandbox has its client id.
      if (typeof forge !== 'function') return forge.key === clientId ? [] : { label, ...forge }
      const body = toBody()
      return { label, body, signatures: [forge(signatureOf(body), body)].flat() }
    })
  return { title, ...rest, requests }
}
