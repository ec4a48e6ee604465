import type { Receiver } from '../../src/receiver.ts'
import { createRequestVerifier, type VerifierOptions } from '../../src/request-verifier.ts'
import { bodyOf, discardRest, lookupOf, type NodeRequest } from './node-body.ts'
import { verify } from './node-exchange.ts'

/** The part of Koa's context that is used. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly res: object
  readonly request: object
  readonly path: string
  readonly originalUrl: string
  // biome-ignore lint/suspicious/noExplicitAny: it is any in Koa, where every application has its own.
  state: any
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/** Options of {@link receiveWebhooks}. */
export interface KoaOptions {
  /** Answer this path only and hand every other on. Default: answer all that reaches it, as behind a router. */
  readonly path?: string
}

type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>

const FIX =
  'In Koa, app.use() payhook before the body parser; @koa/bodyparser and koa-bodyparser also keep a copy in ' +
  'ctx.request.rawBody, which is used.'

/**
 * A middleware that answers by itself. It reads the request, so no body parser is needed, and none may come first.
 *
 * @example
 * app.use(receiveWebhooks(receiver, { path: '/webhooks' }))
 */
export function receiveWebhooks(receiver: Receiver, { path }: KoaOptions = {}): KoaMiddleware {
  return async (context, next) => {
    if (path !== undefined && context.path !== path) {
      await next()
      return
    }
    const { req, originalUrl: url } = context
    const { method = '', headers } = req
    const reply = await receiver.receive({ method, url, headers: lookupOf(headers), body: koaBody(context) })
    context.status = reply.status
    context.set(reply.headers)
    context.body = reply.body
    discardRest(req, context.res)
  }
}

/**
 * A middleware that verifies and parses, sets `ctx.state.webhook = { event, context }` and hands on. For a refused
 * request it throws a `PayhookError` with the `status` and `expose` that Koa answers by.
 *
 * @throws TypeError for an option that cannot be
 * @example
 * app.use(verifyWebhook({ clientId }))
 * app.use((ctx) => {
 *   console.log(ctx.state.webhook.event.type)
 *   ctx.status = 200
 * })
 */
export function verifyWebhook(options: VerifierOptions): KoaMiddleware {
  const verifier = createRequestVerifier(options)
  return async (context, next) => {
    context.state.webhook = await verify(
      verifier,
      context.req,
      context.originalUrl,
      koaBody(context),
      context.res,
    )
    // koa-bodyparser and @koa/bodyparser pass over what carries this mark, in place of failing on a stream that has been read.
    Object.assign(context, { disableBodyParser: true })
    await next()
  }
}

function koaBody({ req, request }: KoaContext): ReturnType<typeof bodyOf> {
  const { rawBody, body } = request as { rawBody?: unknown; body?: unknown }
  return bodyOf(req, [rawBody, (req as { rawBody?: unknown }).rawBody, body], FIX)
}
