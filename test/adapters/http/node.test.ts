import { AsyncLocalStorage } from 'node:async_hooks'
import { type EventEmitter, once } from 'node:events'
import type { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type NodeRequest,
  type NodeResponse,
  receiveWebhooks,
  verifyWebhook,
} from '../../../adapters/http/node.ts'
import { verifyingNode } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver } from '../../../src/index.ts'
import { describeHttpAdapter, type HttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { http2Client } from '../../contracts/http2-client.ts'
import { listen, listenHttp2, mount } from '../../contracts/listen.ts'
import { http1Client, sendRequest, startRequest } from '../../contracts/send-request.ts'
import { throwing } from '../../contracts/throwing.ts'
import { waitFor } from '../../contracts/wait-for.ts'
import { clients, fixture } from '../../fixture-cases.ts'

/** What is the same by HTTP/1.1 and HTTP/2. */
const mountedBy = (listenWith: typeof listen | typeof listenHttp2): Omit<HttpAdapter, 'name'> => ({
  streams: true,
  receiving: (receiver) => listenWith(receiveWebhooks(receiver)),
  verifying: (options, handle) => listenWith(verifyingNode(options, handle)),
  consumed: {
    fix: /before anything reads it/,
    mount: (receiver) =>
      listenWith(async (request: NodeRequest & Readable, response: NodeResponse) => {
        for await (const _chunk of request);
        await receiveWebhooks(receiver)(request, response)
      }),
  },
  paused: (receiver) =>
    listenWith(async (request: NodeRequest & Readable, response: NodeResponse) => {
      request.pause()
      await receiveWebhooks(receiver)(request, response)
    }),
})

describeHttpAdapter({
  name: 'payhook/node',
  ...mountedBy(listen),
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

describeHttpAdapter({ name: 'payhook/node, by HTTP/2', client: http2Client, ...mountedBy(listenHttp2) })

describe.each([
  ['HTTP/1.1', listen, http1Client],
  ['HTTP/2', listenHttp2, http2Client],
] as const)('payhook/node by %s', (_name, listen, client) => {
  it('reports a sender that disconnected during an earlier middleware', async () => {
    const gone = Promise.withResolvers<void>()
    const rejected = Promise.withResolvers<string>()
    const receiver = createReceiver({ clientId: clients.default })
    receiver.onRejected(({ code }) => rejected.resolve(code))
    const reached = Promise.withResolvers<void>()
    const server = await listen(async (request: NodeRequest & EventEmitter, response: NodeResponse) => {
      request.once('close', gone.resolve)
      reached.resolve()
      await gone.promise
      await receiveWebhooks(receiver)(request, response)
    })
    const request = await client.start(server.port, { 'access-signature': 'a'.repeat(64) }, Buffer.alloc(20))
    await reached.promise
    request.destroy()
    expect(await rejected.promise).toBe('body_incomplete')
    await server.close()
  })

  it('leaves no timer behind for senders that disconnect', async () => {
    const set = vi.spyOn(globalThis, 'setInterval')
    const clear = vi.spyOn(globalThis, 'clearInterval')
    onTestFinished(() => void vi.restoreAllMocks())
    const receiver = createReceiver({ clientId: clients.default })
    let rejections = 0
    receiver.onRejected(() => void rejections++)
    const server = await listen(receiveWebhooks(receiver))
    for (let count = 0; count < 20; count++) {
      const request = await client.start(server.port, { 'content-length': '100' }, Buffer.alloc(20))
      request.destroy()
      await request.closed
    }
    await waitFor(() => rejections === 20)
    await new Promise(setImmediate)
    const intervals = set.mock.results.map(({ value }) => value)
    expect(clear.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(intervals))
    await server.close()
  })
})

describe('payhook/node', () => {
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }
  const receiver = createReceiver({ clientId: clients.default })
  const receive = receiveWebhooks(receiver)

  it('does not respond if the application already has', async () => {
    const receiver = createReceiver({ clientId: clients.default })
    const port = await mount(async (request, response) => {
      receiver.onAny(() => void response.writeHead(503).end())
      await receiveWebhooks(receiver)(request, response)
    })
    expect((await sendRequest(port, { headers, body })).status).toBe(503)
  })

  it('does not wait for a reader that has stopped in the middle of the body', async () => {
    const port = await mount(async (request, response) => {
      await once(request, 'data')
      request.pause()
      await receive(request, response)
    })
    const received = await sendRequest(port, { headers, body })
    expect(received).toMatchObject({ status: 500, json: { code: 'body_consumed' } })
  })

  it('runs the handlers in the async context of the request', async () => {
    const requestId = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const receiver = createReceiver({ clientId: clients.default }).onAny(() =>
      seen.push(requestId.getStore()),
    )
    const receive = receiveWebhooks(receiver)
    const port = await mount((request, response) => requestId.run('request 1', receive, request, response))
    expect((await sendRequest(port, { headers, body })).status).toBe(200)
    expect(seen).toEqual(['request 1'])
  })

  it('closes the connection if the response throws', async () => {
    const port = await mount(async (request, response) => {
      response.writeHead = throwing(new Error('a middleware failed'))
      await receive(request, response)
    })
    const headersOnly = await startRequest(port, { ...headers, 'content-length': '0' }, Buffer.alloc(0))
    await headersOnly.closed
  })

  it('responds if a wrapper of writeHead returns nothing', async () => {
    const port = await mount(async (request, response) => {
      const { writeHead } = response
      response.writeHead = (...args) => void writeHead.apply(response, args as never) as never
      await receive(request, response)
    })
    expect((await sendRequest(port, { headers, body })).status).toBe(200)
  })

  it('replies to a request that is not a stream', async () => {
    const writes: unknown[] = []
    const response = {
      headersSent: false,
      writeHead: (status: number) => writes.push(status),
      end: (text: string) => writes.push(JSON.parse(text).code),
      destroy() {},
    }
    const request = { method: 'POST', url: '/', headers, resume() {}, destroy() {}, once() {} }
    await receive(request as never, response)
    expect(writes).toEqual([400, 'body_incomplete'])
  })

  it('distinguishes an empty body that was read from a consumed one', async () => {
    const port = await mount(async (request, response) => {
      for await (const _chunk of request);
      await receive(request, response)
    })
    const received = await sendRequest(port, { body: Buffer.alloc(0) })
    expect(received).toMatchObject({ status: 401, json: { code: 'signature_missing' } })
  })

  it('lets the application respond late to a rejected request', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const verify = verifyWebhook({ clientId: clients.default, maxBodyBytes: 10 })
    const port = await mount(async (request, response) => {
      await verify(request).catch(() => {})
      // Longer than payhook keeps reading a rejected body after the response.
      vi.advanceTimersByTime(1_000)
      response.writeHead(413).end()
    })
    const request = await startRequest(port, {}, Buffer.alloc(100))
    expect(await request.status).toBe(413)
  })
})
