import { Buffer } from 'node:buffer'
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { assertBody, type Body, byteLength, toBytes, toHashable } from '../body-bytes.ts'
import { SignatureError } from '../errors.ts'
import { assertOptions, invalidOption } from '../option-checks.ts'

export const SIGNATURE_HEADER = 'access-signature'

/** The value of the header, in any form that frameworks provide. */
export type SignatureValue = string | readonly string[] | null | undefined

export type ClientIds = string | readonly string[]

export interface ClientKey {
  readonly clientId: string
  readonly key: KeyObject
}

export interface SignOptions {
  /** The exact bytes to sign. */
  body: Body
  /** The client id of the receiving application, which is the key. */
  clientId: string
}

/** Options of `verify`. */
export interface VerifyOptions {
  /** The exact bytes that arrived; never a parsed object. */
  body: Body
  /** Value of the `ACCESS-SIGNATURE` header. */
  signature: SignatureValue
  /** Your client id, or a list if several applications share one URL. */
  clientId: ClientIds
}

/**
 * Signs a body as the service does: the lowercase hexadecimal HMAC-SHA-256 of the exact bytes, keyed with the
 * client id.
 *
 * @returns 64 lowercase hexadecimal digits
 * @throws TypeError if the body is a parsed object, the client id is empty, or an option is unknown
 * @example
 * sign({ body: '{"type":"VBA_TRANSACTION","data":"{}"}', clientId: 'my-client-id' })
 */
export function sign(options: SignOptions): string {
  assertOptions(options, ['body', 'clientId'], 'sign')
  const { body, clientId } = options
  return hmacHex(toClientKey(clientId).key, assertBody(body))
}

/**
 * Whether a signature matches the exact bytes under one of the client ids. Compares in constant time, and never
 * throws because of input from the sender. A receiver, or `verifyWebhook` of a framework's subpath, also checks
 * the callback token, which tells whether the sender is the service: the client id is no secret.
 *
 * @throws TypeError if the body is a parsed object, a client id is empty, or an option is unknown
 * @example
 * const signature = req.headers['access-signature']
 * if (!verify({ body: rawBody, signature, clientId })) return res.writeHead(401).end()
 */
export function verify(options: VerifyOptions): boolean {
  assertOptions(options, ['body', 'signature', 'clientId'], 'verify')
  const { body, signature, clientId } = options
  const keys = toClientKeys(clientId)
  const bytes = assertBody(body)
  const hex = readSignature(signature)
  return hex ? findSigner(bytes, hex, keys) !== undefined : false
}

/** @throws SignatureError if the signature is missing, malformed, or matches no client id */
export function authenticate(
  body: Body,
  signature: SignatureValue,
  keys: readonly ClientKey[],
): { clientId: string; signature: string } {
  const hex = readSignature(signature)
  if (hex === '') throw new SignatureError('signature_missing', MISSING)
  if (hex === undefined) {
    const form = findForm(body, signature, keys)
    const hint = form === undefined ? '' : ` It is the right signature, but ${form}.`
    throw new SignatureError('signature_malformed', `${MALFORMED}${hint}`)
  }
  const clientId = findSigner(body, hex, keys)
  if (clientId === undefined) throw mismatchError(body)
  return { clientId, signature: hex }
}

const MISSING =
  'The ACCESS-SIGNATURE header is missing. Did something other than the service call this URL, or does a proxy drop the header?'
const MALFORMED = 'The ACCESS-SIGNATURE header is not a single signature of 64 lowercase hexadecimal digits.'
// Tested on the text: a Buffer made from it could turn look-alike characters into digits, and Buffer.from(text,
// 'hex') accepts capitals and ignores what follows the last pair.
const NOT_LOWERCASE_HEX = /[^0-9a-f]/

/** The digits; empty if there is no signature, `undefined` if it is malformed. */
function readSignature(value: SignatureValue): string | undefined {
  // Some frameworks wrap every header in a list. Two entries are two headers, which are never valid.
  const single = (Array.isArray(value) && value.length < 2 ? value[0] : value) ?? ''
  if (single === '') return single
  return typeof single !== 'string' || single.length !== 64 || NOT_LOWERCASE_HEX.test(single)
    ? undefined
    : single
}

