import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { getRawBody } from 'raw-body'
import { type Body, byteLength, isBody } from '../../src/body-bytes.ts'
import type { KindSchemas } from '../../src/events/kind-schemas.ts'
import { isPayhookError } from '../../src/is-payhook-error.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import {
  bodyConsumed,
  bodyIncomplete,
  type HeaderLookup,
  type RequestVerifier,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { BodyCollector } from './body-collector.ts'
import { failWrongMount, isMethod, type NodeResponse, respond, respondFailed } from './mounting.ts'

/** The part of Node's `IncomingMessage` that payhook uses. Express, Koa and Fastify pass on the same object. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The URL as the client sent it. Express shortens `url`. */
  readonly originalUrl?: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * @param url the URL as the client sent it; frameworks may shorten `request.url`
 * @param keeper the framework's own request, where an earlier parser may have kept text or bytes
 * @param fix how to mount payhook before the parser, for the error message if there is no copy
 * @param stream the body, if it is not the request itself
 */
export function toWebhookRequest(
  request: NodeRequest,
  url: string | undefined,
  keeper: object,
  fix: string,
  stream: unknown = request,
): WebhookRequest {
  const source: Source = { keeper, request, fix, get: getHeader }
  return {
    method: request.method ?? '',
    url: url ?? '',
    headers: source,
    body: (maxBytes) => readBody(stream as NodeStream, maxBytes, source),
  }
}

/** Not a closure: each that is created for a request costs more than the object. */
function getHeader(this: Source, name: string): string | string[] | undefined {
  // Node gives all header names in lower case.
  return this.request.headers[name]
}

interface NodeStream extends Readable {
  /** The sender has disconnected. In HTTP/2, the stream then ends as if it were complete. */
  readonly aborted?: boolean
}

/** The headers, where an earlier parser may have kept the body, and what to say if it did not. */
interface Source extends HeaderLookup {
  readonly keeper: object
  readonly request: NodeRequest
  readonly fix: string
}

/** The stream if it has not been read, otherwise the copy that an earlier parser kept. */
function readBody(stream: NodeStream, maxBytes: number, source: Source): Promise<Body> {
  if (stream.readableDidRead || (stream.readableEnded && !stream.aborted)) return waitForKept(stream, source)
  if (stream.aborted) throw bodyIncomplete('was cut off')
  return readStream(stream, maxBytes, source.fix)
}

/** Waits for another reader, if it is still there. It may keep a copy when it ends. */
async function waitForKept(stream: NodeStream, source: Source): Promise<Body> {
  const found = findRaw(source)
  if (found !== undefined) return found
  // A stream that ended without any data was an empty body, no matter what read it.
  if (!stream.readableDidRead) return ''
  const isRead =
    stream.readableFlowing || ['data', 'readable'].some((event) => stream.listenerCount(event) > 0)
  if (isRead && !stream.readableEnded) await finished(stream, { writable: false })
  const keptLater = findRaw(source)
  if (keptLater === undefined) throw bodyConsumed(source.fix)
  return keptLater
}

/** The raw body that was kept. A text that is shorter than what was sent is the value of a JSON string. */
function findRaw({ keeper, request }: Source): Body | undefined {
  // Text parsers leave out the three bytes of a byte order mark.
  const atLeast = Number(request.headers['content-length'] ?? 0) - 3
  const objects: { readonly rawBody?: unknown; readonly body?: unknown }[] = [keeper, request]
  return [...objects.map(({ rawBody }) => rawBody), ...objects.map(({ body }) => body)].find(
    (raw): raw is Body => isBody(raw) && !(typeof raw === 'string' && byteLength(raw) < atLeast),
  )
}

function readStream(stream: NodeStream, maxBytes: number, fix: string): Promise<Body> {
  const collector = new BodyCollector(maxBytes)
  // raw-body keeps every chunk, unless it has a decoder to pass them to.
  const read = getRawBody(stream, { encoding: true, decoder: () => collector })
  // An earlier middleware may have paused the stream, and a listener alone does not resume it.
  if (stream.isPaused()) stream.resume()
  return read.then(
    () => collector.toBytes(),
    (error) => {
      throw toReadError(error, stream, fix)
    },
  )
}

function toReadError(error: unknown, stream: NodeStream, fix: string): unknown {
  if (isPayhookError(error)) return error
  const { type } = error as { readonly type?: string }
  const isConsumed = type === 'stream.not.readable' && (!stream.destroyed || stream.readableEnded)
  if (isConsumed || type === 'stream.encoding.set') return bodyConsumed(fix)
  return bodyIncomplete('was cut off', error)
}

/** What `receiveWebhooks` returns in `payhook/node` and `payhook/express`. */
export type RequestListener = (
  request: NodeRequest,
  response: NodeResponse,
  next?: (error: unknown) => void,
) => Promise<void>

export function createListener(adapter: string, receiver: AnyReceiver, fix: string): RequestListener {
  return async (request, response, next) => {
    if (!isMethod(request, 'resume')) return failWrongMount(adapter, [request, response, next])
    try {
      const reply = await receiver.receive(fromNode(request, fix))
      discardRest(request)
      // Not with the `send` of a framework, which costs more than everything else. The application may have
      // responded in the meantime, for instance after a timeout.
      if (!response.headersSent) respond(response, reply)
    } catch (error) {
      // Of a wrapper of the receiver. Express 4 ignores the promise; Node and Cloud Functions pass no `next`.
      if (next === undefined) respondFailed(response, 'receiver_failed', error)
      else next(error)
    }
  }
}

export function fromNode(request: NodeRequest, fix: string): WebhookRequest {
  return toWebhookRequest(request, request.originalUrl ?? request.url, request, fix)
}

export async function verify<Kinds extends KindSchemas>(
  verifier: RequestVerifier<Kinds>,
  request: NodeRequest,
  webhookRequest: WebhookRequest,
): Promise<Webhook<Kinds>> {
  try {
    return await verifier.verify(webhookRequest)
  } catch (error) {
    discardRest(request)
    throw error
  }
}

/** Makes body parsers skip a request whose body has been read: without these headers, it has no body. */
export function hideBody({ headers }: NodeRequest): void {
  Reflect.deleteProperty(headers, 'content-length')
  Reflect.deleteProperty(headers, 'transfer-encoding')
}

const LINGER_MS = 250

/** The part of Node's `IncomingMessage`, or its HTTP/2 counterpart, that payhook uses. */
interface Discardable {
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
  readonly socket?: { readonly bytesWritten: number }
  /** HTTP/2 only. */
  readonly stream?: { readonly headersSent: boolean; readonly destroyed: boolean; destroy(): unknown }
  resume(): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/**
 * Discards the rest of a body that is not needed. Reading continues for a moment after the reply, so that the
 * sender can read the reply; then the connection is closed. Call it before the reply is written.
 */
export function discardRest(request: unknown): void {
  const rest = request as Discardable
  // In HTTP/2, only the stream knows that the sender has disconnected.
  if (rest.readableEnded || rest.destroyed || rest.stream?.destroyed) return
  rest.resume()
  const writtenBefore = rest.socket?.bytesWritten ?? 0
  let hasReplied = false
  const timer = setInterval(() => {
    if (hasReplied) (rest.stream ?? rest).destroy()
    hasReplied = rest.stream?.headersSent ?? (rest.socket?.bytesWritten ?? 0) > writtenBefore
  }, LINGER_MS)
  timer.unref()
  rest.once('close', () => clearInterval(timer))
}
