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
 * The service answered a call, and the answer is no success (service.md 7): `unauthorized` (401, also after the token was
 * renewed), `not_found` (404), `conflict` (409), `rate_limited` (429), `request_rejected` (another 4xx),
 * `redirect_refused` (3xx: a token is not carried elsewhere), `service_failed` (5xx), or `response_invalid` (a success
 * whose body is not what the operation answers, or is too large).
 *
 * `expose` is false: what another service answered is not for the caller of yours.
 */
export class ApiError extends PayhookError<ApiErrorCode> {
  /** What came: parsed where it is JSON, the text where it is not, `undefined` where it was empty. */
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
 * There is no token to call with: the token endpoint refused the grant (`grant_rejected`), the user has to consent again
 * (`consent_required`), there is nothing to refresh (`refresh_token_missing`), the client began to act for somebody else in the
 * middle of a call of several requests (`owner_changed`), the endpoint failed (`token_endpoint_failed`) or answered something
 * else than a token (`token_response_invalid`), or the token store failed (`token_store_failed`).
 */
export class TokenError extends PayhookError<TokenErrorCode> {
  /** What the token endpoint answered, where it did. */
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

/** No answer came: the connection failed (`network_failed`) or the answer took too long (`network_timeout`). */
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
