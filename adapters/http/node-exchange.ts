import type { Body } from '../../src/body-bytes.ts'
import type { KindSchemas } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import { isPromiseLike } from '../../src/receiver/handlers.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import type { Reply } from '../../src/receiver/reply.ts'
import { responderOf } from '../../src/receiver/responder.ts'
import type { RequestVerifier } from '../../src/verification/request-verifier.ts'
import type { ReadBody, WebhookRequest } from '../../src/verification/webhook-request.ts'
import { discardRest } from './discard-rest.ts'

/** The part of Node's `IncomingMessage` that is used; Express, Koa and Fastify hand the same object on. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

/**
 * Has a receiver judge a request on Node.
 *
 * @param write gives the reply to the framework
 * @returns a promise if there is something to wait for
 */
export function receive(
  receiver: AnyReceiver,
  request: NodeRequest,
  url: string,
  body: Body | ReadBody,
  write: (reply: Reply) => void,
): void | Promise<void> {
  const reply = responderOf(receiver)(toWebhookRequest(request, url, body))
  return isPromiseLike(reply) ? reply.then(finish) : finish(reply)

  function finish(reply: Reply): void {
    discardRest(request)
    write(reply)
  }
}

/** Has a verifier judge a request on Node. */
export async function verify<Kinds extends KindSchemas>(
  verifier: RequestVerifier<Kinds>,
  request: NodeRequest,
  url: string,
  body: Body | ReadBody,
): Promise<Webhook<Kinds>> {
  try {
    return await verifier.verify(toWebhookRequest(request, url, body))
  } catch (error) {
    discardRest(request)
    throw error
  }
}

/** Has body parsers pass over a request whose body has been read: without these headers there is none. */
export function hideBody({ headers }: NodeRequest): void {
  Object.assign(headers, { 'content-length': undefined, 'transfer-encoding': undefined })
}

/**
 * Has a receiver answer a request on Node. Written at once: a framework's own `send` costs more than the rest.
 */
export function answer(
  receiver: AnyReceiver,
  request: NodeRequest,
  url: string,
  body: Body | ReadBody,
  response: NodeResponse,
): void | Promise<void> {
  return receive(receiver, request, url, body, (reply) => {
    // A time-out of the application's may have answered meanwhile.
    if (!response.headersSent) response.writeHead(reply.status, reply.headers).end(reply.body)
  })
}

function toWebhookRequest(request: NodeRequest, url: string, body: Body | ReadBody): WebhookRequest {
  const { method = '', headers } = request
  // Node has the names in lower case, so that they need not be searched for.
  return { method, url, headers: { get: (name) => headers[name] }, body }
}
