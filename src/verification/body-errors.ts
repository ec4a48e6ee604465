import { RequestError } from '../errors.ts'

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
