import type { ApiError, NetworkError, TokenError } from './client-errors.ts'
import {
  BRAND,
  type HandlingError,
  type InboxError,
  type NonRetriableError,
  type PayloadError,
  type RequestError,
  type RetryAfterError,
  type SignatureError,
} from './errors.ts'

/** All errors as one union, so that `switch (error.code)` narrows to the class. */
export type AnyPayhookError =
  | SignatureError
  | PayloadError
  | RequestError
  | HandlingError
  | InboxError
  | RetryAfterError
  | NonRetriableError
  | ApiError
  | TokenError
  | NetworkError

/**
 * Whether a value is a payhook error. Unlike `instanceof`, it also recognizes errors from another copy of the
 * package, such as another version, or CommonJS beside ES modules.
 *
 * @example
 * app.use((error, req, res, next) => {
 *   if (!isPayhookError(error)) return next(error)
 *   const { status, code } = error.expose ? error : { status: 500, code: 'internal_error' }
 *   res.status(status).json({ code })
 * })
 */
export function isPayhookError(value: unknown): value is AnyPayhookError {
  try {
    const { [BRAND]: brand, code } = value as Record<PropertyKey, unknown>
    // A proxy may answer true to everything.
    return typeof value === 'object' && brand === true && typeof code === 'string'
  } catch {
    // A value that cannot be read, such as `null` or a revoked proxy.
    return false
  }
}
