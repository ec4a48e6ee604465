import { Readable } from 'node:stream'
// Lets the compiler find the module, which is augmented below. Nothing is loaded.
import type {} from 'fastify'
import { RequestError } from '../../src/errors.ts'
import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import { parseJsonValue } from '../../src/json/parse-json.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import { assertOptions } from '../../src/option-checks.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import {
  createRequestVerifier,
  type VerifierOptions,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { assertPath, assertReceiver, failWrongMount, isMethod } from './mounting.ts'
import { discardRest, hideBody, type NodeRequest, toWebhookRequest, verify } from './node-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by payhook's `verifyWebhook`. */
    webhook?: Webhook
  }
}

/** The part of Fastify's request that payhook uses. */
export interface FastifyRequest {
  /** Absent before Fastify 4.20. */
  readonly originalUrl?: string
  readonly raw: NodeRequest & { readonly readableDidRead?: boolean }
  body?: unknown
  webhook?: Webhook
}

/** The part of Fastify's reply that payhook uses. */
export interface FastifyReply {
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
}

/** The part of a Fastify instance that payhook uses. */
export interface FastifyInstance {
  removeAllContentTypeParsers(): unknown
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: unknown, done: () => void) => void,
  ): unknown
  addContentTypeParser(...args: never[]): unknown
  all(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<string>): unknown
}

/** The one overload that payhook uses: a structural type cannot select one of several. */
type AddStreamParser = (
  contentType: string,
  parser: (request: unknown, payload: unknown, done: (error: null, body: unknown) => void) => void,
) => void

/** Options of {@link receiveWebhooks}. */
export interface FastifyOptions {
  readonly receiver: AnyReceiver
  /** The route, such as `/webhooks`. */
  readonly path: string
}

/** Fastify's own options, which it passes to the plugin. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

const BYTES = 'application/octet-stream'

const FIX =
  'In Fastify, use no other preParsing hooks that read the payload on this route, and use verifyWebhook as a preParsing ' +
  'hook, since later hooks run after the body is parsed: app.post(path, { preParsing: verifyWebhook(options) }, handler).'

const WRONG_HOOK =
  'This hook runs before Fastify reads the body. Use verifyWebhook as a preParsing hook: ' +
  'app.post(path, { preParsing: verifyWebhook(options) }, handler).'

/**
 * A plugin with one route that sends the response itself. It has its own body parser and does not affect those
 * of the application.
 *
 * @throws TypeError if the receiver or the path is missing or invalid, or if an option is unknown
 * @example
 * app.register(receiveWebhooks, { receiver, path: '/webhooks' })
 */
export async function receiveWebhooks(
  app: FastifyInstance,
  options: FastifyOptions,
  ...rest: unknown[]
): Promise<void> {
  if (!isMethod(app, 'addHook')) return failWrongMount('payhook/fastify', [app, options, ...rest])
  assertOptions(options, ['receiver', 'path', ...REGISTER_OPTIONS], 'receiveWebhooks')
  const { receiver, path } = options
  assertReceiver(receiver)
  assertPath(path)
  app.removeAllContentTypeParsers()
  // Bytes until the signature is verified, whatever their type. Fastify rejects types without a parser.
  app.addHook('onRequest', (request, _reply, done) => {
    Object.assign(request.raw.headers, { 'content-type': BYTES })
    done()
  })
  ;(app.addContentTypeParser as AddStreamParser)(BYTES, (_request, payload, done) => done(null, payload))
  app.all(path, async (request, reply) => {
    const { status, headers, body } = await receiver.receive(fromFastify(request, request.body))
    discardRest(request.raw)
    reply.code(status)
    reply.headers(headers)
    return body
  })
}

/**
 * A `preParsing` hook that verifies and parses, and sets `request.webhook = { event, context }` and
 * `request.body`, the envelope. Fastify does not parse the body again. Your error handler gets a `PayhookError`
 * with a `status` for every rejected request.
 *
 * With a `kinds` option, narrow the event with `request.webhook?.event as WebhookEvent<typeof kinds>`.
 *
 * @throws TypeError if an option is invalid. The hook throws one if it is not a `preParsing` hook.
 * @example
 * app.post('/webhooks', { preParsing: verifyWebhook({ clientId, callbackToken }) }, async (request) => {
 *   console.log(request.webhook?.event.type)
 * })
 */
export function verifyWebhook(
  options: VerifierOptions<KindSchemas>,
): (request: FastifyRequest, ...rest: unknown[]) => Promise<void> {
  const verifier = createRequestVerifier<NoKinds>(options)
  // Other hooks get a callback instead of a payload, and an async hook must not declare that argument.
  return async (request, ...[reply, payload]) => {
    if (!isMethod(request.raw, 'resume')) return failWrongMount('payhook/fastify', [request, reply, payload])
    const { raw } = request
    const stream = payload instanceof Readable ? payload : undefined
    // Fastify's parser runs after this hook, and would wait forever for a body that was read here.
    if (stream === undefined && !raw.readableDidRead) throw new RequestError('body_consumed', WRONG_HOOK)
    request.webhook = await verify(verifier, raw, fromFastify(request, stream))
    if (stream === undefined) return
    // Fastify has no parser for some content types, and its own rejects keys that a notification may have.
    request.body = parseJsonValue(new TextDecoder().decode(request.webhook.context.rawBody))
    hideBody(raw)
    Reflect.deleteProperty(raw.headers, 'content-type')
  }
}

function fromFastify(request: FastifyRequest, payload: unknown): WebhookRequest {
  const { originalUrl, raw } = request
  return toWebhookRequest(raw, originalUrl ?? raw.url, request, FIX, payload ?? raw)
}
