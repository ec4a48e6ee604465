import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import rawBody from 'fastify-raw-body'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/fastify.ts'
import { createReceiver, type VerifierOptions } from '../../../src/index.ts'
import { hmac } from '../../contracts/hmac.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { clients, fixture } from '../../fixture-cases.ts'

async function listen(app: FastifyInstance): Promise<Server> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

const open = () => fastify({ forceCloseConnections: true })

function verifying(
  hook: 'onRequest' | 'preParsing' | 'preHandler',
  options: VerifierOptions,
  use = open,
): FastifyInstance {
  const app = use()
  app.setErrorHandler((error: { status?: number; code?: string; message: string }, _request, reply) =>
    reply.code(error.status ?? 500).send({ code: error.code, message: error.message }),
  )
  app.addContentTypeParser(
    ['text/plain', 'application/x-www-form-urlencoded'],
    { parseAs: 'buffer' },
    async () => null,
  )
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) =>
    JSON.parse(body),
  )
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/',
    [hook]: verifyWebhook(options),
    async handler({ webhook }) {
      return { type: webhook?.event.type, clientId: webhook?.context.clientId }
    },
  })
  return app
}

describeHttpAdapter({
  name: 'payhook/fastify',
  streams: true,
  async receiving(receiver) {
    const app = open()
    app.register(receiveWebhooks, { receiver, path: '/' })
    return await listen(app)
  },
  verifying: (options) => listen(verifying('preParsing', options)),
  consumed: {
    fix: /preParsing: verifyWebhook/,
    async mount(receiver) {
      const app = open()
      app.addHook('preParsing', async (_request, _reply, payload) => {
        for await (const _chunk of payload);
        return payload
      })
      app.register(receiveWebhooks, { receiver, path: '/' })
      return await listen(app)
    },
  },
  async paused(receiver) {
    const app = open()
    app.addHook('onRequest', async (request) => void request.raw.pause())
    app.register(receiveWebhooks, { receiver, path: '/' })
    return await listen(app)
  },
  kept: {
    'request.rawBody by fastify-raw-body, before a slow hook': async (receiver) => {
      const app = open()
      await app.register(rawBody, { encoding: false })
      app.addHook('preValidation', async ({ raw }) => {
        if (raw.headers['content-length'] !== '0') await once(raw, 'data')
      })
      app.register(receiveWebhooks, { receiver, path: '/' })
      return await listen(app)
    },
    'request.rawBody by a hook': async (receiver) => {
      const app = open()
      app.addHook('preParsing', async (request, _reply, payload) => {
        Object.assign(request, { rawBody: Buffer.concat(await Array.fromAsync(payload)) })
        return payload
      })
      app.register(receiveWebhooks, { receiver, path: '/' })
      return await listen(app)
    },
  },
})

describe('payhook/fastify', () => {
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature), 'content-type': 'application/json' }

  it("does not change the application's content type parsers", async () => {
    const app = open()
    app.register(receiveWebhooks, { receiver: createReceiver({ clientId: clients.default }), path: '/in' })
    app.post('/other', async (request) => request.body)
    const server = await listen(app)
    expect((await sendRequest(server.port, { path: '/other', headers, body })).json).toEqual(
      JSON.parse(String(body)),
    )
    await server.close()
  })

  it("responds 500 if the application's own receive rejects", async () => {
    const app = open()
    const receive = () => Promise.reject(new Error('the trace is full'))
    app.register(receiveWebhooks, { receiver: { receive }, path: '/' })
    const server = await listen(app)
    expect((await sendRequest(server.port, { headers, body })).status).toBe(500)
    await server.close()
  })

  it.each(['application/json', 'application/octet-stream', 'application/vnd.api+json', []])(
    'passes on the parsed body, whatever its content type: %j',
    async (type) => {
      const app = open()
      app.post(
        '/',
        { preParsing: verifyWebhook({ clientId: clients.default }) },
        async (request) => request.body,
      )
      const server = await listen(app)
      const received = await sendRequest(server.port, { headers: { ...headers, 'content-type': type }, body })
      expect(received).toMatchObject({ status: 200, json: JSON.parse(String(body)) })
      await server.close()
    },
  )

  it("accepts keys that Fastify's own parser rejects", async () => {
    const body = '{"type":"VBA_TRANSACTION","data":{"__proto__":{}}}'
    const signature = hmac(body, clients.default)
    const app = open()
    app.post('/', { preParsing: verifyWebhook({ clientId: clients.default }) }, async () => ({}))
    const server = await listen(app)
    const sent = { headers: { ...headers, 'access-signature': signature }, body: Buffer.from(body) }
    expect((await sendRequest(server.port, sent)).status).toBe(200)
    await server.close()
  })

  it('rejects a payload that another hook has parsed to objects', async () => {
    const app = open()
    app.addHook('preParsing', async () => Readable.from([JSON.parse(String(body))]))
    app.register(receiveWebhooks, { receiver: createReceiver({ clientId: clients.default }), path: '/' })
    const server = await listen(app)
    expect(await sendRequest(server.port, { headers, body })).toMatchObject({
      status: 500,
      json: { code: 'body_consumed' },
    })
    await server.close()
  })

  it.each(['onRequest', 'preHandler'] as const)(
    'says which hook to use if it is added as %s hook',
    async (hook) => {
      const server = await listen(verifying(hook, { clientId: clients.default }))
      expect(await sendRequest(server.port, { headers, body })).toMatchObject({
        status: 500,
        json: {
          code: 'body_consumed',
          message: expect.stringContaining('{ preParsing: verifyWebhook(options) }'),
        },
      })
      await server.close()
    },
  )
})
