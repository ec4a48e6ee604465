import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { type Body, toBytes } from '../body-bytes.ts'
import { type SignatureValue, verify } from '../verification/signature.ts'
import { rewrittenBodies } from './rewritten-bodies.ts'

/** A signature that does not verify, and what is known about it. */
export interface SignatureQuestion {
  readonly body: Body
  readonly signature: SignatureValue
  readonly clientId: string
  /** Client ids of other applications or environments, which may have signed by mistake. */
  readonly otherClientIds?: readonly string[] | undefined
  /** The client secret, which some programs use as the key by mistake. */
  readonly clientSecret?: string | undefined
}

export type SignatureCause = keyof typeof MESSAGES

export type SignatureExplanation =
  | { readonly valid: true }
  | { readonly valid: false; readonly cause: SignatureCause; readonly message: string }

const VERIFY_RAW = 'Verify the raw bytes, before any parser reads them.'

const MESSAGES = {
  signature_missing: 'There is no signature. A proxy may have removed the ACCESS-SIGNATURE header.',
  signature_repeated: 'There are two signatures. Send one ACCESS-SIGNATURE header with one value.',
  signature_whitespace: 'There is whitespace around the signature. Remove it.',
  signature_prefixed:
    'The signature has quotes or a prefix such as "sha256=". Send the 64 hexadecimal digits alone.',
  signature_uppercase: 'The signature has uppercase digits. Write the hexadecimal digits in lowercase.',
  signature_base64: 'The signature is in Base64. Write it in lowercase hexadecimal.',
  signature_malformed: 'The signature is not 64 lowercase hexadecimal digits. Part of it may be missing.',
  other_client_id:
    'The signature is that of another client id. Check which application or environment each side uses.',
  client_secret: 'The signature was made with the client secret. Use the client id as the key.',
  client_id_whitespace:
    'The signature was made with a client id that has different whitespace at its start or end. Trim the client id on both sides.',
  body_empty: 'The body is empty. Something read it before, or it was not saved.',
  newline_added: `The body ends with a newline that was not signed. ${VERIFY_RAW}`,
  newline_missing: `The signed body ended with a newline that is missing here. ${VERIFY_RAW}`,
  line_endings: `The line endings changed between LF and CRLF after signing. ${VERIFY_RAW}`,
  bom: `A byte order mark was added or removed after signing. ${VERIFY_RAW} Decoding to text drops the mark.`,
  restringified: `The JSON was serialized again after signing: same content, different bytes. ${VERIFY_RAW}`,
  base64: `The body was encoded or decoded as Base64 after signing. Serverless platforms do so: decode it first.`,
  lossy_utf8: `The body has bytes that are not UTF-8, and decoding replaced them with U+FFFD. ${VERIFY_RAW}`,
  latin1: `The body was decoded or encoded as Latin-1 instead of UTF-8. ${VERIFY_RAW}`,
  unknown:
    'The signature does not match these bytes. Compare the length and the SHA-256 of the body where it is sent and where it ' +
    'arrives. If they differ, something between the two changed the body. If they are the same, the key differs: compare the client ids.',
}

/**
 * Explains why a signature does not verify. It tries common mistakes with the signature, the key and the body,
 * alone and combined.
 *
 * @example
 * explainSignature({ body: `${signed}\n`, signature, clientId }) // { valid: false, cause: 'newline_added', … }
 */
export function explainSignature(question: SignatureQuestion): SignatureExplanation {
  const { body, signature, clientId } = question
  if (verify({ body, signature, clientId })) return { valid: true }
  const values = [signature].flat().filter((value) => typeof value === 'string')
  const given = values.join(',')
  if (given.trim() === '') return because('signature_missing')
  if (given.includes(',')) return because('signature_repeated')
  if (toBytes(body).length === 0) return because('body_empty')
  const { digest, causes } = readSignature(given)
  if (digest === undefined) return because(...causes)
  const found = findDifference(toBytes(body), digest, question)
  if (found) return because(...causes, ...found)
  // The original bytes are lost, so this cause is likely but cannot be proven.
  if (Buffer.from(toBytes(body)).includes('\ufffd')) return because(...causes, 'lossy_utf8')
  return because(...causes, 'unknown')
}

function because(...causes: SignatureCause[]): SignatureExplanation {
  const [cause = 'unknown'] = causes
  return { valid: false, cause, message: causes.map((one) => MESSAGES[one]).join(' ') }
}

/** The signature in lowercase hexadecimal, and what is wrong with its form. */
function readSignature(given: string): { digest?: string; causes: SignatureCause[] } {
  const causes: SignatureCause[] = []
  const trimmed = given.trim()
  if (trimmed !== given) causes.push('signature_whitespace')
  const bare = trimmed.replace(/^["']|["']$/g, '').replace(/^(?:hmac-?)?(?:sha-?256|v\d+)[=:]\s*/i, '')
  if (bare !== trimmed) causes.push('signature_prefixed')
  if (/^[\da-f]+$/i.test(bare)) {
    const digest = bare.toLowerCase()
    if (digest !== bare) causes.push('signature_uppercase')
    return digest.length === 64 ? { digest, causes } : { causes: [...causes, 'signature_malformed'] }
  }
  if (/^[\w+/-]{43}=?$/.test(bare)) {
    const digest = Buffer.from(bare, 'base64').toString('hex')
    return { digest, causes: [...causes, 'signature_base64'] }
  }
  return { causes: [...causes, 'signature_malformed'] }
}

/** The key or body that yields the digest; `undefined` if none does. */
function findDifference(
  body: Uint8Array,
  digest: string,
  { clientId, otherClientIds = [], clientSecret = '' }: SignatureQuestion,
): SignatureCause[] | undefined {
  const trimmed = clientId.trim()
  const keys: readonly (readonly [cause: SignatureCause | undefined, keys: readonly string[]])[] = [
    [undefined, [clientId]],
    ['other_client_id', otherClientIds],
    ['client_secret', clientSecret === '' ? [] : [clientSecret]],
    ['client_id_whitespace', ['', '\n', '\r\n', ' '].map((end) => trimmed + end)],
  ]
  const isMade = (bytes: Uint8Array, key: string) =>
    createHmac('sha256', key).update(bytes).digest('hex') === digest
  const find = (bytes: Uint8Array) => {
    const found = keys.find(([, some]) => some.some((key) => isMade(bytes, key)))
    return found && (found[0] === undefined ? [] : [found[0]])
  }
  const keyCauses = find(body)
  if (keyCauses) return keyCauses
  for (const [bodyCause, bytes] of rewrittenBodies(body)) {
    const causes = find(bytes)
    if (causes) return [...causes, bodyCause]
  }
  return undefined
}
