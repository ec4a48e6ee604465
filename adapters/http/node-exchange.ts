import type { Body } from '../../src/body-bytes.ts'
import type { Webhook } from '../../src/open-notification.ts'
import type { Receiver } from '../../src/receiver.ts'
import type { RequestVerifier } from '../../src/request-verifier.ts'
import type { ReadBody } from '../../src/webhook-request.ts'
import { discardRest, lookupOf, type NodeRequest } from './node-body.ts'

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

/** Has a receiver answer a request on Node. Written at once: a framework's own `send` costs more than the rest. */
export async function answer(
  receiver: Receiver,
  request: NodeRequest,
  url: string,
  body: Body | ReadBody,
  response: NodeResponse,
): Promise<void> {
  const { method = '', headers } = request
  const reply = await receiver.receive({ method, url, headers: lookupOf(headers), body })
  // A time-out of the application's may have answered meanwhile.
  if (!response.headersSent) response.writeHead(reply.status, reply.headers).end(reply.body)
  discardRest(request, response)
}

/** Has a verifier judge a request on Node, and lets go of the body of one that is refused. */
export async function verify(
  verifier: RequestVerifier,
  request: NodeRequest,
  url: string,
  body: Body | ReadBody,
  response?: unknown,
): Promise<Webhook> {
  const { method = '', headers } = request
  try {
    return await verifier.verify({ method, url, headers: lookupOf(headers), body })
  } catch (error) {
    discardRest(request, response)
    throw error
  }
}
