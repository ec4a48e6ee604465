// Mounts payhook in the oldest versions of its peer ranges, and sends each a valid, a tampered and an empty
// request.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import bodyParser from 'koa-bodyparser'
import express from 'oldest-express'
import fastify from 'oldest-fastify'
import Koa from 'oldest-koa'
import { createReceiver } from 'payhook'
import * as expressAdapter from 'payhook/express'
import * as fastifyAdapter from 'payhook/fastify'
import * as koaAdapter from 'payhook/koa'
import { createNotification } from 'payhook/testing'

const clientId = 'a-client'
const callbackToken = 'a-callback-token'
const { body, headers } = createNotification('VBA_TRANSACTION', { clientId })

async function check(name, server, verifiedType) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${server.address().port}`
  const post = async (path, init) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      signal: AbortSignal.timeout(60_000),
      ...init,
    })
    return [response.status, await response.json()]
  }
  assert.deepEqual(await post(`/in?token=${callbackToken}`, { headers, body }), [200, { received: true }])
  assert.equal((await post('/in?token=wrong', { headers, body }))[1].code, 'callback_token_mismatch')
  assert.equal(
    (await post(`/in?token=${callbackToken}`, { headers, body: `${body} ` }))[1].code,
    'signature_mismatch',
  )
  assert.equal((await post(`/in?token=${callbackToken}`, { body: '' }))[1].code, 'signature_missing')
  assert.deepEqual(await post('/verify', { headers, body }), [200, { type: verifiedType }])
  server.close()
  server.closeAllConnections()
  console.log(`ok      ${name}`)
}

const receiver = createReceiver({ clientId, callbackToken })

const expressApp = express()
expressApp.post('/in', expressAdapter.receiveWebhooks(receiver))
// A body parser after verifyWebhook must neither fail nor wait, although the body is already read.
expressApp.post(
  '/verify',
  expressAdapter.verifyWebhook({ clientId }),
  express.json(),
  (request, response) => {
    response.json({ type: request.webhook.event.type })
  },
)
await check('Express 4.17', createServer(expressApp), 'VBA_TRANSACTION')

const koaApp = new Koa()
koaApp.use(koaAdapter.receiveWebhooks(receiver, { path: '/in' }))
koaApp.use(koaAdapter.verifyWebhook({ clientId }))
koaApp.use(bodyParser())
koaApp.use((context) => {
  context.body = { type: context.state.webhook.event.type }
})
await check('Koa 2.13', createServer(koaApp.callback()), 'VBA_TRANSACTION')

const fastifyApp = fastify()
fastifyApp.register(fastifyAdapter.receiveWebhooks, { receiver, path: '/in' })
fastifyApp.post('/verify', { preParsing: fastifyAdapter.verifyWebhook({ clientId }) }, async (request) => ({
  type: request.webhook.event.type,
}))
await fastifyApp.ready()
await check('Fastify 4.0', fastifyApp.server, 'VBA_TRANSACTION')
