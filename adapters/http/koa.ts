import type { KindSchemas } from '../../src/events/kind-schemas.ts'
import { assertOptions } from '../../src/option-checks.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'
import {
  createRequestVerifier,
  type VerifierOptions,
  type WebhookRequest,
} from '../../src/verification/request-verifier.ts'
import { assertPath, assertReceiver, failWrongMount, isMethod } from './mounting.ts'
import { discardRest, hideBody, type NodeRequest, toWebhookRequest, verify } from './node-request.ts'

/** The part of Koa's context that payhook uses. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly request: object
  readonly path: string
  readonly originalUrl: string
  // biome-ignore lint/suspicious/noExplicitAny: it is any in Koa, too, since it depends on the application.
  state: any
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/** Options of {@link receiveWebhooks}. */
export interface KoaOptions {
  /**
   * The only path to respond to, such as `/webhooks`. Other requests go to the next middleware. Default: every
   * path, as is usual behind a router.
   */
  readonly path?: string
}

type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>

const FIX =
  'In Koa, app.use() payhook before the body parser; @koa/bodyparser and koa-bodyparser also keep a copy in ' +
  'ctx.request.rawBody, which payhook can use.'

/**
 * A middleware that sends the response itself. It reads the body, so mount it before any body parser.
 *
 * @throws TypeError if the first argument is not a receiver, or if an option is unknown or invalid
 * @example
 * app.use(receiveWebhooks(receiver, { path: '/webhooks' }))
 */
export function receiveWebhooks(receiver: AnyReceiver, options: KoaOptions = {}): KoaMiddleware {
  assertReceiver(receiver)
  assertOptions(options, ['path'], 'receiveWebhooks')
  // A path from an unset variable must not match every path.
  if ('path' in options) assertPath(options.path)
  const { path } = options
  return async (...args) => {
    const [context, next] = args
    if (!isKoa(context)) return failWrongMount('payhook/koa', args)
    if (path !== undefined && context.path !== path) return next()
    const { status, headers, body } = await receiver.receive(fromKoa(context))
    discardRest(context.req)
    context.status = status
    context.set(headers)
    context.body = body
  }
}

/**
 * A middleware that verifies and parses, sets `ctx.state.webhook = { event, context }`, and calls `next()`. For
 * a rejected request, it throws a `PayhookError`, whose `status` and `expose` Koa understands.
 *
 * @throws TypeError if an option is invalid
 * @example
 * app.use(verifyWebhook({ clientId, callbackToken }))
 * app.use((ctx) => {
 *   console.log(ctx.state.webhook.event.type)
 *   ctx.status = 200
 * })
 */
export function verifyWebhook(options: VerifierOptions<KindSchemas>): KoaMiddleware {
  const verifier = createRequestVerifier(options)
  return async (...args) => {
    const [context, next] = args
    if (!isKoa(context)) return failWrongMount('payhook/koa', args)
    context.state.webhook = await verify(verifier, context.req, fromKoa(context))
    hideBody(context.req)
    // @koa/bodyparser checks this flag instead.
    Object.assign(context, { disableBodyParser: true })
    await next()
  }
}

function isKoa(context: KoaContext): boolean {
  return isMethod(context?.req, 'resume') && isMethod(context, 'set')
}

function fromKoa({ req, request, originalUrl }: KoaContext): WebhookRequest {
  return toWebhookRequest(req, originalUrl, request, FIX)
}
