import { json, text } from 'node:stream/consumers'
import { bodyParser } from '@koa/bodyparser'
import Koa, { type Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/koa.ts'
import { verifyingKoa } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver, type Receiver } from '../../../src/index.ts'
import { describeHttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { listen, listening, mount } from '../../contracts/listen.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { clients, fixture } from '../../fixture-cases.ts'

/** An application that does not print connection errors, which the tests cause. */
const quietKoa = () => Object.assign(new Koa(), { silent: true })

const behind = (parser: Middleware) => (receiver: Receiver) =>
  listen(quietKoa().use(parser).use(receiveWebhooks(receiver)).callback())

/** The state after koa-bodyparser and @koa/bodyparser. */
const parsing = (keep: (ctx: Koa.Context, raw: string) => object): Middleware => {
  return async (ctx, next) => {
    Object.assign(ctx.request, keep(ctx, await text(ctx.req)))
    await next()
  }
}

describeHttpAdapter({
  name: 'payhook/koa',
  streams: true,
  receiving: (receiver) => listen(quietKoa().use(receiveWebhooks(receiver)).callback()),
  verifying: (options, handle) => listening(verifyingKoa(options, handle)),
  consumed: {
    fix: /before the body parser/,
    mount: behind(async (ctx, next) => {
      Object.assign(ctx.request, { body: await json(ctx.req) })
      await next()
    }),
  },
  paused: behind(async (ctx, next) => {
    ctx.req.pause()
    await next()
  }),
  kept: {
    'ctx.request.rawBody by a body parser': behind(
      parsing((_ctx, raw) => ({ body: JSON.parse(raw || '{}'), rawBody: raw })),
    ),
    'ctx.request.body as text': behind(parsing((_ctx, raw) => ({ body: raw }))),
  },
})

describe('payhook/koa', () => {
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }

  it('handles its path and passes on all others', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const app = quietKoa()
      .use(receiveWebhooks(receiver, { path: '/in' }))
      .use((ctx) => {
        ctx.status = 418
      })
    const port = await mount(app.callback())
    const statuses = []
    for (const path of ['/in', '/in?a=b', '/', '/in/deeper']) {
      statuses.push((await sendRequest(port, { path, headers, body })).status)
    }
    expect(statuses).toEqual([200, 200, 418, 418])
  })

  it.each<[string, () => Middleware]>([
    ['koa-body', koaBody],
    ['@koa/bodyparser', bodyParser],
  ])('leaves no unread body for %s', async (_name, parser) => {
    const app = quietKoa()
      .use(verifyWebhook({ clientId: clients.default }))
      .use(parser())
      .use((ctx) => {
        ctx.body = ctx.state.webhook.event
      })
    const port = await mount(app.callback())
    for (const sent of [body, [body]]) {
      const withType = { ...headers, 'content-type': 'application/json' }
      const { status, json } = await sendRequest(port, { headers: withType, body: sent })
      expect([status, json]).toEqual([200, fixture('outbound-payment-stringified').expect])
    }
  })

  it('throws an error that Koa turns into the response', async () => {
    const app = quietKoa().use(verifyWebhook({ clientId: clients.default }))
    const port = await mount(app.callback())
    const rejected = await sendRequest(port, { body })
    expect(rejected.status).toBe(401)
    expect(rejected.body).toContain('The ACCESS-SIGNATURE header is missing')
  })
})
