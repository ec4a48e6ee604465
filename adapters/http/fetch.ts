import type { Body } from '../../src/body-bytes.ts'
import { bodyConsumed, bodyTooLarge } from '../../src/body-errors.ts'
import type { Webhook } from '../../src/open-notification.ts'
import type { Receiver } from '../../src/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/request-verifier.ts'
import type { WebhookRequest } from '../../src/webhook-request.ts'

const FIX =
  'Hand over the Request before anything calls its json() or text(), or hand over a clone() made before.'

/**
 * A function from `Request` to `Response`, for Next.js route handlers, Hono, Workers, Deno and Bun.
 *
 * @example
 * export const POST = receiveWebhooks(receiver) // app/webhooks/route.ts of Next.js
 */
export function receiveWebhooks(receiver: Receiver): (request: Request) => Promise<Response> {
  return (request) =>
    withBody(request, async (webhookRequest) => {
      const { status, headers, body } = await receiver.receive(webhookRequest)
      return new Response(body, { status, headers })
    })
}

/**
 * A function that verifies and parses a `Request`; the answer is yours.
 *
 * @throws TypeError for an option that cannot be. What it makes rejects with `RequestError`, `SignatureError` and
 *   `PayloadError`, each with the `status` to answer.
 * @example
 * const verify = verifyWebhook({ clientId })
 * const { event, context } = await verify(request)
 */
export function verifyWebhook(options: VerifierOptions): (request: Request) => Promise<Webhook> {
  const verifier = createRequestVerifier(options)
  return (request) => withBody(request, (webhookRequest) => verifier.verify(webhookRequest))
}

/** Lends the request's body, and lets go of what is left of it in the end. */
async function withBody<Result>(
  request: Request,
  use: (request: WebhookRequest) => Promise<Result>,
): Promise<Result> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const { method, url, headers } = request
  async function body(maxBytes: number): Promise<Body> {
    if (request.bodyUsed) throw bodyConsumed(FIX)
    // With a declared length, which has been judged and which a server holds the sender to, a runtime reads the body at
    // one go. To touch the stream takes up to three times as long.
    if (/^\d+$/.test(headers.get('content-length') ?? '')) return await readWhole(request)
    if (request.body === null) return ''
    if (request.body.locked) throw bodyConsumed(FIX)
    reader = request.body.getReader()
    return await readToEnd(reader, maxBytes)
  }
  try {
    return await use({ method, url, headers, body })
  } finally {
    // Without effect on a stream that has ended, and nothing waits for it: a sender that stalls would not answer.
    reader?.cancel().catch(() => {})
  }
}

async function readWhole(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer()
  } catch (error) {
    // A body that nobody has begun to read cannot have been cut off: somebody else holds its stream.
    throw request.bodyUsed ? error : bodyConsumed(FIX)
  }
}

async function readToEnd(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return join(chunks, length)
    length += value.byteLength
    if (length > maxBytes) throw bodyTooLarge(maxBytes)
    chunks.push(value)
  }
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const joined = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.byteLength
  }
  return joined
}
