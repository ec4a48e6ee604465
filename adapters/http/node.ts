import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/verification/request-verifier.ts'
import { assertReceiver, failWrongMount, isMethod, type NodeResponse } from './mounting.ts'
import { createListener, fromNode, type NodeRequest, type RequestListener, verify } from './node-request.ts'

export type { NodeRequest, NodeResponse, RequestListener }

const FIX =
  'Pass the request to payhook before anything reads its body. ' +
  'In an API route of Next.js, export const config = { api: { bodyParser: false } }.'

/**
 * A request listener for `node:http` and `node:https` that sends the response itself, on any path.
 *
 * @throws TypeError if the argument is not a receiver, or not the only one
 * @example
 * http.createServer(receiveWebhooks(receiver)).listen(3000)
 */
export function receiveWebhooks(receiver: AnyReceiver, ...others: never[]): RequestListener {
  assertReceiver(receiver, others)
  return createListener('payhook/node', receiver, FIX)
}

/**
 * A function that verifies and parses a request of `node:http`. You send the response.
 *
 * @throws TypeError if an option is invalid. The returned function rejects with `RequestError`,
 *   `SignatureError` and `PayloadError`, each with the `status` to respond with.
 * @example
 * const verify = verifyWebhook({ clientId, callbackToken })
 * const { event, context } = await verify(request)
 */
export function verifyWebhook<Kinds extends KindSchemas = NoKinds>(
  options: VerifierOptions<Kinds>,
): (request: NodeRequest) => Promise<Webhook<Kinds>> {
  const verifier = createRequestVerifier(options)
  return async (...args) => {
    const [request] = args
    // A framework passes more: it would wait for a response, or for next().
    if (args.length > 1 || !isMethod(request, 'resume')) return failWrongMount('payhook/node', args) as never
    return await verify(verifier, request, fromNode(request, FIX))
  }
}
