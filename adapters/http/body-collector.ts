import { toBytes as viewBytes } from '../../src/body-bytes.ts'
import { bodyConsumed, bodyIncomplete, bodyTooLarge } from '../../src/verification/request-verifier.ts'

/** Bounds the number of tiny chunks: each costs the server far more than its sender. */
const FREE_CHUNKS = 4_096
const MIN_AVERAGE_BYTES = 8

const NOTHING = new Uint8Array() as Uint8Array

/** A decoder for raw-body. One buffer, since a list would keep an object for each chunk. */
export class BodyCollector {
  readonly #maxBytes: number
  #buffer = NOTHING
  #length = 0
  #chunks = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws RequestError if the body is too large, arrives in too many tiny chunks, or is not bytes */
  write(chunk: Uint8Array): string {
    // The stream of another middleware may have any chunks. raw-body only catches what is thrown here.
    if (!ArrayBuffer.isView(chunk)) throw bodyConsumed()
    const bytes = viewBytes(chunk)
    const newLength = this.#length + bytes.byteLength
    if (newLength > this.#maxBytes) throw bodyTooLarge(this.#maxBytes)
    if (++this.#chunks > FREE_CHUNKS && newLength < this.#chunks * MIN_AVERAGE_BYTES)
      throw bodyIncomplete(`arrived in chunks of fewer than ${MIN_AVERAGE_BYTES} bytes on average`)
    // Most bodies arrive in one chunk, which needs no copy.
    if (this.#chunks === 1) this.#buffer = bytes
    else {
      if (newLength > this.#buffer.byteLength) {
        const larger = new Uint8Array(Math.max(1_024, 2 * newLength))
        larger.set(this.toBytes())
        this.#buffer = larger
      }
      this.#buffer.set(bytes, this.#length)
    }
    this.#length = newLength
    return ''
  }

  end(): string {
    return ''
  }

  toBytes(): Uint8Array {
    return this.#length === this.#buffer.byteLength ? this.#buffer : this.#buffer.subarray(0, this.#length)
  }
}
