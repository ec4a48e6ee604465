import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/node.ts'
import { createReceiver, isPayhookError } from '../../../src/index.ts'
import { describeHttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { listen } from '../../contracts/listen.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { clients, fixture } from '../../fixture-cases.ts'

describeHttpAdapter({
  name: 'payhook/node',
  streams: true,
  answering: (receiver) => listen(receiveWebhooks(receiver)),
  verifying(options) {
    const verify = verifyWebhook(options)
    return listen(async (request, response) => {
      try {
        const { event, context } = await verify(request)
        response.end(JSON.stringify({ type: event.type, clientId: context.clientId }))
      } catch (error) {
        if (!isPayhookError(error)) throw error
        response.writeHead(error.status).end(JSON.stringify({ code: error.code }))
      }
    })
  },
  consumed: {
    fix: /before anything reads it/,
    mount: (receiver) =>
      listen(async (request, response) => {
        for await (const _chunk of request);
        await receiveWebhooks(receiver)(request, response)
      }),
  },
  kept: {
    'request.rawBody, as serverless hosts do': (receiver) =>
      listen(async (request, response) => {
        const rawBody = Buffer.concat(await Array.fromAsync(request))
        await receiveWebhooks(receiver)(Object.assign(request, { rawBody }), response)
      }),
  },
})

describe('payhook/node', () => {
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }

  it('leaves an answer alone that the application gave meanwhile', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const server = await listen(async (request, response) => {
      receiver.onAny(() => void response.writeHead(503).end())
      await receiveWebhooks(receiver)(request, response)
    })
    expect((await sendRequest(server.port, { headers, body })).status).toBe(503)
    await server.close()
  })

  it('knows an empty body that something read from one that was consumed', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const server = await listen(async (request, response) => {
      for await (const _chunk of request);
      await receiveWebhooks(receiver)(request, response)
    })
    const received = await sendRequest(server.port, { body: Buffer.alloc(0) })
    expect(received).toMatchObject({ status: 401, json: { code: 'signature_missing' } })
    await server.close()
  })
})
