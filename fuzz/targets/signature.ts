// Signatures, against node:crypto: a body is accepted if the header is exactly the lowercase hex of its HMAC.

import { ok, strictEqual } from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Body } from '../../src/body-bytes.ts'
import { isPayhookError } from '../../src/is-payhook-error.ts'
import { verifyAndParse } from '../../src/parse.ts'
import { type SignatureValue, sign, verify } from '../../src/verification/signature.ts'
import { Input } from '../input.ts'
import { fixtureBodies } from '../seeds.ts'

const CLIENT_IDS = ['payhook-demo-client', 'another-client', 'clé\u0000 x', 'f'.repeat(100)] as const

export function run(bytes: Buffer): void {
  const input = new Input(bytes)
  const { body } = input
  const clientId = input.pick([CLIENT_IDS.slice(0, 1), CLIENT_IDS.slice(0, 3), CLIENT_IDS.slice(2)])
  const signature = toHeader(input, hmac(body, input.pick(CLIENT_IDS)))
  const given = input.pick<(body: Buffer) => Body>(FORMS)(body)

  const accepted = clientId.some((id) => singleOf(signature) === hmac(body, id))
  strictEqual(verify({ body: given, signature, clientId }), accepted)
  const code = rejectionOf({ body: given, signature, clientId })
  if (accepted) ok(!code.startsWith('signature_'), code)
  else strictEqual(code, expectedRejection(signature))
  strictEqual(sign({ body: given, clientId: CLIENT_IDS[1] }), hmac(body, CLIENT_IDS[1]))
}

function hmac(body: Buffer, clientId: string): string {
  return createHmac('sha256', clientId).update(body).digest('hex')
}

/** What the sender makes of the right signature. */
function toHeader(input: Input, right: string): SignatureValue {
  const at = () => input.below(64)
  const changes: readonly [() => SignatureValue, ...(() => SignatureValue)[]] = [
    () => right,
    () => [right],
    () => [right, right],
    () => [],
    () => undefined,
    () => null,
    () => '',
    () => [''],
    () => right.slice(0, at()),
    () => right.slice(at()),
    () => right + right.slice(0, at()),
    () => right.toUpperCase(),
    () => ` ${right}`,
    () => `${right} `,
    () => `${right}\n`,
    () => `${right}, ${right}`,
    () => `sha256=${right}`,
    () => Buffer.from(right, 'hex').toString('base64'),
    () => replaceAt(right, at(), '0123456789abcdef'[input.below(16)] as string),
    () => replaceAt(right, at(), String.fromCharCode(input.below(256))),
    // In latin1, these become the digits that they look like the low byte of.
    () => replaceAt(right, at(), '\u0130'),
    () => [...right].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0x100)).join(''),
    () => input.body.toString('latin1'),
  ]
  return input.pick(changes)()
}

function replaceAt(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1)
}

const FORMS: readonly [(body: Buffer) => Body, ...((body: Buffer) => Body)[]] = [
  (body) => body,
  (body) => new Uint8Array(body),
  (body) => new Uint8Array(body).buffer,
  (body) => new DataView(body.buffer, body.byteOffset, body.byteLength) as unknown as Uint8Array,
  // Only if it is the same bytes.
  (body) => (Buffer.from(body.toString()).equals(body) ? body.toString() : body),
]

/** The one value of a header. A list of one is how some frameworks pass it. */
function singleOf(signature: SignatureValue): string | null | undefined {
  if (!Array.isArray(signature)) return signature as string | null | undefined
  return signature.length > 1 ? undefined : signature[0]
}

function expectedRejection(signature: SignatureValue): string {
  const isList = Array.isArray(signature) && signature.length > 1
  const value = singleOf(signature) ?? ''
  if (!isList && value === '') return 'signature_missing'
  return !isList && /^[0-9a-f]{64}$/.test(value) && value.length === 64
    ? 'signature_mismatch'
    : 'signature_malformed'
}

function rejectionOf(options: Parameters<typeof verifyAndParse>[0]): string {
  try {
    verifyAndParse(options)
    return ''
  } catch (error) {
    if (isPayhookError(error)) return error.code
    throw error
  }
}

export const seeds = fixtureBodies
