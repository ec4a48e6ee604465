import { type Body, byteLength, isBody, toBytes } from './body-bytes.ts'
import { bodyConsumed, bodyIncomplete, bodyTooLarge } from './body-errors.ts'
import { type CallbackTokens, createCallbackTokenCheck } from './callback-token.ts'
import { type ClientIds, toClientKeys } from './client-keys.ts'
import { isPayhookError, RequestError } from './errors.ts'
import { openNotification, type Webhook } from './open-notification.ts'
import { assertOptions, functionOption, milliseconds, positiveInteger } from './option-checks.ts'
import type { SignedNotification } from './receiver-inbox.ts'
import { authenticate, SIGNATURE_HEADER } from './signature.ts'
import { withTimeLimit } from './time-limit.ts'
import { type ReadBody, readHeader, type WebhookRequest } from './webhook-request.ts'

/** How requests are judged; the options of every `verifyWebhook` and part of those of {@link createReceiver}. */
export interface VerifierOptions {
  /** Your client id, which keys the signature; a list where several applications share one URL (service.md 5.3). */
  readonly clientId: ClientIds
  /**
   * The secret that the URL must carry as `?token=…`, since the client id is none; a list while one replaces
   * another. {@link withCallbackToken} makes the URL to register. Default: no token is asked for. `undefined` is refused.
   */
  readonly callbackToken?: CallbackTokens
  /** Longest body, in bytes. Default 1 MiB (1,048,576). */
  readonly maxBodyBytes?: number | undefined
  /** How long a sender may take for the body, in milliseconds, at most 24.8 days. Default 10,000. */
  readonly bodyTimeoutMs?: number | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Judges requests in the order of the contract, whatever framework they come from. */
export interface RequestVerifier {
  /** @throws RequestError | SignatureError | PayloadError */
  verify(request: WebhookRequest): Promise<Webhook>
  /** The same where the body is at hand. */
  verifySync(request: WebhookRequest & { readonly body: Body }): Webhook
  /**
   * Judges all but the payload, which is not even decoded.
   *
   * @throws RequestError | SignatureError
   */
  authenticate(request: WebhookRequest): Promise<SignedNotification>
}

const FIRST_ATTEMPT = 1

export const VERIFIER_OPTIONS = ['clientId', 'callbackToken', 'maxBodyBytes', 'bodyTimeoutMs', 'now'] as const

/** @throws TypeError for an option that cannot be */
export function createRequestVerifier(options: VerifierOptions): RequestVerifier {
  assertOptions(options, VERIFIER_OPTIONS)
  const keys = toClientKeys(options.clientId)
  if ('callbackToken' in options && options.callbackToken === undefined) {
    // Usually an environment variable that is not set, and the URL must not be left open for that.
    throw new TypeError('"callbackToken" option is undefined; leave it out where no token is to be asked for')
  }
  const checkToken = createCallbackTokenCheck(options.callbackToken)
  const maxBytes = positiveInteger('maxBodyBytes', options.maxBodyBytes, 1024 * 1024)
  const bodyTimeoutMs = milliseconds('bodyTimeoutMs', options.bodyTimeoutMs, 10_000)
  const now = functionOption('now', options.now, Date.now)

  function judgeHead({ method, url, headers }: WebhookRequest): void {
    checkMethod(method)
    checkContentEncoding(joined(readHeader(headers, 'content-encoding')))
    checkDeclaredLength(joined(readHeader(headers, 'content-length')), maxBytes)
    checkToken(url)
  }

  function judgeBody({ headers }: WebhookRequest, body: Body, receivedAt: Date): SignedNotification {
    if (!isBody(body)) throw bodyConsumed()
    if (byteLength(body) > maxBytes) throw bodyTooLarge(maxBytes)
    // The signature covers the bytes: nothing of them is decoded before it has proved right.
    const { clientId, signature } = authenticate(body, readHeader(headers, SIGNATURE_HEADER), keys)
    return { deliveryId: signature, clientId, receivedAt, rawBody: toBytes(body) }
  }

  async function readBody(read: ReadBody): Promise<Body> {
    try {
      return await withTimeLimit(read(maxBytes), bodyTimeoutMs, () =>
        bodyIncomplete(`did not end within ${bodyTimeoutMs} ms`),
      )
    } catch (error) {
      throw isPayhookError(error) ? error : bodyIncomplete('could not be read to its end', error)
    }
  }

  async function authenticateRequest(request: WebhookRequest): Promise<SignedNotification> {
    judgeHead(request)
    const receivedAt = new Date(now())
    const { body } = request
    return judgeBody(request, typeof body === 'function' ? await readBody(body) : body, receivedAt)
  }

  return {
    authenticate: authenticateRequest,
    verify: async (request) => openNotification(await authenticateRequest(request), FIRST_ATTEMPT),
    verifySync(request) {
      judgeHead(request)
      return openNotification(judgeBody(request, request.body, new Date(now())), FIRST_ATTEMPT)
    },
  }
}

const METHODS = new Set(['POST', 'PUT', 'PATCH'])

function checkMethod(method: string): void {
  if (METHODS.has(method.toUpperCase())) return
  throw new RequestError(
    'method_not_allowed',
    'A notification comes as POST, PUT or PATCH: other methods carry no body.',
  )
}

function checkContentEncoding(encodings: string): void {
  if (encodings === '' || encodings.split(',').every((encoding) => /^\s*(?:identity\s*)?$/i.test(encoding)))
    return
  throw new RequestError(
    'content_encoding_unsupported',
    'The body is compressed. The signature covers the bytes as the service wrote them, so send it without a Content-Encoding.',
  )
}

function checkDeclaredLength(length: string, maxBytes: number): void {
  if (/^\d+$/.test(length) && Number(length) > maxBytes) throw bodyTooLarge(maxBytes)
}

function joined(value: ReturnType<typeof readHeader>): string {
  return value === undefined || value === null ? '' : String(value)
}
