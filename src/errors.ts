/** The HTTP status of every code, by class. All replies are made from this one table. */
export const CODES = {
  SignatureError: { signature_missing: 401, signature_malformed: 401, signature_mismatch: 401 },
  PayloadError: { payload_not_utf8: 400, payload_not_json: 400, envelope_invalid: 400, data_invalid: 400 },
  RequestError: {
    callback_token_mismatch: 401,
    body_incomplete: 400,
    method_not_allowed: 405,
    body_too_large: 413,
    content_encoding_unsupported: 415,
    body_consumed: 500,
  },
  HandlingError: { handler_failed: 500, receiver_failed: 500, event_unrecognized: 200 },
  RetryAfterError: { retry_after: 503 },
  NonRetriableError: { non_retriable: 500 },
  InboxError: {
    inbox_unavailable: 503,
    inbox_misconfigured: 503,
    inbox_too_new: 500,
    entry_not_found: 404,
    entry_active: 409,
  },
  // Of the client: the status if there was no response.
  ApiError: {
    unauthorized: 401,
    not_found: 404,
    conflict: 409,
    rate_limited: 429,
    request_rejected: 400,
    redirect_rejected: 502,
    service_failed: 502,
    response_invalid: 502,
  },
  TokenError: {
    grant_rejected: 401,
    consent_required: 401,
    refresh_token_missing: 401,
    owner_changed: 409,
    token_endpoint_failed: 502,
    token_response_invalid: 502,
    token_store_failed: 500,
  },
  NetworkError: { network_failed: 502, network_timeout: 504 },
} as const

const STATUS: Readonly<Record<string, number>> = Object.assign({}, ...Object.values(CODES))

export type CodeOf<Class extends keyof typeof CODES> = keyof (typeof CODES)[Class]

/** Every `code` of a {@link PayhookError}. The codes are stable; the messages are not. */
export type ErrorCode = { [Class in keyof typeof CODES]: CodeOf<Class> }[keyof typeof CODES]
/** Codes of {@link SignatureError}. */
export type SignatureErrorCode = CodeOf<'SignatureError'>
/** Codes of {@link PayloadError}. */
export type PayloadErrorCode = CodeOf<'PayloadError'>
/** Codes of {@link RequestError}. */
export type RequestErrorCode = CodeOf<'RequestError'>
/** Codes of {@link HandlingError}. */
export type HandlingErrorCode = CodeOf<'HandlingError'>
/** Codes of {@link InboxError}. */
export type InboxErrorCode = CodeOf<'InboxError'>

/** Options of {@link RetryAfterError}. */
export interface RetryAfterOptions {
  /** When the next attempt is due, in milliseconds from now: more than 0, at most 86,400,000 (a day). */
  readonly afterMs: number
  /** The error that it follows from. */
  readonly cause?: unknown
}

/** The longest wait that an attempt may ask for, in milliseconds. */
export const MAX_AFTER_MS = 86_400_000

/** Recognizes an error from another copy of the package. */
export const BRAND = Symbol.for('payhook.error')

// Not TypeScript's ErrorOptions, which a project with an older `target` does not have.
interface PayhookErrorOptions {
  readonly cause?: unknown
  readonly status?: number
  readonly expose?: boolean
}

/**
 * The base class of every error that payhook throws or reports, except `TypeError` for a caller's mistake.
 *
 * `code` says what happened and is stable. `status` is the matching HTTP status. `expose` is true if the sender
 * of the request caused the error and may see the status. Errors of `payhook/client` have the upstream
 * service's status; don't send them to your own clients. No message contains a client id, a callback token, an
 * expected signature or the body.
 *
 * @example
 * if (isPayhookError(error)) console.log(error.code, error.status)
 */
export class PayhookError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly status: number
  readonly expose: boolean

  constructor(code: Code, message: string, { status, expose, ...options }: PayhookErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.status = status ?? (STATUS[code] as number)
    this.expose = expose ?? this.status < 500
  }

  static {
    // On the prototype, so that util.inspect does not show it.
    Object.defineProperty(this.prototype, BRAND, { value: true })
  }
}

/** The signature is missing, malformed or wrong. Status 401. */
export class SignatureError extends PayhookError<SignatureErrorCode> {}

/**
 * The body is not a notification: not UTF-8, not JSON or not an envelope. Status 400. With an inbox,
 * `data_invalid` is the error of a dead notification: its kind is known, but its data does not fit.
 */
export class PayloadError extends PayhookError<PayloadErrorCode> {}

/** The HTTP request cannot carry a notification, or its body could not be read. `status` depends on `code`. */
export class RequestError extends PayhookError<RequestErrorCode> {}

/**
 * Passed to `onError`, never thrown:
 *
 * - `handler_failed`: a handler threw. Its error is the `cause`.
 * - `receiver_failed`: something else on the receiver's side did, such as a schema of the `kinds` option
 * - `event_unrecognized`: an event was acknowledged that matches no schema, without a handler for
 *   `UNRECOGNIZED`
 */
export class HandlingError extends PayhookError<HandlingErrorCode> {}

/**
 * An operation on an inbox failed:
 *
 * - `inbox_unavailable`: the engine is unreachable, full or too slow. Its error is the `cause`. The sender gets
 *   a 503 and tries again.
 * - `inbox_misconfigured`: the engine will not work until somebody changes its settings: a wrong password, a
 *   missing right, database or file. The sender gets a 503, too.
 * - `inbox_too_new`: a newer version created the file or the schema
 * - `entry_not_found`: there is no entry with this id
 * - `entry_active`: the entry is being handled
 */
export class InboxError extends PayhookError<InboxErrorCode> {}

/**
 * "Not yet", thrown by a handler: the inbox repeats the attempt after `afterMs`. The attempt does not count as
 * failed, and `onError` is not called. That holds for a day after the notification arrived; then it counts like
 * any other error. So it does without an inbox.
 *
 * @throws TypeError if `afterMs` is not more than 0, or more than a day
 * @example
 * if (order === undefined) throw new RetryAfterError('no order yet', { afterMs: 30_000 })
 */
export class RetryAfterError extends PayhookError<'retry_after'> {
  readonly afterMs: number

  constructor(message: string, { afterMs, ...options }: RetryAfterOptions) {
    super('retry_after', message, options)
    if (!(typeof afterMs === 'number' && afterMs > 0 && afterMs <= MAX_AFTER_MS))
      throw new TypeError(
        `"afterMs" must be a number above 0, at most ${MAX_AFTER_MS} (a day), but is ${afterMs}`,
      )
    this.afterMs = afterMs
  }
}

/**
 * "Never", thrown by a handler: the inbox does not try again. The notification is dead at once, and kept.
 * Without an inbox, it is an error like any other.
 *
 * @example
 * throw new NonRetriableError('not an order of this shop')
 */
export class NonRetriableError extends PayhookError<'non_retriable'> {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('non_retriable', message, options)
  }
}

/** Names error classes on their prototypes, so that a minifier does not change the names. */
export function nameErrors(classes: Readonly<Record<string, { readonly prototype: Error }>>): void {
  for (const [name, { prototype }] of Object.entries(classes)) prototype.name = name
}

nameErrors({
  PayhookError,
  SignatureError,
  PayloadError,
  RequestError,
  HandlingError,
  InboxError,
  RetryAfterError,
  NonRetriableError,
})
