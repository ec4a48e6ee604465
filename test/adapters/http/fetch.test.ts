import { once } from 'node:events'
import { Agent, type Server as NodeServer, request as openRequest } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks } from '../../../adapters/http/fetch.ts'
import { verifyingFetch } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver } from '../../../src/index.ts'
import { createNotification } from '../../../src/testing/index.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { listening } from '../../contracts/listen.ts'
import { clients, fixture } from '../../fixture-cases.ts'

type Receive = (request: Request) => Response | Promise<Response>

/** Hono on Node: the most popular framework with Request and Response. */
function listen(receive: Receive): Promise<Server> {
  const app = new Hono().all('/', (context) => receive(context.req.raw))
  return listening(createAdaptorServer({ fetch: app.fetch }) as NodeServer)
}

describeHttpAdapter({
  name: 'payhook/fetch',
  streams: true,
  receiving: (receiver) => listen(receiveWebhooks(receiver)),
  verifying: (options, handle) => listen(verifyingFetch(options, handle)),
  consumed: {
    fix: /before anything calls its json\(\) or text\(\)/,
    mount: (receiver) =>
      listen(async (request) => {
        await request.json()
        return await receiveWebhooks(receiver)(request)
      }),
  },
})

describe('payhook/fetch', () => {
  const callbackToken = 'a-token-of-some-length'
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }
  const receive = receiveWebhooks(createReceiver({ clientId: clients.default }))
  const toRequest = (init: RequestInit) =>
    new Request('http://localhost/', { method: 'POST', duplex: 'half', ...init } as RequestInit)

  it.each<[headers: Record<string, string>, connection: string | null]>([
    [{}, null],
    [{ 'content-length': '8' }, null],
    [{ 'content-length': '11' }, null],
    [{ 'content-length': '1048577' }, 'close'],
    [{ 'transfer-encoding': 'chunked' }, 'close'],
  ])(
    'discards a megabyte of a body that is too large, and does not cancel its stream, with the headers %j',
    async (headers, connection) => {
      const receiver = createReceiver({ clientId: clients.default, maxBodyBytes: 10, callbackToken })
      let isCancelled = false
      for (const url of ['http://localhost/', `http://localhost/?token=${callbackToken}`]) {
        let megabytes = 0
        const body = new ReadableStream(
          {
            pull(controller) {
              controller.enqueue(new Uint8Array(1024 * 1024))
              if (++megabytes === 64) controller.close()
            },
            cancel() {
              isCancelled = true
            },
          },
          { highWaterMark: 0 },
        )
        const request = new Request(url, { method: 'POST', duplex: 'half', headers, body } as RequestInit)
        const response = await receiveWebhooks(receiver)(request)
        expect([response.ok, response.headers.get('connection')]).toEqual([false, connection])
        await nextTurn()
        expect(megabytes).toBeGreaterThan(0)
        expect(megabytes).toBeLessThan(3)
      }
      expect(isCancelled).toBe(false)
    },
  )

  it('leaves the connection of a GET without a body open', async () => {
    const { status, headers } = await receive(new Request('http://localhost/'))
    expect([status, headers.get('connection')]).toEqual([405, null])
  })

  it('disconnects a GET whose body never ends', async () => {
    const server = await listen(receive)
    const agent = new Agent({ keepAlive: true })
    const request = openRequest({ host: '127.0.0.1', port: server.port, agent })
    request.on('error', () => {})
    request.setHeader('transfer-encoding', 'chunked')
    const endless = setInterval(() => request.write('more'), 1)
    const closed = new Promise<void>((resolve) => request.once('close', resolve))
    const [response] = await once(request, 'response')
    expect(response.resume().statusCode).toBe(405)
    await closed
    clearInterval(endless)
    await server.close()
  })

  it('responds if the body is already being read', async () => {
    for (const declared of [{}, { 'content-length': String(body.length) }]) {
      const request = toRequest({ headers: { ...headers, ...declared }, body })
      request.body?.getReader()
      expect(await (await receive(request)).json()).toMatchObject({ code: 'body_consumed' })
    }
  })

  it.each<new (buffer: ArrayBuffer) => ArrayBufferView>([Uint16Array, DataView])(
    'reads a stream of %o',
    async (View) => {
      const rawBodies: unknown[] = []
      const receiver = createReceiver({ clientId: 'a' })
      receiver.onAny((_event, { rawBody }) => rawBodies.push(rawBody))
      const { body, headers } = createNotification('VBA_TRANSACTION', {
        clientId: 'a',
        data: 'even'.repeat(30),
      })
      const bytes = new TextEncoder().encode(body)
      expect(bytes.length % 2).toBe(0)
      const halves = [bytes.slice(0, 50), bytes.slice(50)].map(({ buffer }) => new View(buffer))
      const request = toRequest({ headers, body: ReadableStream.from<unknown>(halves) as ReadableStream })
      expect((await receiveWebhooks(receiver)(request)).status).toBe(200)
      expect(rawBodies).toEqual([bytes])
    },
  )

  it('declares a parameter, as Deno passes no request to a function without one', () => {
    expect(receive).toHaveLength(1)
  })

  it('treats a missing body as empty', async () => {
    const response = await receive(new Request('http://localhost/', { method: 'POST' }))
    expect(await response.json()).toMatchObject({ code: 'signature_missing' })
  })
})
