import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import * as express from '../../../adapters/http/express.ts'
import { receiveWebhooks as fastifyPlugin } from '../../../adapters/http/fastify.ts'
import * as fetch from '../../../adapters/http/fetch.ts'
import * as koa from '../../../adapters/http/koa.ts'
import * as lambda from '../../../adapters/http/lambda.ts'
import * as node from '../../../adapters/http/node.ts'
import { createReceiver } from '../../../src/index.ts'

const clientId = 'a-client'
const receiver = createReceiver({ clientId })
const NO_RECEIVER = '"receiver" must be a receiver, such as one created with createReceiver()'
const NO_PATH = '"path" option must begin with a slash, such as /webhooks'

type Mount = (...args: unknown[]) => unknown

describe.each(Object.entries({ express, fetch, koa, lambda, node }))('payhook/%s', (_name, adapter) => {
  const mount = adapter.receiveWebhooks as Mount

  it.each([[], [undefined], [{ clientId }], ['/webhooks']])('rejects %j instead of a receiver', (...args) => {
    expect(() => mount(...args)).toThrow(new TypeError(NO_RECEIVER))
  })
})

describe.each(Object.entries({ express, fetch, lambda, node }))('payhook/%s', (_name, adapter) => {
  it.each([{ path: '/webhooks' }, '/webhooks'])('rejects %j as a second argument', (other) => {
    const message = 'receiveWebhooks() takes a receiver and no other argument'
    expect(() => (adapter.receiveWebhooks as Mount)(receiver, other)).toThrow(new TypeError(message))
  })
})

describe('payhook/koa', () => {
  it.each([
    [{ path: 'webhooks' }, NO_PATH],
    [{ path: '' }, NO_PATH],
    [{ path: process.env.PAYHOOK_UNSET }, NO_PATH],
    [{ route: '/webhooks' }, '"route" is not an option; the options are path'],
    ['/webhooks', 'receiveWebhooks(options): options must be an object'],
    [null, 'receiveWebhooks(options): options must be an object'],
  ])('rejects the options %j', (options, message) => {
    expect(() => (koa.receiveWebhooks as Mount)(receiver, options)).toThrow(new TypeError(message))
  })
})

describe('payhook/fastify', () => {
  it.each([
    [{ path: '/' }, NO_RECEIVER],
    [{ receiver: { clientId }, path: '/' }, NO_RECEIVER],
    [{ receiver }, NO_PATH],
    [{ receiver, path: 'webhooks' }, NO_PATH],
    [{ receiver, path: '/', url: '/' }, '"url" is not an option; the options are receiver, path,'],
  ])('rejects %j when it is registered', async (options, message) => {
    const app = fastify()
    app.register(fastifyPlugin, options as never)
    await expect(app.ready()).rejects.toThrow(message)
  })

  it("accepts Fastify's own options of register()", async () => {
    const app = fastify()
    app.register(fastifyPlugin, { receiver, path: '/in', prefix: '/hooks', logLevel: 'warn' })
    await app.ready()
    expect(app.hasRoute({ method: 'POST', url: '/hooks/in' })).toBe(true)
    await app.close()
  })
})

describe('every function of every adapter, in every framework', () => {
  const RIGHT = [
    'express: receiveWebhooks of express',
    'express: verifyWebhook of express',
    // Express's requests are Node's.
    'express: receiveWebhooks of node',
    'express 4, which ignores promises: receiveWebhooks of express',
    'express 4, which ignores promises: verifyWebhook of express',
    'express 4, which ignores promises: receiveWebhooks of node',
    'node: receiveWebhooks of express',
    'node: receiveWebhooks of node',
    'koa: receiveWebhooks of koa',
    'koa: verifyWebhook of koa',
    'fastify, as a plugin: receiveWebhooks of fastify',
    'fastify, as a preParsing hook: verifyWebhook of fastify',
    'fetch: receiveWebhooks of fetch',
    'lambda: receiveWebhooks of lambda',
  ]

  it('works if it is mounted rightly, fails if not, and never ends the process', async () => {
    const file = fileURLToPath(new URL('mount-everything.ts', import.meta.url))
    // Rejects if the process fails.
    const { stdout } = await promisify(execFile)(process.execPath, [file])
    const { results, warnings } = JSON.parse(stdout)
    const wrong = Object.keys(results).filter((name) => !RIGHT.includes(name))
    const expected = Object.fromEntries([
      ...RIGHT.map((name) => [name, '200,401']),
      ...wrong.map((name) => [name, expect.stringMatching(/^500,500$|Error/)]),
    ])
    expect(results).toEqual(expected)
    // Once per cause.
    expect(warnings).toEqual(['adapter_misplaced', 'receiver_failed'])
  })
})
