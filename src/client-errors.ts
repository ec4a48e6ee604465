import { type CodeOf, nameErrors, PayhookError } from './errors.ts'
import type { JsonValue } from './json/json-value.ts'

/** Codes of {@link ApiError}. */
export type ApiErrorCode = CodeOf<'ApiError'>
/** Codes of {@link TokenError}. */
export type TokenErrorCode = CodeOf<'TokenError'>
/** Codes of {@link NetworkError}. */
export type NetworkErrorCode = CodeOf<'NetworkError'>

interface ClientErrorOptions {
  readonly cause?: unknown
  readonly status?: number
  readonly body?: JsonValue | undefined
  readonly requestId?: string | undefined
  readonly oauthError?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly mayHaveArrived?: boolean
}

/**
 * The service responded, but the call failed:
 *
 * - `unauthorized`: 401, even with a renewed token
 * - `not_found`: 404
 * - `conflict`: 409. If it has a `cause`, an earlier attempt failed with that error and may have succeeded.
 * - `rate_limited`: 429
 * - `request_rejected`: any other 4xx
 * - `redirect_rejected`: 3xx. Redirects are not followed, so that tokens are not sent elsewhere.
 * - `service_failed`: 5xx
 * - `response_invalid`: a 2xx whose body is invalid or too large
 *
 * If the response to an earlier attempt was lost, the message says that it may have taken effect, and `cause`
 * is its error.
 *
 * Don't forward it to your own clients: `status` is the service's response to you. `expose` is `false`, but
 * the default error handlers of Express and Koa send `status` anyway.
 */
export class ApiError extends PayhookError<ApiErrorCode> {
  /**
   * The response body, for your logs: parsed if it is JSON (up to 1,000 levels), else text; `undefined` if it
   * is empty. Secrets and tokens in it are replaced by `[redacted]`.
   */
  readonly body: JsonValue | undefined
  /** The `X-Request-Id` that was sent. Quote it to the service's support. */
  readonly requestId: string | undefined
  /**
   * The response's `Retry-After`, in milliseconds from then; `undefined` if it had none. With 429 or 503, an
   * inbox whose handler throws the error waits that long, as for a `RetryAfterError`.
   */
  readonly retryAfterMs: number | undefined

  constructor(code: ApiErrorCode, message: string, options: ClientErrorOptions = {}) {
    const { body, requestId, retryAfterMs, ...rest } = options
    super(code, message, { ...rest, expose: false })
    this.body = body
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The client could not get a token:
 *
 * - `grant_rejected`: the token endpoint rejected the grant
 * - `consent_required`: the user has to consent again
 * - `refresh_token_missing`: there is no refresh token
 * - `owner_changed`: the client began to act for another user during a call
 * - `token_endpoint_failed`: the token endpoint failed
 * - `token_response_invalid`: the token endpoint's response is not a token
 * - `token_store_failed`: the token store failed
 *
 * Don't forward it to your own clients: `status` is the token endpoint's response to you.
 */
export class TokenError extends PayhookError<TokenErrorCode> {
  /** The error code of the token endpoint, such as `invalid_grant` (RFC 6749, section 5.2), if it gave one. */
  readonly oauthError: string | undefined

  constructor(code: TokenErrorCode, message: string, { oauthError, ...options }: ClientErrorOptions = {}) {
    super(code, message, { ...options, expose: false })
    this.oauthError = oauthError
  }
}

/** No response arrived: the connection failed (`network_failed`) or timed out (`network_timeout`). */
export class NetworkError extends PayhookError<NetworkErrorCode> {
  /** Whether the request may have reached the service, so that it may have taken effect. */
  readonly mayHaveArrived: boolean
  /** The `X-Request-Id` that was sent. */
  readonly requestId: string | undefined

  constructor(code: NetworkErrorCode, message: string, options: ClientErrorOptions = {}) {
    const { mayHaveArrived = true, requestId, ...rest } = options
    super(code, message, { ...rest, expose: false })
    this.mayHaveArrived = mayHaveArrived
    this.requestId = requestId
  }
}

nameErrors({ ApiError, TokenError, NetworkError })
