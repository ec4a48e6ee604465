import type { Body } from '../../src/body-bytes.ts'
import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import {
  bodyConsumed,
  createRequestVerifier,
  type VerifierOptions,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { BodyCollector } from './body-collector.ts'
import { assertReceiver, failWrongMount, isMethod } from './mounting.ts'

const FIX =
  'Pass the Request to payhook before anything calls its json() or text(), or pass a clone() made before that.'

type FetchHandler = (request: Request) => Promise<Response>

/**
 * A function from `Request` to `Response`, for Next.js route handlers, Hono, Workers, Deno and Bun.
 *
 * @throws TypeError if the argument is not a receiver, or not the only one
 * @example
 * export const POST = receiveWebhooks(receiver) // app/webhooks/route.ts of Next.js
 */
export function receiveWebhooks(receiver: AnyReceiver, ...others: never[]): FetchHandler {
  assertReceiver(receiver, others)
  // Deno passes the request only to a function that declares a parameter.
  return (original, ...rest: unknown[]) =>
    convert([original, ...rest], async (request) => {
      const { status, headers, body } = await receiver.receive(request)
      const close = status >= 400 && mayBeEndless(original.headers) && { connection: 'close' }
      return new Response(body, { status, headers: { ...headers, ...close } })
    })
}

/**
 * A function that verifies and parses a `Request`. You send the response.
 *
 * @throws TypeError if an option is invalid. The returned function rejects with `RequestError`,
 *   `SignatureError` and `PayloadError`, each with the `status` to respond with.
 * @example
 * const verify = verifyWebhook({ clientId, callbackToken })
 * const { event, context } = await verify(request)
 */
export function verifyWebhook<Kinds extends KindSchemas = NoKinds>(
  options: VerifierOptions<Kinds>,
): (request: Request) => Promise<Webhook<Kinds>> {
  const verifier = createRequestVerifier(options)
  return (...args) => convert(args, verifier.verify)
}

/** Passes on a request whose body is read on demand. Some of what is left of it is discarded at the end. */
async function convert<Result>(
  args: readonly [request: Request, ...rest: unknown[]],
  use: (request: WebhookRequest) => Promise<Result>,
): Promise<Result> {
  const [request] = args
  if (!isMethod(request?.headers, 'get')) return failWrongMount('payhook/fetch', args) as never
  const { method, url, headers } = request
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  async function body(maxBytes: number): Promise<Body> {
    if (request.bodyUsed) throw bodyConsumed(FIX)
    if (isBoundToLength(request)) return await readWhole(request)
    if (request.body === null) return ''
    if (request.body.locked) throw bodyConsumed(FIX)
    reader = request.body.getReader()
    const collector = new BodyCollector(maxBytes)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return collector.toBytes()
      collector.write(value)
    }
  }
  try {
    return await use({ method, url, headers, body })
  } finally {
    // Also of a body that nobody has asked for. A server with its own Request object does that itself.
    if (isNative(request) && request.body?.locked === false) reader = request.body.getReader()
    if (reader !== undefined) void discardStream(reader)
  }
}

/**
 * Whether the body cannot exceed the declared length, which has been checked. That holds if the server has its
 * own Request object (Hono on Node, Next.js), whose stream is up to three times as slow. The runtime's own
 * Request may have any stream behind any header.
 */
function isBoundToLength(request: Request): boolean {
  const declared = /^\d+$/.test(request.headers.get('content-length') ?? '')
  return declared && !isNative(request)
}

function isNative(request: Request): boolean {
  return Object.getPrototypeOf(request) === Request.prototype
}

const DISCARD_BYTES = 1024 * 1024

function mayBeEndless(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length')) > DISCARD_BYTES
}

/**
 * Reads and discards the rest, so that the connection can be used again. It ends before an endless one does: a
 * server could not be closed, and if this is a clone, the other one keeps all of it. The stream is not
 * cancelled, as some frameworks (h3 1) go on feeding it, and then throw where nobody catches it.
 */
async function discardStream(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let left = DISCARD_BYTES; left > 0; ) {
      const { done, value } = await reader.read()
      left -= done ? left : value.byteLength
    }
  } catch {
    // The sender has disconnected.
  }
}

async function readWhole(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer()
  } catch (error) {
    // A body that was not read was not cut off either: something else has locked its stream.
    throw request.bodyUsed ? error : bodyConsumed(FIX)
  }
}
