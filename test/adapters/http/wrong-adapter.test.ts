import { createServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import express, { type ErrorRequestHandler } from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as expressAdapter from '../../../adapters/http/express.ts'
import * as fastifyAdapter from '../../../adapters/http/fastify.ts'
import * as fetchAdapter from '../../../adapters/http/fetch.ts'
import * as koaAdapter from '../../../adapters/http/koa.ts'
import * as lambdaAdapter from '../../../adapters/http/lambda.ts'
import * as nodeAdapter from '../../../adapters/http/node.ts'
import { createReceiver } from '../../../src/index.ts'
import type { Server } from '../../contracts/http-adapter-suite.ts'
import { listen, listening } from '../../contracts/listen.ts'
import { sendRequest } from '../../contracts/send-request.ts'

const adapters = {
  express: expressAdapter,
  fetch: fetchAdapter,
  koa: koaAdapter,
  lambda: lambdaAdapter,
  node: nodeAdapter,
}
const receiver = createReceiver({ clientId: 'a' })
const FRAMEWORKS: Record<string, { own: string[]; use: string; mount(handler: never): Promise<Server> }> = {
  Express: {
    // Express's objects are Node's, with more.
    own: ['express', 'node'],
    use: 'import payhook/express.',
    mount: (handler) =>
      listen(
        express()
          .use(handler)
          .use(((error, _request, response, _next) => {
            response.status(500).json({ message: error.message })
          }) satisfies ErrorRequestHandler),
      ),
  },
  Node: {
    own: ['express', 'node'],
    use: 'import payhook/node.',
    mount: (handler) => listening(createServer(handler)),
  },
  Koa: {
    own: ['koa'],
    use: 'import payhook/koa.',
    mount: (handler) =>
      listen(
        new Koa()
          .use(async (context, next) => {
            await Promise.resolve(next()).catch((error) => {
              context.status = 500
              context.body = { message: error.message }
            })
          })
          .use(handler)
          .callback(),
      ),
  },
  Fastify: {
    own: [],
    use: 'import payhook/fastify, with app.register(receiveWebhooks, { receiver, path }).',
    async mount(handler) {
      const app = fastify()
      app.post('/', handler)
      await app.ready()
      return await listening(app.server)
    },
  },
  Hono: {
    own: [],
    use: 'import payhook/fetch, and pass it c.req.raw.',
    mount(handler) {
      const app = new Hono().post('/', handler)
      app.onError((error, context) => context.json({ message: error.message }, 500))
      return listening(createAdaptorServer({ fetch: app.fetch }) as never)
    },
  },
}

describe.each(Object.entries(FRAMEWORKS))('in %s', (framework, { own, use, mount }) => {
  const wrong = Object.entries(adapters).filter(([name]) => !own.includes(name))

  it.each(wrong)('payhook/%s says which adapter to use', async (name, adapter) => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warnings.mockRestore())
    const headers = { 'content-type': 'application/json' }
    const server = await mount(adapter.receiveWebhooks(receiver) as never)
    onTestFinished(async () => void (await server.close()))
    expect(await sendRequest(server.port, { headers, body: Buffer.from('{}') })).toMatchObject({
      status: 500,
      json: { message: `payhook/${name} is mounted, but this looks like ${framework}: ${use}` },
    })
    expect(warnings).toHaveBeenCalledTimes(framework === 'Node' ? 1 : 0)
  })
})

it.each([
  ['Express', { resume() {}, get() {} }],
  ['the Fetch API', new Request('http://localhost/')],
  ['AWS Lambda', { requestContext: { http: {} } }],
])('verifyWebhook recognizes %s', async (framework, first) => {
  const options = { clientId: 'a' }
  const verifiers = [koaAdapter.verifyWebhook(options), fastifyAdapter.verifyWebhook(options)]
  for (const verify of verifiers) {
    await expect(verify(first as never, undefined as never)).rejects.toThrow(
      `this looks like ${framework}: import`,
    )
  }
})

it.each(Object.entries(adapters))(
  'payhook/%s as a plugin of Fastify says what to register',
  async (_name, adapter) => {
    const app = fastify()
    app.register(adapter.receiveWebhooks(receiver) as never)
    await expect(app.ready()).rejects.toThrow('app.register(receiveWebhooks, { receiver, path })')
  },
)

it('the plugin of payhook/fastify says how to register it', async () => {
  const message = /app\.register\(receiveWebhooks, \{ receiver, path \}\)/
  await expect(fastifyAdapter.receiveWebhooks(receiver as never, undefined as never)).rejects.toThrow(message)
})
