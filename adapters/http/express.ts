import type { Webhook } from '../../src/open-notification.ts'
import type { Receiver } from '../../src/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/request-verifier.ts'
import { bodyOf, type NodeRequest } from './node-body.ts'
import { answer, type NodeResponse, verify } from './node-exchange.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set by payhook's `verifyWebhook`. */
      webhook?: Webhook
    }
  }
}

/** The part of Express's request that is used. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string
  readonly body?: unknown
  webhook?: Webhook
}

const FIX =
  'In Express, mount this route before app.use(express.json()), or let the parser keep a copy: ' +
  'express.json({ verify: (req, res, buffer) => { req.rawBody = buffer } }).'

/**
 * A handler that answers by itself. It reads the request, so no body parser is needed, and none may come first.
 *
 * @example
 * app.post('/webhooks', receiveWebhooks(receiver))
 */
export function receiveWebhooks(
  receiver: Receiver,
): (request: ExpressRequest, response: NodeResponse) => Promise<void> {
  return (request, response) => answer(receiver, request, request.originalUrl, expressBody(request), response)
}

/**
 * A middleware that verifies and parses, sets `req.webhook = { event, context }` and hands on. A refused request goes
 * to your error handler as a `PayhookError` with its `status`.
 *
 * @throws TypeError for an option that cannot be
 * @example
 * app.post('/webhooks', verifyWebhook({ clientId }), (req, res) => {
 *   console.log(req.webhook?.event.type)
 *   res.sendStatus(200)
 * })
 */
export function verifyWebhook(
  options: VerifierOptions,
): (request: ExpressRequest, response: unknown, next: (error?: unknown) => void) => Promise<void> {
  const verifier = createRequestVerifier(options)
  return async (request, response, next) => {
    let refusal: unknown
    try {
      request.webhook = await verify(verifier, request, request.originalUrl, expressBody(request), response)
      // Body parsers pass a request over that carries this mark, in place of failing on a stream that has been read.
      Object.assign(request, { _body: true })
    } catch (error) {
      refusal = error
    }
    // Outside the try: what the application throws from here on is not payhook's to report.
    next(refusal)
  }
}

function expressBody(request: ExpressRequest): ReturnType<typeof bodyOf> {
  const { rawBody } = request as { rawBody?: unknown }
  return bodyOf(request, [rawBody, request.body], FIX)
}
