/** The envelope of a notification. */
export interface Envelope {
  readonly type: string
  /** JSON text, or an inline value. */
  readonly data: unknown
}

/** The second parse, as the envelope has the data as JSON text. */
export function readData({ data }: Envelope): unknown {
  return typeof data === 'string' ? JSON.parse(data) : data
}

/** Headers of `node:http`. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A way to sign and verify notifications. */
export interface Scheme {
  /** The headers with the right signature of a body. */
  sign(body: Buffer): Record<string, string>
  /**
   * Verifies the bytes and parses the envelope.
   *
   * @throws if the signature is wrong
   */
  open(body: Buffer, headers: Headers): Envelope | Promise<Envelope>
}
