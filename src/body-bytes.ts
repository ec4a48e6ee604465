import { Buffer } from 'node:buffer'

/** The exact bytes of a notification as they arrived. A string means its UTF-8 bytes. */
export type Body = string | Uint8Array | ArrayBuffer

/** Whether a value is a {@link Body}. Checks the shape, as buffers from another realm fail `instanceof`. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isArrayBuffer(value)
}

/** Returns the body, or throws a `TypeError` that says why a parsed object cannot be verified. */
export function assertBody(value: unknown): Body {
  if (isBody(value)) return value
  throw new TypeError(
    `"body" must be the exact bytes that arrived (a string, Uint8Array or ArrayBuffer), not ${describe(value)}. ` +
      'The signature covers those bytes, and JSON.stringify of a parsed object does not restore them: ' +
      'mount payhook before the body parser, or pass the raw body that the parser kept.',
  )
}

/** The body in a form that `node:crypto` accepts, without a copy. */
export function toHashable(body: Body): string | Uint8Array {
  return typeof body === 'string' || ArrayBuffer.isView(body) ? body : new Uint8Array(body)
}

/** The body as bytes, without a copy if it is not a string. */
export function toBytes(body: Body): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  // Another kind of view, or one from another realm.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return new Uint8Array(body)
}

export function byteLength(body: Body): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return value instanceof ArrayBuffer || Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a parsed array'
  return typeof value === 'object' ? 'a parsed object' : typeof value
}
