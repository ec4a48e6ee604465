import { Buffer } from 'node:buffer'
import type { SendingCase } from '../check-case.ts'
import type { PlannedRequest } from '../planned-request.ts'
import type { Samples } from '../samples.ts'

const REJECT = 'Respond with 401, and handle nothing.'
const WELL_FORMED = `Check that the header is 64 lowercase hexadecimal digits before you compare. ${REJECT}`
const RAW = `Compute the HMAC over the raw bytes, with the client id as the key. ${REJECT}`

/** What nobody without the client id, or nobody at all, may get in with. */
export const FORGED_CASES: readonly SendingCase[] = [
  {
    id: 'signature-missing',
    level: 'must',
    title: 'No signature',
    why: 'Anyone on the internet can send this.',
    mend: REJECT,
    requests: (samples) => withSignatures(samples, () => []),
  },
  {
    id: 'signature-empty',
    level: 'must',
    title: 'An empty signature',
    why: 'The header is there, but proves nothing.',
    mend: WELL_FORMED,
    requests: (samples) => withSignatures(samples, () => ['']),
  },
  {
    id: 'wrong-key',
    level: 'must',
    title: 'A signature with another key',
    why: 'Only the key distinguishes the service from others.',
    mend: RAW,
    requests: (samples) =>
      withSignatures(samples, (_, body) => [samples.signatureOf(body, 'payhook-check-wrong-key')]),
  },
  {
    id: 'client-secret',
    needs: 'the client secret',
    level: 'must',
    title: 'A signature with the client secret as the key',
    why: 'The key is the client id. A second key is a second way in.',
    mend: RAW,
    requests: (samples) => {
      const { clientSecret } = samples
      if (clientSecret === undefined) return []
      return withSignatures(samples, (_, body) => [samples.signatureOf(body, clientSecret)])
    },
  },
  {
    id: 'body-changed',
    level: 'must',
    title: 'A digit of the body changed after it was signed',
    why: 'Whoever sees one notification could change its amount.',
    mend: RAW,
    requests: (samples) => {
      const body = samples.body()
      const changed = body.replace('999', '998')
      return [samples.signed(changed, { signatures: [samples.signatureOf(body)], expected: 'rejected' })]
    },
  },
  {
    id: 'signature-of-rewritten-body',
    level: 'must',
    title: 'A signature of the JSON as a parser and a serializer rewrite it',
    why: 'A receiver that accepts it does not verify the bytes that arrived.',
    mend: RAW,
    requests: (samples) => {
      const compact = samples.body()
      const pretty = JSON.stringify(JSON.parse(compact), null, 2)
      return [samples.signed(pretty, { signatures: [samples.signatureOf(compact)], expected: 'rejected' })]
    },
  },
  {
    id: 'signature-of-decoded-text',
    level: 'must',
    title: 'Bytes that are not UTF-8, with a signature of the text that a decoder makes of them',
    why: 'A lossy decoder makes the same text of different bytes, so the signature no longer says what arrived.',
    mend: `Do not decode the body before you verify. ${RAW}`,
    requests: (samples) => {
      const body = Buffer.from(samples.bodyWith('~'))
      body[body.lastIndexOf('~')] = 0xff
      const signatures = [samples.signatureOf(body.toString())]
      return [samples.signed(body, { signatures, expected: 'rejected' })]
    },
  },
  {
    id: 'signature-truncated',
    level: 'must',
    title: 'The first half of the signature, and all but its last digit',
    why: 'A comparison of values of different lengths throws in some languages, and ends early in others.',
    mend: WELL_FORMED,
    requests: (samples) =>
      withSignatures(
        samples,
        (right) => [right.slice(0, 32)],
        (right) => [right.slice(0, -1)],
      ),
  },
  {
    id: 'signature-too-long',
    level: 'must',
    title: 'The signature with more after it',
    why: 'A decoder that stops at the first invalid digit ignores the rest.',
    mend: WELL_FORMED,
    requests: (samples) =>
      withSignatures(
        samples,
        (right) => [`${right}zz`],
        (right) => [`${right}${right}`],
      ),
  },
  {
    id: 'signature-not-hex',
    level: 'must',
    title: '64 letters that are not hexadecimal digits',
    why: 'A decoder makes an empty value of them. A comparison with it throws, or finds two empty values equal.',
    mend: WELL_FORMED,
    requests: (samples) => withSignatures(samples, () => ['z'.repeat(64)]),
  },
  {
    id: 'signature-not-ascii',
    level: 'must',
    title: '64 letters beyond ASCII',
    why: 'Some comparisons in constant time throw, and the receiver responds with 500.',
    mend: WELL_FORMED,
    requests: (samples) => withSignatures(samples, () => ['é'.repeat(64)]),
  },
  {
    id: 'body-truncated',
    level: 'must',
    title: 'A body that ends before its Content-Length',
    why: 'A connection that breaks must not count as a notification.',
    mend: RAW,
    requests: (samples) => [
      samples.signed(samples.body(), { transfer: 'half', expected: 'rejected or closed' }),
    ],
  },
  {
    id: 'callback-token',
    needs: 'a token in the URL',
    level: 'must',
    title: 'A URL without the callback token, and one with a wrong token',
    why: 'The client id is no secret: it is in the URL of every authorize call. The token is one.',
    mend: 'Compare the token of the URL in constant time, and respond with 401 unless it is the one that you registered.',
    requests: (samples) =>
      samples.token === undefined
        ? []
        : [
            samples.signed(samples.body(), { token: null, expected: 'rejected', label: 'without' }),
            samples.signed(samples.body(), {
              token: `${samples.token}x`,
              expected: 'rejected',
              label: 'wrong',
            }),
          ],
  },
]

const LOOSE = 'The service never sends this. A receiver that accepts it compares more loosely than it has to.'
const OTHER = '0'.repeat(64)

/** A right signature in another form than the service's. */
export const LOOSE_CASES: readonly SendingCase[] = [
  {
    id: 'signature-uppercase',
    level: 'should',
    title: 'The signature in uppercase digits',
    why: LOOSE,
    mend: WELL_FORMED,
    requests: (samples) => withSignatures(samples, (right) => [right.toUpperCase()]),
  },
  {
    id: 'signature-base64',
    level: 'should',
    title: 'The signature in Base64',
    why: LOOSE,
    mend: WELL_FORMED,
    requests: (samples) => withSignatures(samples, (right) => [Buffer.from(right, 'hex').toString('base64')]),
  },
  {
    id: 'signature-twice',
    level: 'should',
    title: 'Two signature headers, of which one is right',
    why: `${LOOSE} A proxy in front may judge by the other one.`,
    mend: `Reject a request with two signature headers. ${WELL_FORMED}`,
    requests: (samples) =>
      withSignatures(
        samples,
        (right) => [right, OTHER],
        (right) => [OTHER, right],
      ),
  },
  {
    id: 'signature-list',
    level: 'should',
    title: 'Two signatures in one header, of which one is right',
    why: LOOSE,
    mend: WELL_FORMED,
    requests: (samples) =>
      withSignatures(
        samples,
        (right) => [`${right}, ${OTHER}`],
        (right) => [`${OTHER},${right}`],
      ),
  },
]

/** Notifications with other values of the signature header, one for each function. */
function withSignatures(
  samples: Samples,
  ...signatures: readonly ((right: string, body: string) => readonly string[])[]
): PlannedRequest[] {
  return signatures.map((toValues) => {
    const body = samples.body()
    return samples.signed(body, {
      signatures: toValues(samples.signatureOf(body), body),
      expected: 'rejected',
    })
  })
}
