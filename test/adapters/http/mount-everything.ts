// Mounts both functions of every adapter in every framework, rightly and wrongly, and prints the statuses of a
// genuine and of a forged request. Whatever a request causes, this process has to reach its end.

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import * as expressAdapter from '../../../adapters/http/express.ts'
import * as fastifyAdapter from '../../../adapters/http/fastify.ts'
import * as fetchAdapter from '../../../adapters/http/fetch.ts'
import * as koaAdapter from '../../../adapters/http/koa.ts'
import * as lambdaAdapter from '../../../adapters/http/lambda.ts'
import * as nodeAdapter from '../../../adapters/http/node.ts'
import { createReceiver } from '../../../src/index.ts'
import { clients, fixture } from '../../fixture-cases.ts'

const clientId = clients.default
const { body, signature } = fixture('outbound-payment-inline')
const receiver = createReceiver({ clientId, logger: { warn() {}, error() {} } })

const ADAPTERS = {
  express: expressAdapter,
  fastify: fastifyAdapter,
  fetch: fetchAdapter,
  koa: koaAdapter,
  lambda: lambdaAdapter,
  node: nodeAdapter,
}

type Handler = (...args: unknown[]) => unknown
type Listening = ReturnType<typeof createServer>

async function started(app: FastifyInstance): Promise<Listening> {
  await app.ready()
  return app.server
}

/** Whatever comes after a middleware responds with 200. */
const FRAMEWORKS: Readonly<Record<string, (handler: never) => Listening | Promise<Listening>>> = {
  express: (handler) => createServer(express().use(handler, (_request, response) => void response.send())),
  'express 4, which ignores promises': (handler: Handler) =>
    createServer(
      express().use(
        (...args) => void handler(...args),
        (_request, response) => void response.send(),
      ),
    ),
  node: (handler: RequestListener) => createServer(handler),
  koa: (handler) =>
    createServer(
      Object.assign(new Koa(), { silent: true })
        .use(handler)
        .use((context) => {
          context.status = 200
        })
        .callback(),
    ),
  'fastify, as a handler': (handler) => started(fastify().post('/', handler)),
  'fastify, as a plugin': (handler) => started(fastify().register(handler, { receiver, path: '/' } as never)),
  'fastify, as a preParsing hook': (handler) =>
    started(fastify().post('/', { preParsing: handler }, async () => 'ok')),
  'fastify, as an onRequest hook': (handler) =>
    started(fastify().post('/', { onRequest: handler }, async () => 'ok')),
  hono: (handler) =>
    createAdaptorServer(new Hono().onError((_, c) => c.text('', 500)).post('/', handler)) as never,
  fetch: (handler) => createAdaptorServer({ fetch: handler }) as never,
  lambda: (handler: Handler) =>
    createServer(async (request, response) => {
      const text = Buffer.concat(await Array.fromAsync(request)).toString()
      const { promise, resolve, reject } = Promise.withResolvers<{ statusCode: number }>()
      const event = {
        requestContext: { http: { method: 'POST' } },
        rawPath: '/',
        headers: request.headers,
        body: text,
      }
      const settle = (error: unknown, result?: unknown) => (error ? reject(error) : resolve(result as never))
      Promise.resolve(handler(event, {}, settle)).then(resolve as never, reject)
      const { statusCode = 200 } = await promise.catch(() => ({ statusCode: 500 }))
      response.writeHead(statusCode).end()
    }),
}

async function statusOf(port: number, header: string): Promise<unknown> {
  const request = {
    method: 'POST',
    body,
    headers: { 'access-signature': header, 'content-type': 'application/json' },
  }
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    ...request,
    signal: AbortSignal.timeout(5_000),
  })
  await response.text()
  return response.status
}

async function statusesOf(mount: () => Listening | Promise<Listening>): Promise<unknown> {
  try {
    const server = (await mount()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const statuses = [await statusOf(port, String(signature)), await statusOf(port, '0'.repeat(64))]
    server.closeAllConnections()
    server.close()
    return statuses.join()
  } catch (error) {
    return String(error)
  }
}

const warnings: unknown[] = []
process.on('warning', (warning: Error & { code?: string }) => warnings.push(warning.code))

const results: Record<string, unknown> = {}
for (const [framework, mount] of Object.entries(FRAMEWORKS)) {
  for (const [name, adapter] of Object.entries(ADAPTERS)) {
    const receiveWebhooks = adapter.receiveWebhooks as Handler
    const receive = name === 'fastify' ? receiveWebhooks : receiveWebhooks(receiver)
    const verify = adapter.verifyWebhook({ clientId })
    results[`${framework}: receiveWebhooks of ${name}`] = await statusesOf(() => mount(receive as never))
    results[`${framework}: verifyWebhook of ${name}`] = await statusesOf(() => mount(verify as never))
  }
}
const rejecting = nodeAdapter.receiveWebhooks({ receive: () => Promise.reject(new Error('of a wrapper')) })
results['a wrapper that rejects'] = await statusesOf(() =>
  createServer((request, response) => rejecting(request, response)),
)
process.stdout.write(JSON.stringify({ results, warnings }))
process.exit()
