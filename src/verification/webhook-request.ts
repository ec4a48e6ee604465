import type { Body } from '../body-bytes.ts'
import type { SignatureValue } from './signature.ts'

/** Fetch API `Headers`, or a record with names in any letter case. */
export type WebhookHeaders = HeaderLookup | Readonly<Record<string, string | readonly string[] | undefined>>

/** The part of the Fetch API's `Headers` that payhook uses. It passes names in lower case. */
export interface HeaderLookup {
  get(name: string): SignatureValue
}

/** Reads a body of at most `maxBytes`. It may stop reading a longer one. */
export type ReadBody = (maxBytes: number) => Promise<Body>

/** An HTTP request, independent of any framework. */
export interface WebhookRequest {
  readonly method: string
  /** Path with its query, or an absolute URL. */
  readonly url: string
  readonly headers: WebhookHeaders
  /**
   * The exact bytes, or a function that reads them. It is only called after method, encoding, length and token
   * have been checked.
   */
  readonly body: Body | ReadBody
}
