import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import rawBody from 'fastify-raw-body'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/fastify.ts'
import { verifyingFastify } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver } from '../../../src/index.ts'
import type { AnyReceiver } from '../../../src/receiver/receiver.ts'
import { hmac } from '../../contracts/hmac.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { listening } from '../../contracts/listen.ts'
import { type Sending, sendRequest } from '../../contracts/send-request.ts'
import { clients, fixture } from '../../fixture-cases.ts'

async function listen(app: FastifyInstance): Promise<Server> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

const open = () => fastify({ forceCloseConnections: true })

/** An application that receives at `/`, behind what is set up before. */
async function receiving(receiver: AnyReceiver, setUp: (app: FastifyInstance) => unknown = () => {}) {
  const app = open()
  await setUp(app)
  app.register(receiveWebhooks, { receiver, path: '/' })
  return await listen(app)
}

describeHttpAdapter({
  name: 'payhook/fastify',
  streams: true,
  receiving: (receiver) => receiving(receiver),
  verifying: async (options, handle) => await listening(await verifyingFastify(options, handle)),
  consumed: {
    fix: /preParsing: verifyWebhook/,
    mount: (receiver) =>
      receiving(receiver, (app) =>
        app.addHook('preParsing', async (_request, _reply, payload) => {
          for await (const _chunk of payload);
          return payload
        }),
      ),
  },
  paused: (receiver) =>
    receiving(receiver, (app) => app.addHook('onRequest', async (request) => void request.raw.pause())),
  kept: {
    'request.rawBody by fastify-raw-body, before a slow hook': (receiver) =>
      receiving(receiver, async (app) => {
        await app.register(rawBody, { encoding: false })
        app.addHook('preValidation', async ({ raw }) => {
          if (raw.headers['content-length'] !== '0') await once(raw, 'data')
        })
      }),
    'request.rawBody by a hook': (receiver) =>
      receiving(receiver, (app) =>
        app.addHook('preParsing', async (request, _reply, payload) => {
          Object.assign(request, { rawBody: Buffer.concat(await Array.fromAsync(payload)) })
          return payload
        }),
      ),
  },
})

describe('payhook/fastify', () => {
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature), 'content-type': 'application/json' }
  const preParsing = verifyWebhook({ clientId: clients.default })

  /** What one request to a server gets. */
  async function send(server: Promise<Server>, request: Sending = {}) {
    const { port, close } = await server
    const received = await sendRequest(port, { headers, body, ...request })
    await close()
    return received
  }

  it("does not change the application's content type parsers, and has no conflict with them", async () => {
    const app = open()
    app.addContentTypeParser('application/octet-stream', async () => 'bytes')
    app.register(receiveWebhooks, { receiver: createReceiver({ clientId: clients.default }), path: '/in' })
    app.post('/other', async (request) => request.body)
    expect((await send(listen(app), { path: '/other' })).json).toEqual(JSON.parse(String(body)))
  })

  it("responds 500 if the application's own receive rejects", async () => {
    const receive = () => Promise.reject(new Error('the trace is full'))
    expect((await send(receiving({ receive }))).status).toBe(500)
  })

  it.each(['application/json', 'application/octet-stream', 'application/vnd.api+json', []])(
    'passes on the parsed body, whatever its content type: %j',
    async (type) => {
      const app = open()
      app.post('/', { preParsing }, async (request) => request.body)
      const received = await send(listen(app), { headers: { ...headers, 'content-type': type } })
      expect(received).toMatchObject({ status: 200, json: JSON.parse(String(body)) })
    },
  )

  it("accepts keys that Fastify's own parser rejects", async () => {
    const body = Buffer.from('{"type":"VBA_TRANSACTION","data":{"__proto__":{}}}')
    const app = open()
    app.post('/', { preParsing }, async () => ({}))
    const signed = { ...headers, 'access-signature': hmac(body, clients.default) }
    expect((await send(listen(app), { headers: signed, body })).status).toBe(200)
  })

  it('rejects a payload that another hook has parsed to objects', async () => {
    const server = receiving(createReceiver({ clientId: clients.default }), (app) =>
      app.addHook('preParsing', async () => Readable.from([JSON.parse(String(body))])),
    )
    expect(await send(server)).toMatchObject({ status: 500, json: { code: 'body_consumed' } })
  })

  it.each(['onRequest', 'preHandler'] as const)(
    'says which hook to use if it is added as %s hook',
    async (hook) => {
      const errors: Error[] = []
      const app = open()
      app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
      app.post('/', { [hook]: verifyWebhook({ clientId: clients.default }) }, async () => ({}))
      const message = expect.stringContaining('{ preParsing: verifyWebhook(options) }')
      expect(await send(listen(app))).toMatchObject({ status: 500 })
      expect(errors).toMatchObject([{ code: 'body_consumed', message }])
    },
  )
})
