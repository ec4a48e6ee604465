import { PayhookError } from './errors.ts'
import type { JsonValue } from './json/json-value.ts'

/** Codes of {@link ApiError}. */
export type ApiErrorCode =
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'request_rejected'
  | 'redirect_refused'
  | 'service_failed'
  | 'response_invalid'
/** Codes of {@link TokenError}. */
export type TokenErrorCode =
  | 'grant_rejected'
  | 'consent_required'
  | 'refresh_token_missing'
  | 'owner_changed'
  | 'token_endpoint_failed'
  | 'token_response_invalid'
  | 'token_store_failed'
/** Codes of {@link NetworkError}. */
export type NetworkErrorCode = 'network_failed' | 'network_timeout'

/** What the service answered, for the errors that have an answer. */
export interface AnswerDetails extends ErrorOptions {
  readonly status?: number
  readonly body?: JsonValue | undefined
  readonly requestId?: string | undefined
}

/** What is known of a request that was not answered. */
export interface NetworkDetails extends ErrorOptions {
  readonly mayHaveArrived: boolean
  readonly requestId?: string | undefined
}

/**
 * The service answered, but the call did not succeed: `unauthorized` (401, even after the token was renewed),
 * `not_found` (404), `conflict` (409), `rate_limited` (429), `request_rejected` (another 4xx),
 * `redirect_refused` (3xx: tokens are not sent elsewhere), `service_failed` (5xx), or `response_invalid` (a
 * success whose body cannot be read or is too large). A `conflict` with a `cause` means that an earlier attempt
 * failed with that error and may have been done.
 *
 * Don't forward upstream errors to your own clients: `status` is what the service answered to you, and its 401
 * or 404 would look like yours. `expose` is `false`, but the default error handlers of Express and Koa send
 * `status` anyway.
 *
 * @example
 * app.use((error, req, res, next) => {
 *   if (!isPayhookError(error)) return next(error)
 *   const { status, code } = error.expose ? error : { status: 500, code: 'internal_error' }
 *   res.status(status).json({ code })
 * })
 */
export class ApiError extends PayhookError<ApiErrorCode> {
  /**
   * The body of the answer, for your logs: parsed if it is JSON (up to 1,000 levels), else text; `undefined` if
   * it is empty. Secrets and tokens in it are replaced by `[redacted]`.
   */
  readonly body: JsonValue | undefined
  /** The `X-Request-Id` that was sent, for the service's support. */
  readonly requestId: string | undefined

  constructor(
    code: ApiErrorCode,
    message: string,
    { body, requestId, status, ...options }: AnswerDetails = {},
  ) {
    // An error must not be taken for a success by what answers with its status.
    const failed = status !== undefined && (status < 200 || status >= 300)
    super(code, message, { ...options, ...(failed && { status }), expose: false })
    this.body = body
    this.requestId = requestId
  }

  static {
    this.prototype.name = 'ApiError'
  }
}

/**
 * There is no token to call with: the token endpoint refused the grant (`grant_rejected`), the user has to
 * consent again (`consent_required`), there is nothing to refresh (`refresh_token_missing`), the client began
 * to act for somebody else in the middle of a call of several requests (`owner_changed`), the endpoint failed
 * (`token_endpoint_failed`) or answered something other than a token (`token_response_invalid`), or the token
 * store failed (`token_store_failed`).
 *
 * Don't forward it to your own clients: `status` is what the token endpoint answered to you. `expose` is
 * `false`.
 */
export class TokenError extends PayhookError<TokenErrorCode> {
  /** The body of the token endpoint's answer, if there is one; see {@link ApiError}. */
  readonly body: JsonValue | undefined

  constructor(
    code: TokenErrorCode,
    message: string,
    { body, ...options }: Omit<AnswerDetails, 'requestId'> = {},
  ) {
    super(code, message, { ...options, expose: false })
    this.body = body
  }

  static {
    this.prototype.name = 'TokenError'
  }
}

/**
 * No answer came: the connection failed (`network_failed`) or the answer took too long (`network_timeout`).
 *
 * Don't forward it to your own clients: their request is not at fault. `expose` is `false`.
 */
export class NetworkError extends PayhookError<NetworkErrorCode> {
  /** Whether the request may have reached the service, so that what it asked for may have happened. */
  readonly mayHaveArrived: boolean
  /** The `X-Request-Id` that was sent. */
  readonly requestId: string | undefined

  constructor(
    code: NetworkErrorCode,
    message: string,
    { mayHaveArrived, requestId, ...options }: NetworkDetails,
  ) {
    super(code, message, { ...options, expose: false })
    this.mayHaveArrived = mayHaveArrived
    this.requestId = requestId
  }

  static {
    this.prototype.name = 'NetworkError'
  }
}
