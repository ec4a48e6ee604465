import type { ApiError, NetworkError, TokenError } from './client-errors.ts'
import {
  BRAND,
  type HandlingError,
  type InboxError,
  type PayloadError,
  type RequestError,
  type SignatureError,
} from './errors.ts'

/** All errors as one union, so that `switch (error.code)` narrows to the class. */
export type AnyPayhookError =
  | SignatureError
  | PayloadError
  | RequestError
  | HandlingError
  | InboxError
  | ApiError
  | TokenError
  | NetworkError

/**
 * Whether a value is an error of payhook, also one from another copy of the package (another version, or the
 * CommonJS files beside the ES modules), where `instanceof` says no.
 *
 * @example
 * app.use((error, req, res, next) => {
 *   if (!isPayhookError(error)) return next(error)
 *   const { status, code } = error.expose ? error : { status: 500, code: 'internal_error' }
 *   res.status(status).json({ code })
 * })
 */
export function isPayhookError(value: unknown): value is AnyPayhookError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}
