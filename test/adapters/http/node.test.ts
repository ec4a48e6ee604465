import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { type ClientHttp2Stream, connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/node.ts'
import { createReceiver, isPayhookError } from '../../../src/index.ts'
import { describeHttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { listen } from '../../contracts/listen.ts'
import { sendRequest, startRequest } from '../../contracts/send-request.ts'
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
  paused: (receiver) =>
    listen(async (request, response) => {
      request.pause()
      await receiveWebhooks(receiver)(request, response)
    }),
  kept: {
    'request.rawBody, by a reader that is at work': (receiver) =>
      listen(async (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => Object.assign(request, { rawBody: Buffer.concat(chunks) }))
        if (request.headers['content-length'] !== '0') await once(request, 'data')
        await receiveWebhooks(receiver)(request, response)
      }),
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

  it('does not respond if the application already has', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const server = await listen(async (request, response) => {
      receiver.onAny(() => void response.writeHead(503).end())
      await receiveWebhooks(receiver)(request, response)
    })
    expect((await sendRequest(server.port, { headers, body })).status).toBe(503)
    await server.close()
  })

  it('runs the handlers in the async context of the request', async () => {
    const requestId = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const receiver = createReceiver({ clientId: clients.default }).onAny(() =>
      seen.push(requestId.getStore()),
    )
    const receive = receiveWebhooks(receiver)
    const server = await listen((request, response) => requestId.run('request 1', receive, request, response))
    expect((await sendRequest(server.port, { headers, body })).status).toBe(200)
    expect(seen).toEqual(['request 1'])
    await server.close()
  })

  it('rejects if the response throws', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const rejections: unknown[] = []
    const server = await listen(async (request, response) => {
      const writeHead = () => {
        throw new Error('a middleware failed')
      }
      try {
        await receiveWebhooks(receiver)(request, { headersSent: false, writeHead })
      } catch (error) {
        rejections.push(error)
      }
      response.end()
    })
    await sendRequest(server.port, { headers, body })
    expect(rejections).toEqual([new Error('a middleware failed')])
    await server.close()
  })

  it('answers a request that is not a stream', async () => {
    const writes: unknown[] = []
    const response = {
      headersSent: false,
      writeHead: (status: number) => ({ end: (text: string) => writes.push(status, JSON.parse(text).code) }),
    }
    const receive = receiveWebhooks(createReceiver({ clientId: clients.default }))
    await receive(
      { method: 'POST', url: '/', headers, resume() {}, destroy() {}, once() {} } as never,
      response,
    )
    expect(writes).toEqual([400, 'body_incomplete'])
  })

  it('distinguishes an empty body that was read from a consumed one', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const server = await listen(async (request, response) => {
      for await (const _chunk of request);
      await receiveWebhooks(receiver)(request, response)
    })
    const received = await sendRequest(server.port, { body: Buffer.alloc(0) })
    expect(received).toMatchObject({ status: 401, json: { code: 'signature_missing' } })
    await server.close()
  })

  it('lets the application respond late to a rejected request', async () => {
    const verify = verifyWebhook({ clientId: clients.default, maxBodyBytes: 10 })
    const server = await listen(async (request, response) => {
      await verify(request).catch(() => {})
      // Longer than payhook keeps reading a rejected body.
      await new Promise((resolve) => setTimeout(resolve, 700))
      response.writeHead(413).end()
    })
    const request = await startRequest(server.port, {}, Buffer.alloc(100))
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(413)
    await server.close()
  })

  it('disconnects an HTTP/2 sender that never stops', async () => {
    const receiver = createReceiver({ clientId: clients.default, maxBodyBytes: 1000 })
    const server = createHttp2Server(receiveWebhooks(receiver))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    const endless = sendEndlessly(stream)
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(413)
    stream.resume()
    await endless
    session.close()
    server.close()
  })
})

/** Writes until the server closes the stream. */
async function sendEndlessly(stream: ClientHttp2Stream): Promise<void> {
  const sending = setInterval(() => stream.write(Buffer.alloc(500)), 1)
  // Unlike once(), does not reject on a reset, which is one way of being closed.
  await new Promise<void>((closed) => stream.on('error', () => {}).on('close', closed))
  clearInterval(sending)
}