/** How the right signature is written, if that is all that is wrong. It is not accepted, but worth a hint. */
function findForm(body: Body, value: SignatureValue, keys: readonly ClientKey[]): string | undefined {
  const [given, ...others] = [value].flat()
  if (typeof given !== 'string' || others.length > 0) return undefined
  const bare = given.replace(/^sha256=/i, '')
  const isBase64 = /^[\w+/-]{43}=?$/.test(bare)
  const hex = isBase64 ? Buffer.from(bare, 'base64').toString('hex') : bare.toLowerCase()
  if (hex.length !== 64 || NOT_LOWERCASE_HEX.test(hex) || findSigner(body, hex, keys) === undefined)
    return undefined
  if (isBase64) return 'in Base64'
  return bare === given ? 'in upper case' : 'with the prefix "sha256="'
}

const expected = Buffer.alloc(64)
const given = Buffer.alloc(64)

/**
 * Compares with every key, even after a match, so that the timing reveals nothing. The hex digits are compared
 * as text in two reused buffers, which is faster than decoding them.
 */
function findSigner(body: Body, hex: string, keys: readonly ClientKey[]): string | undefined {
  given.write(hex, 0, 64, 'latin1')
  let signer: string | undefined
  for (const { clientId, key } of keys) {
    expected.write(hmacHex(key, body), 0, 64, 'latin1')
    if (timingSafeEqual(expected, given)) signer ??= clientId
  }
  return signer
}

function hmacHex(key: KeyObject, body: Body): string {
  return createHmac('sha256', key).update(toHashable(body)).digest('hex')
}

function mismatchError(body: Body): SignatureError {
  const length = byteLength(body)
  return new SignatureError(
    'signature_mismatch',
    `The signature does not match this body of ${length} bytes under any configured client id. ${likelyCauses(body, length)}`,
  )
}

// The start of a JSON object in Base64. No JSON text begins like this.
const BASE64_OBJECT = /^e[wy][\w+/-]{6}/

function likelyCauses(body: Body, length: number): string {
  if (length === 0) return 'Was the body read before payhook saw it?'
  if (BASE64_OBJECT.test(Buffer.from(toBytes(body).subarray(0, 8)).toString('latin1')))
    return 'The body is in Base64: decode it first.'
  return (
    'Likely causes: the body was parsed and serialized again before verification, a proxy changed it, the client ' +
    'id belongs to another application or environment, or the notification was not sent by the service. ' +
    '`payhook verify` tries to tell which.' +
    (typeof body === 'string'
      ? ' The body was passed as text, which loses a byte order mark: pass the bytes.'
      : '')
  )
}

const CACHED_KEYS = 256
const cache = new Map<string, ClientKey>()

/**
 * The keys of one or more client ids. They are cached, since an HMAC with a `KeyObject` takes a third of the
 * time of one with a string. The cache is bounded, since a caller may serve any number of applications.
 */
export function toClientKeys(clientId: ClientIds): readonly ClientKey[] {
  if (typeof clientId === 'string') return [toClientKey(clientId)]
  if (!Array.isArray(clientId) || clientId.length === 0) throw clientIdError(clientId)
  // Not map(), which would skip the hole in [, 'x'].
  return Array.from(clientId, toClientKey)
}

export function toClientKey(clientId: string): ClientKey {
  const known = cache.get(clientId)
  if (known !== undefined) return known
  // A secret in a file or of Kubernetes often ends with a line break, which would reject all notifications.
  const isWhole = typeof clientId === 'string' && clientId !== '' && clientId === clientId.trim()
  if (!isWhole) throw clientIdError(clientId)
  const made = { clientId, key: createSecretKey(Buffer.from(clientId, 'utf8')) }
  if (cache.size >= CACHED_KEYS) cache.clear()
  cache.set(clientId, made)
  return made
}

function clientIdError(value: unknown): TypeError {
  const requirement =
    'the client id of your application, a non-empty string without spaces around it, or a list'
  return invalidOption('clientId', requirement, value)
}
