import { RequestError } from '../errors.ts'

/** The error of a body that is longer than the limit. */
export function bodyTooLarge(maxBytes: number): RequestError {
  return new RequestError('body_too_large', `The body is longer than ${maxBytes} bytes ("maxBodyBytes").`)
}

/** The error of a body that did not come whole. */
export function bodyIncomplete(how: string, cause?: unknown): RequestError {
  return new RequestError('body_incomplete', `The body ${how}.`, cause === undefined ? undefined : { cause })
}

/**
 * The error of a body that something else has read.
 *
 * @param fix what to do about it in the framework at hand
 */
export function bodyConsumed(
  fix = 'Hand over the bytes as they arrived, not the parsed object.',
): RequestError {
  return new RequestError(
    'body_consumed',
    `The body was parsed before payhook saw it, and the bytes that were signed are gone. ${fix}`,
  )
}
