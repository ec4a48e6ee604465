import type { Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, it } from 'vitest'
import * as onExpress from '../../adapters/http/express.ts'
import * as onFastify from '../../adapters/http/fastify.ts'
import * as onFetch from '../../adapters/http/fetch.ts'
import * as onKoa from '../../adapters/http/koa.ts'
import * as onLambda from '../../adapters/http/lambda.ts'
import * as onNode from '../../adapters/http/node.ts'
import { createReceiver, type Receiver } from '../../src/index.ts'
import { checkReceiver } from '../../src/testing/index.ts'
import { listen, listening } from '../contracts/listen.ts'

const clientId = 'check-client-id'
const callbackToken = 'check-callback-token'

/** A function behind a function URL. */
function lambda(receiver: Receiver) {
  const handle = onLambda.receiveWebhooks(receiver)
  return listen(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const { pathname, search } = new URL(`http://localhost${request.url}`)
    const {
      statusCode,
      headers,
      body: text,
    } = await handle({
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: request.headers as Record<string, string>,
      requestContext: { http: { method: request.method ?? '', path: pathname } },
      body: body.toString('base64'),
      isBase64Encoded: true,
    })
    response.writeHead(statusCode, headers).end(text)
  })
}

const SERVERS: Record<string, (receiver: Receiver) => Promise<{ port: number; close(): unknown }>> = {
  node: (receiver) => listen(onNode.receiveWebhooks(receiver)),
  express: (receiver) => listen(express().all('/', onExpress.receiveWebhooks(receiver))),
  koa: (receiver) =>
    listen(Object.assign(new Koa(), { silent: true }).use(onKoa.receiveWebhooks(receiver)).callback()),
  fetch: (receiver) => {
    const receive = onFetch.receiveWebhooks(receiver)
    const { fetch } = new Hono().all('/', (context) => receive(context.req.raw))
    return listening(createAdaptorServer({ fetch }) as NodeServer)
  },
  lambda,
  async fastify(receiver) {
    const app = fastify({ forceCloseConnections: true })
    app.register(onFastify.receiveWebhooks, { receiver, path: '/' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
  },
}

/** What an adapter can change. The rest is the receiver's, and is checked on node:http only. */
const OF_ADAPTERS = [
  ...['spaces-around', 'utf-8', 'megabyte', 'no-limit', 'lowercase-header', 'charset', 'chunked', 'pieces'],
  ...['forged-types', 'forged-methods', 'forged-paths', 'forged-chunked', 'forged-megabyte'],
  ...['body-truncated', 'signature-empty', 'signature-not-ascii', 'signature-twice', 'callback-token'],
  ...['keep-alive', 'genuine-beside-forged', 'stalled-sender', 'get', 'unsigned-empty', 'not-utf-8'],
  ...['in-the-end', 'reveals-secret'],
]

it.concurrent.each(Object.entries(SERVERS))(
  'finds nothing in a receiver of payhook on %s',
  async (name, open) => {
    const logger = { warn() {}, error() {} }
    const { port, close } = await open(createReceiver({ clientId, callbackToken, logger }))
    const url = `http://127.0.0.1:${port}/?token=${callbackToken}`
    const only = name === 'node' ? undefined : OF_ADAPTERS
    const report = await checkReceiver({ url, clientId, clientSecret: 'check-client-secret', only })
    await close()
    const notPassed = report.results.filter(({ outcome }) => outcome !== 'passed')
    // A slow machine is no finding. The other one needs a URL without a token.
    const others = ['response-time', 'no-callback-token']
    expect(notPassed.filter(({ id }) => !others.includes(id))).toEqual([])
  },
)
