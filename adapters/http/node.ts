import type { Webhook } from '../../src/open-notification.ts'
import type { Receiver } from '../../src/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/request-verifier.ts'
import { bodyOf, type NodeRequest } from './node-body.ts'
import { answer, type NodeResponse, verify } from './node-exchange.ts'

export type { NodeRequest, NodeResponse }

const FIX = 'Give the request to payhook before anything reads it.'

/** What serverless hosts and parsers leave on Node's request. */
type KeptBody = { readonly rawBody?: unknown; readonly body?: unknown }

/**
 * A request listener for `node:http` and `node:https` that answers by itself, whatever the path.
 *
 * @example
 * http.createServer(receiveWebhooks(receiver)).listen(3000)
 */
export function receiveWebhooks(
  receiver: Receiver,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return (request, response) => answer(receiver, request, request.url ?? '', nodeBody(request), response)
}

/**
 * A function that verifies and parses a request of `node:http`; the answer is yours.
 *
 * @throws TypeError for an option that cannot be. What it makes rejects with `RequestError`, `SignatureError` and
 *   `PayloadError`, each with the `status` to answer.
 * @example
 * const verify = verifyWebhook({ clientId })
 * const { event, context } = await verify(request)
 */
export function verifyWebhook(options: VerifierOptions): (request: NodeRequest) => Promise<Webhook> {
  const verifier = createRequestVerifier(options)
  return (request) => verify(verifier, request, request.url ?? '', nodeBody(request))
}

function nodeBody(request: NodeRequest): ReturnType<typeof bodyOf> {
  const { rawBody, body } = request as NodeRequest & KeptBody
  return bodyOf(request, [rawBody, body], FIX)
}
