import type { Body } from '../body-bytes.ts'
import { RequestError } from '../errors.ts'
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

/**
 * All values of a header. In a record, names that differ only in letter case are the same header.
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

export function bodyTooLarge(maxBytes: number): RequestError {
  return new RequestError('body_too_large', `The body is longer than ${maxBytes} bytes ("maxBodyBytes").`)
}

export function bodyIncomplete(how: string, cause?: unknown): RequestError {
  return new RequestError('body_incomplete', `The body ${how}.`, cause === undefined ? undefined : { cause })
}

/**
 * The error for a body that was read before payhook could read it.
 *
 * @param fix how to prevent that in the framework in use
 */
export function bodyConsumed(fix = 'Pass the bytes as they arrived, not a parsed object.'): RequestError {
  return new RequestError(
    'body_consumed',
    `The body was parsed before payhook saw it, so the signed bytes are lost. ${fix}`,
  )
}
