import { type Body, byteLength, isBody, toBytes } from '../body-bytes.ts'
import { RequestError } from '../errors.ts'
import { type KindSchemas, type KindsOption, type NoKinds, toSchemaMap } from '../events/kind-schemas.ts'
import { readSubject } from '../events/subject.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import {
  openNotification,
  type ReceivedNotification,
  type Webhook,
} from '../notification/open-notification.ts'
import { type Check, type Checked, callback, checkOptions, delayMs, size } from '../option-checks.ts'
import { withTimeLimit } from '../time-limit.ts'
import { type CallbackTokens, createCallbackTokenCheck } from './callback-token.ts'
import {
  authenticate,
  type ClientIds,
  SIGNATURE_HEADER,
  type SignatureValue,
  toClientKeys,
} from './signature.ts'

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
 * Options for verifying requests. Every `verifyWebhook` takes them, and {@link createReceiver} takes more.
 */
export interface VerifierOptions<Kinds extends KindSchemas = NoKinds> extends KindsOption<Kinds> {
  /** Your client id, which is the key of the signature. Pass a list if several applications share one URL. */
  readonly clientId: ClientIds
  /**
   * A secret of 16 characters or more that the URL must carry as `?token=…`, since the client id is not secret.
   * Pass a list during a rotation. {@link withCallbackToken} creates the URL to register. `false` says that no
   * token is meant to be required, as in a test. Without the option, none is required either, but
   * {@link createReceiver} warns. An explicit `undefined` throws a `TypeError`.
   */
  readonly callbackToken?: CallbackTokens | false
  /** The largest body accepted, in bytes. @default 1 MiB (1,048,576) */
  readonly maxBodyBytes?: number | undefined
  /** How long the sender may take to send the body, in milliseconds, at most 24.8 days. @default 10,000 */
  readonly bodyTimeoutMs?: number | undefined
  /** The clock, in milliseconds since 1970. @default `Date.now` */
  readonly now?: (() => number) | undefined
}

export const VERIFIER_CHECKS = {
  clientId: (_name, value) => toClientKeys(value as ClientIds),
  // An explicit `undefined` is invalid, which a check cannot see: createRequestVerifier() does.
  callbackToken: (_name, value) => value,
  kinds: (_name, value) => toSchemaMap(value as KindSchemas | undefined),
  maxBodyBytes: size(1024 * 1024),
  bodyTimeoutMs: delayMs(1, 10_000),
  now: callback(Date.now),
} satisfies Record<keyof VerifierOptions, Check<unknown>>

export type RequestVerifier<Kinds extends KindSchemas = NoKinds> = ReturnType<
  typeof createRequestVerifier<Kinds>
>

/** Verifies requests from any framework: method, encoding, length, token, body, signature, payload. */
export function createRequestVerifier<Kinds extends KindSchemas>(
  options: VerifierOptions<Kinds>,
  checked: Checked<typeof VERIFIER_CHECKS> = checkOptions('verifyWebhook', options, VERIFIER_CHECKS),
) {
  const { clientId: keys, kinds: schemas, maxBodyBytes: maxBytes, bodyTimeoutMs, now } = checked
  const isTokenRequired = 'callbackToken' in options && options.callbackToken !== false
  const checkToken = isTokenRequired ? createCallbackTokenCheck(options.callbackToken) : undefined

  const tooLate = () => bodyIncomplete(`did not end within ${bodyTimeoutMs} ms`)

  /** Checks the head of a request, then reads its body. @throws RequestError */
  function readBody({ method, url, headers, body }: WebhookRequest): Body | Promise<Body> {
    checkMethod(method)
    checkContentEncoding(readHeader(headers, 'content-encoding'))
    checkDeclaredLength(readHeader(headers, 'content-length'), maxBytes)
    checkToken?.(url)
    if (typeof body !== 'function') {
      // The caller awaits the result, so a promise would be read, without a time limit.
      if (!isBody(body)) throw bodyConsumed()
      return body
    }
    try {
      return withTimeLimit(body(maxBytes), bodyTimeoutMs, tooLate, toReadError)
    } catch (error) {
      throw toReadError(error)
    }
  }

  /** Nothing is decoded. @throws RequestError | SignatureError */
  function authenticateBody(
    { headers }: WebhookRequest,
    bytes: Body,
    receivedAt: Date,
  ): ReceivedNotification {
    if (!isBody(bytes)) throw bodyConsumed()
    if (byteLength(bytes) > maxBytes) throw bodyTooLarge(maxBytes)
    // The signature covers the bytes, so it is checked before anything is decoded.
    const { clientId, signature } = authenticate(bytes, readHeader(headers, SIGNATURE_HEADER), keys)
    const rawBody = toBytes(bytes)
    return { signature, clientId, receivedAt, rawBody, subject: readSubject(rawBody) }
  }

  const open = (received: ReceivedNotification, attempt = 1): Webhook<Kinds> =>
    openNotification<Kinds>(received, attempt, schemas)

  return {
    readBody,
    authenticate: authenticateBody,
    open,
    async verify(request: WebhookRequest): Promise<Webhook<Kinds>> {
      const receivedAt = new Date(now())
      return open(authenticateBody(request, await readBody(request), receivedAt))
    },
  }
}

function toReadError(error: unknown): unknown {
  return isPayhookError(error) ? error : bodyIncomplete('could not be read', error)
}

/** Names of a record that differ only in letter case are the same header. @param name in lower case */
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

/** @param fix how to prevent that in the framework in use */
export function bodyConsumed(fix = 'Pass the bytes as they arrived, not a parsed object.'): RequestError {
  return new RequestError(
    'body_consumed',
    `The body was parsed before payhook saw it, so the signed bytes are lost. ${fix}`,
  )
}

const METHODS = new Set(['POST', 'PUT', 'PATCH'])

function checkMethod(method: string): void {
  if (METHODS.has(method) || METHODS.has(method.toUpperCase())) return
  throw new RequestError(
    'method_not_allowed',
    'A notification must be a POST, PUT or PATCH request: other methods have no body.',
  )
}

function checkContentEncoding(encodings: SignatureValue): void {
  if (encodings === undefined || encodings === null) return
  const list = String(encodings).split(',')
  if (list.every((encoding) => /^\s*(?:identity\s*)?$/i.test(encoding))) return
  throw new RequestError(
    'content_encoding_unsupported',
    'The body is compressed. The signature covers the bytes as the service wrote them, so send it without Content-Encoding.',
  )
}

function checkDeclaredLength(length: SignatureValue, maxBytes: number): void {
  if (Number(length) > maxBytes && /^\d+$/.test(String(length))) throw bodyTooLarge(maxBytes)
}
