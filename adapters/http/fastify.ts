import { Readable } from 'node:stream'
// Makes the module known to the compiler, so that it can be augmented; nothing of it is loaded.
import type {} from 'fastify'
import type { Webhook } from '../../src/open-notification.ts'
import type { Receiver } from '../../src/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/request-verifier.ts'
import { bodyOf, discardRest, lookupOf, type NodeHeaders } from './node-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by payhook's `verifyWebhook`. */
    webhook?: Webhook
  }
}

/** The part of Fastify's request that is used. */
export interface FastifyRequestLike {
  readonly method: string
  /** Absent before Fastify 4.20. */
  readonly originalUrl?: string
  readonly headers: NodeHeaders
  readonly raw: { readonly url?: string | undefined; readonly headers: Record<string, unknown> }
  readonly body?: unknown
  webhook?: Webhook
}

/** The part of Fastify's reply that is used. */
export interface FastifyReplyLike {
  readonly raw: object
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(body: string): unknown
}

/** The part of a Fastify instance that is used. */
export interface FastifyInstanceLike {
  removeAllContentTypeParsers(): unknown
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequestLike, reply: unknown, done: () => void) => void,
  ): unknown
  addContentTypeParser(...args: never[]): unknown
  all(
    path: string,
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown
}

/** The one overload of Fastify's that is used; a structural type cannot name one of several. */
type AddStreamParser = (
  contentType: string,
  parser: (request: unknown, payload: unknown, done: (error: null, body: unknown) => void) => void,
) => void

/** Options of {@link receiveWebhooks}. */
export interface FastifyOptions {
  readonly receiver: Receiver
  /** The route, such as `/webhooks`. */
  readonly path: string
}

const FIX =
  'In Fastify, keep other preParsing hooks that read the payload off this route, and use verifyWebhook as a preParsing ' +
  'hook itself, since later ones find the body parsed: app.post(path, { preParsing: verifyWebhook(options) }, handler).'

/**
 * A plugin with one route that answers by itself. Its body parser is its own; those of the application go on as
 * they were.
 *
 * @throws TypeError when receiver or path is missing
 * @example
 * app.register(receiveWebhooks, { receiver, path: '/webhooks' })
 */
export async function receiveWebhooks(app: FastifyInstanceLike, options: FastifyOptions): Promise<void> {
  const { receiver, path } = options
  if (typeof receiver?.receive !== 'function') throw new TypeError('"receiver" option must be a receiver')
  if (typeof path !== 'string') throw new TypeError('"path" option must be a string')
  app.removeAllContentTypeParsers()
  // Whatever the sender calls the content, it is bytes until the signature has proved right; a type that Fastify cannot
  // read would be refused before.
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type']
    done()
  })
  ;(app.addContentTypeParser as AddStreamParser)('*', (_request, payload, done) => done(null, payload))
  app.all(path, async (request, reply) => {
    const { method, headers, raw, body: payload } = request
    const answer = await receiver.receive({
      method,
      url: urlOf(request),
      headers: lookupOf(headers),
      body: fastifyBody(request, payload ?? raw),
    })
    discardRest(raw, reply.raw)
    reply.code(answer.status)
    reply.headers(answer.headers)
    return reply.send(answer.body)
  })
}

/**
 * A `preParsing` hook that verifies and parses, sets `request.webhook = { event, context }` and hands the same bytes on
 * to Fastify's own parser. A refused request becomes the reply of your error handler, with the error's `status`.
 *
 * @throws TypeError for an option that cannot be
 * @example
 * app.post('/webhooks', { preParsing: verifyWebhook({ clientId }) }, async (request) => {
 *   console.log(request.webhook?.event.type)
 * })
 */
export function verifyWebhook(
  options: VerifierOptions,
): (request: FastifyRequestLike, ...rest: unknown[]) => Promise<Readable | undefined> {
  const verifier = createRequestVerifier(options)
  // Other hooks take no payload; their third argument is a callback, which an async function must not declare.
  return async (request, ...[reply, payload]) => {
    const { method, headers, raw } = request
    const stream = payload instanceof Readable ? payload : undefined
    try {
      request.webhook = await verifier.verify({
        method,
        url: urlOf(request),
        headers: lookupOf(headers),
        body: fastifyBody(request, stream ?? raw),
      })
    } catch (error) {
      discardRest(raw, (reply as FastifyReplyLike | undefined)?.raw)
      throw error
    }
    return stream && replay(request.webhook.context.rawBody)
  }
}

function urlOf({ originalUrl, raw }: FastifyRequestLike): string {
  return originalUrl ?? raw.url ?? ''
}

function fastifyBody(request: FastifyRequestLike, stream: unknown): ReturnType<typeof bodyOf> {
  const { rawBody, body } = request as { rawBody?: unknown; body?: unknown }
  return bodyOf(stream, [rawBody, body], FIX)
}

/** A stream of the bytes that have been read, with the length that Fastify holds against Content-Length. */
function replay(bytes: Uint8Array): Readable {
  return Object.assign(Readable.from([bytes], { objectMode: false }), {
    receivedEncodedLength: bytes.byteLength,
  })
}
