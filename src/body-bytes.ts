import { Buffer } from 'node:buffer'

/** The exact bytes of a notification as they arrived. A string stands for its UTF-8 bytes. */
export type Body = string | Uint8Array | ArrayBuffer

/** Whether a value is a {@link Body}; by shape, since buffers of another realm fail `instanceof`. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isArrayBuffer(value)
}

/** Returns the body, or throws a `TypeError` that says why a parsed object cannot be verified. */
export function assertBody(value: unknown): Body {
  if (isBody(value)) return value
  throw new TypeError(
    `"body" must be the exact bytes that arrived (a string, Uint8Array or ArrayBuffer), not ${describe(value)}. ` +
      'The signature covers those bytes, and JSON.stringify of a parsed object does not bring them back: ' +
      'mount payhook before the body parser, or give it the raw body that the parser kept.',
  )
}

/** The body as something `node:crypto` takes, without a copy. */
export function toHashable(body: Body): string | Uint8Array {
  return typeof body === 'string' || ArrayBuffer.isView(body) ? body : new Uint8Array(body)
}

/** The body as bytes; a view where there is one already. */
export function toBytes(body: Body): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  // A view of another kind, or of another realm.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return new Uint8Array(body)
}

/** Length in bytes. */
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
