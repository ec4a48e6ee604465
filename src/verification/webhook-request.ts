import type { Body } from '../body-bytes.ts'
import type { SignatureValue } from './signature.ts'

/** Headers as the Fetch API has them, or as a record in any letter case. */
export type WebhookHeaders = HeaderLookup | Readonly<Record<string, string | readonly string[] | undefined>>

/** The part of the Fetch API's `Headers` that is used: finds a header by its name in lower case. */
export interface HeaderLookup {
  get(name: string): SignatureValue
}

/** Reads a body of at most `maxBytes`; longer ones need not be read to the end. */
export type ReadBody = (maxBytes: number) => Promise<Body>

/** An HTTP request of any framework, as the receiver takes it. */
export interface WebhookRequest {
  readonly method: string
  /** Path with its query, or an absolute URL. */
  readonly url: string
  readonly headers: WebhookHeaders
  /**
   * The exact bytes, or a function that reads them once method, encoding, length and token have been judged.
   */
  readonly body: Body | ReadBody
}

/**
 * All values of a header. A record may hold a name in several spellings; each is a header of its own.
 *
 * @param name in lower case
 */
export function readHeader(headers: WebhookHeaders, name: string): SignatureValue {
  if (isLookup(headers)) return headers.get(name)
  let found: string | readonly string[] | undefined
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue
    const value = headers[key]
    if (value === undefined) continue
    found = found === undefined ? value : [found, value].flat()
  }
  return found
}

function isLookup(headers: WebhookHeaders): headers is HeaderLookup {
  return typeof headers.get === 'function'
}
