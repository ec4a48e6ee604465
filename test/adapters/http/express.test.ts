import type { ErrorRequestHandler, RequestHandler } from 'express'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/express.ts'
import { createReceiver, isPayhookError, type Receiver } from '../../../src/index.ts'
import { describeHttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { listen, mount } from '../../contracts/listen.ts'
import { sendRequest, startRequest } from '../../contracts/send-request.ts'
import { throwing } from '../../contracts/throwing.ts'
import { clients, fixture } from '../../fixture-cases.ts'

const behind = (parser: RequestHandler) => (receiver: Receiver) =>
  listen(express().use(parser).all('/', receiveWebhooks(receiver)))

const toCode: ErrorRequestHandler = (error, _request, response, next) => {
  if (isPayhookError(error)) response.status(error.status).json({ code: error.code })
  else next(error)
}

describeHttpAdapter({
  name: 'payhook/express',
  streams: true,
  receiving: (receiver) => listen(express().all('/', receiveWebhooks(receiver))),
  verifying: (options) =>
    listen(
      express()
        .all('/', verifyWebhook(options), (request, response) => {
          const { event, context } = request.webhook as NonNullable<typeof request.webhook>
          response.json({ type: event.type, clientId: context.clientId })
        })
        .use(toCode),
    ),
  consumed: { fix: /before app\.use\(express\.json\(\)\)/, mount: behind(express.json()) },
  paused: behind((request, _response, next) => {
    request.pause()
    next()
  }),
  kept: {
    'req.body by express.raw': behind(express.raw({ type: '*/*' })),
    'req.body by express.text': behind(express.text({ type: '*/*' })),
    'req.rawBody by a verify hook': behind(
      express.json({ verify: (request, _response, buffer) => Object.assign(request, { rawBody: buffer }) }),
    ),
  },
})

describe('payhook/express', () => {
  it('checks the full URL below a mounted router', async () => {
    const receiver = createReceiver({ clientId: clients.default, callbackToken: 'a-secret-of-16-or-more' })
    const router = express.Router().post('/in', receiveWebhooks(receiver))
    const port = await mount(express().use('/hooks', router))
    const { body, signature } = fixture('outbound-payment-stringified')
    const headers = { 'access-signature': String(signature) }
    const { status } = await sendRequest(port, {
      path: '/hooks/in?token=a-secret-of-16-or-more',
      headers,
      body,
    })
    expect(status).toBe(200)
  })

  it.each([
    ['throws', throwing(new Error('of a wrapper'))],
    ['rejects', () => Promise.reject(new Error('of a wrapper'))],
  ])('passes on the error of a wrapped receiver that %s, in Express 4, too', async (_how, receive) => {
    const receiveWrapped = receiveWebhooks({ receive })
    const app = express()
    // Express 4 ignores the promise.
    app.use((request, response, next) => void receiveWrapped(request, response, next))
    app.use(((error, _request, response, _next) => {
      response.status(503).json({ message: error.message })
    }) satisfies ErrorRequestHandler)
    const port = await mount(app)
    const received = await sendRequest(port, {})
    expect(received).toMatchObject({ status: 503, json: { message: 'of a wrapper' } })
  })

  it('does not go on if a schema throws undefined, which is no error to Express', async () => {
    const validate = throwing(undefined)
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as const
    const { body, signature } = fixture('outbound-payment-stringified')
    const app = express()
    const kinds = { OUTBOUND_PAYMENT_STATUS_UPDATED: schema }
    const verify = verifyWebhook({ clientId: clients.default, kinds })
    app.post('/', verify, (_request, response) => void response.sendStatus(200))
    app.use(((_error, _request, response, _next) => {
      response.sendStatus(503)
    }) satisfies ErrorRequestHandler)
    const port = await mount(app)
    const received = await sendRequest(port, {
      headers: { 'access-signature': String(signature) },
      body,
    })
    expect(received.status).toBe(503)
  })

  it('ignores errors of later middleware', async () => {
    const app = express()
    app.post('/', verifyWebhook({ clientId: clients.default }), throwing(new Error('of the application')))
    const seen: unknown[] = []
    app.use(((error, _request, response, _next) => {
      seen.push(error)
      response.sendStatus(503)
    }) satisfies ErrorRequestHandler)
    const port = await mount(app)
    const { body, signature } = fixture('outbound-payment-stringified')
    const { status } = await sendRequest(port, {
      headers: { 'access-signature': String(signature) },
      body,
    })
    expect([status, seen]).toMatchObject([503, [{ message: 'of the application' }]])
  })

  it('lets the application respond late to a rejected request', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const app = express().post('/', verifyWebhook({ clientId: clients.default, maxBodyBytes: 10 }))
    app.use((async (error, _request, response, _next) => {
      // Longer than payhook keeps reading a rejected body after the response.
      vi.advanceTimersByTime(1_000)
      response.sendStatus(error.status)
    }) satisfies ErrorRequestHandler)
    const port = await mount(app)
    const request = await startRequest(port, {}, Buffer.alloc(100))
    expect(await request.status).toBe(413)
  })

  it('leaves no unread body for a later body parser', async () => {
    const app = express().post(
      '/',
      verifyWebhook({ clientId: clients.default }),
      express.json(),
      (request, response) => {
        response.json({ type: request.webhook?.event.type })
      },
    )
    const port = await mount(app)
    const { body, signature, expect: expected } = fixture('outbound-payment-stringified')
    const headers = { 'access-signature': String(signature), 'content-type': 'application/json' }
    expect(await sendRequest(port, { headers, body })).toMatchObject({
      status: 200,
      json: { type: expected.type },
    })
  })

  it.each([express.json({ strict: false }), express.text({ type: '*/*' })])(
    'does not accept the text inside a JSON string for the body',
    async (parser) => {
      const server = await behind(parser)(createReceiver({ clientId: clients.default }))
      const { body, signature } = fixture('outbound-payment-stringified')
      const { status } = await sendRequest(server.port, {
        headers: { 'access-signature': String(signature), 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(String(body))),
      })
      expect(status).toBeGreaterThanOrEqual(400)
      await server.close()
    },
  )

  it('leaves headers that can be passed on', async () => {
    const app = express().post('/', verifyWebhook({ clientId: clients.default }), (request, response) => {
      response.json(Object.entries(request.headers).filter(([, value]) => value === undefined))
    })
    const port = await mount(app)
    const { body, signature } = fixture('outbound-payment-stringified')
    const headers = { 'access-signature': String(signature) }
    expect((await sendRequest(port, { headers, body })).json).toEqual([])
  })

  it('explains that a text body has lost its byte order mark', async () => {
    const reasons: string[] = []
    const receiver = createReceiver({ clientId: clients.default })
    receiver.onRejected(({ message }) => reasons.push(message))
    const server = await behind(express.text({ type: '*/*' }))(receiver)
    const { body, signature } = fixture('envelope-byte-order-mark')
    const { status } = await sendRequest(server.port, {
      headers: { 'access-signature': String(signature), 'content-type': 'text/plain' },
      body,
    })
    expect([status, reasons]).toEqual([401, [expect.stringContaining('loses a byte order mark')]])
    await server.close()
  })
})
