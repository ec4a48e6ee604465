/** The outer layer of a notification. */
export interface Envelope {
  readonly type: string
  /** JSON text, or what it says already. */
  readonly data: unknown
}

/** The second parse: the envelope holds the data as JSON text. */
export function readData({ data }: Envelope): unknown {
  return typeof data === 'string' ? JSON.parse(data) : data
}

/** Headers as `node:http` hands them over. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A way to sign and verify notifications. */
export interface Scheme {
  /** The headers that carry the right signature of a body. */
  sign(body: Buffer): Record<string, string>
  /**
   * Verifies the bytes that arrived and parses their outer layer.
   *
   * @throws when the signature is not theirs
   */
  open(body: Buffer, headers: Headers): Envelope | Promise<Envelope>
}
