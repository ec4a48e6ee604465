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
import { bodyConsumed, bodyIncomplete, bodyTooLarge } from './body-errors.ts'
import { type CallbackTokens, createCallbackTokenCheck } from './callback-token.ts'
import { type ClientIds, toClientKeys } from './client-keys.ts'
import { authenticate, SIGNATURE_HEADER, type SignatureValue } from './signature.ts'
import type { HeaderLookup, WebhookHeaders, WebhookRequest } from './webhook-request.ts'

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

/**
 * Creates a verifier of requests from any framework: method, encoding, length, token, body, signature, payload.
 *
 * @throws TypeError if an option is invalid
 */
export function createRequestVerifier<Kinds extends KindSchemas>(
  options: VerifierOptions<Kinds>,
  checked: Checked<typeof VERIFIER_CHECKS> = checkOptions('verifyWebhook', options, VERIFIER_CHECKS),
) {
  const { clientId: keys, kinds: schemas, maxBodyBytes: maxBytes, bodyTimeoutMs, now } = checked
  const isTokenRequired = 'callbackToken' in options && options.callbackToken !== false
  const checkToken = isTokenRequired ? createCallbackTokenCheck(options.callbackToken) : undefined

  /**
   * Verifies everything but the payload, which is not decoded. An async function would cost a few percent of a
   * request.
   *
   * @throws RequestError before the body is read; after that, the promise rejects with RequestError |
   *   SignatureError
   */
  function authenticateRequest(request: WebhookRequest): Promise<ReceivedNotification> {
    const { method, url, headers, body } = request
    checkMethod(method)
    checkContentEncoding(readHeader(headers, 'content-encoding'))
    checkDeclaredLength(readHeader(headers, 'content-length'), maxBytes)
    checkToken?.(url)
    const receivedAt = new Date(now())
    return readInTime(body).then((bytes) => {
      if (!isBody(bytes)) throw bodyConsumed()
      if (byteLength(bytes) > maxBytes) throw bodyTooLarge(maxBytes)
      // The signature covers the bytes, so it is checked before anything is decoded.
      const { clientId, signature } = authenticate(bytes, readHeader(headers, SIGNATURE_HEADER), keys)
      const rawBody = toBytes(bytes)
      return { signature, clientId, receivedAt, rawBody, subject: readSubject(rawBody) }
    }, throwUnreadable)
  }

  const tooLate = () => bodyIncomplete(`did not end within ${bodyTimeoutMs} ms`)

  function readInTime(body: WebhookRequest['body']): Promise<Body> {
    if (typeof body !== 'function') return Promise.resolve(body)
    try {
      return withTimeLimit(body(maxBytes), bodyTimeoutMs, tooLate)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** @throws PayloadError */
  const open = (received: ReceivedNotification, attempt = 1): Webhook<Kinds> =>
    openNotification<Kinds>(received, attempt, schemas)

  return {
    authenticate: authenticateRequest,
    open,
    verify: async (request: WebhookRequest) => open(await authenticateRequest(request)),
  }
}

function throwUnreadable(error: unknown): never {
  throw isPayhookError(error) ? error : bodyIncomplete('could not be read', error)
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
