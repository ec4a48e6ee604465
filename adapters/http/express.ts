import type { KindSchemas, NoKinds } from '../../src/events/kind-schemas.ts'
import type { Webhook } from '../../src/notification/open-notification.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/verification/request-verifier.ts'
import { assertReceiver, failWrongMount, isMethod } from './mounting.ts'
import {
  createListener,
  fromNode,
  hideBody,
  type NodeRequest,
  type RequestListener,
  verify,
} from './node-request.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set by payhook's `verifyWebhook`. */
      webhook?: Webhook
    }
  }
}

/** The part of Express's request that payhook uses. */
export interface ExpressRequest extends NodeRequest {
  webhook?: Webhook
}

const FIX =
  'In Express, mount this route before app.use(express.json()), or let the parser keep a copy: ' +
  'express.json({ verify: (req, res, buffer) => { req.rawBody = buffer } }). ' +
  'In NestJS, create the application with { rawBody: true }.'

/**
 * A handler that sends the response itself. It reads the body, so mount it before any body parser.
 *
 * @throws TypeError if the argument is not a receiver, or not the only one
 * @example
 * app.post('/webhooks', receiveWebhooks(receiver))
 */
export function receiveWebhooks(receiver: AnyReceiver, ...others: never[]): RequestListener {
  assertReceiver(receiver, others)
  return createListener('payhook/express', receiver, FIX)
}

/**
 * A middleware that verifies and parses, sets `req.webhook = { event, context }`, and calls `next()`. Your
 * error handler gets a `PayhookError` with a `status` for every rejected request.
 *
 * With a `kinds` option, narrow the event with `req.webhook?.event as WebhookEvent<typeof kinds>`.
 *
 * @throws TypeError if an option is invalid
 * @example
 * app.post('/webhooks', verifyWebhook({ clientId, callbackToken }), (req, res) => {
 *   console.log(req.webhook?.event.type)
 *   res.sendStatus(200)
 * })
 */
export function verifyWebhook(
  options: VerifierOptions<KindSchemas>,
): (request: ExpressRequest, response: unknown, next: (error?: unknown) => void) => Promise<void> {
  const verifier = createRequestVerifier<NoKinds>(options)
  return async (request, response, next) => {
    if (!isMethod(request, 'resume') || typeof next !== 'function')
      return failWrongMount('payhook/express', [request, response, next])
    try {
      request.webhook = await verify(verifier, request, fromNode(request, FIX))
      hideBody(request)
    } catch (error) {
      // Without an error, Express goes on. A schema may throw undefined.
      return next(error ?? new TypeError('undefined was thrown'))
    }
    // Outside the try, so that the application's own errors are not reported as rejections.
    next()
  }
}
