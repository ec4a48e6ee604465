import type { ErrorRequestHandler, RequestHandler } from 'express'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/express.ts'
import { verifyingExpress } from '../../../fuzz/verifying-mounts.ts'
import { createReceiver, type Receiver } from '../../../src/index.ts'
import { describeHttpAdapter } from '../../contracts/http-adapter-suite.ts'
import { listen, listening, mount } from '../../contracts/listen.ts'
import { sendRequest } from '../../contracts/send-request.ts'
import { throwing } from '../../contracts/throwing.ts'
import { clients, fixture } from '../../fixture-cases.ts'

const behind = (parser: RequestHandler) => (receiver: Receiver) =>
  listen(express().use(parser).all('/', receiveWebhooks(receiver)))

describeHttpAdapter({
  name: 'payhook/express',
  streams: true,
  receiving: (receiver) => listen(express().all('/', receiveWebhooks(receiver))),
  verifying: (options, handle) => listening(verifyingExpress(options, handle)),
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
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }
  const verify = verifyWebhook({ clientId: clients.default })

  /** An application whose error handler notes the errors, and responds 503. */
  async function mountNoting(...handlers: RequestHandler[]) {
    const errors: unknown[] = []
    const noting: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error)
      response.sendStatus(503)
    }
    return {
      port: await mount(
        express()
          .post('/', ...handlers)
          .use(noting),
      ),
      errors,
    }
  }

  it('checks the full URL below a mounted router', async () => {
    const receiver = createReceiver({ clientId: clients.default, callbackToken: 'a-secret-of-16-or-more' })
    const router = express.Router().post('/in', receiveWebhooks(receiver))
    const port = await mount(express().use('/hooks', router))
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
    // Express 4 ignores the promise.
    const { port, errors } = await mountNoting((...args) => void receiveWrapped(...args))
    expect((await sendRequest(port, {})).status).toBe(503)
    expect(errors).toMatchObject([{ message: 'of a wrapper' }])
  })

  it('does not go on if a schema throws undefined, which is no error to Express', async () => {
    const validate = throwing(undefined)
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as const
    const kinds = { OUTBOUND_PAYMENT_STATUS_UPDATED: schema }
    const { port, errors } = await mountNoting(
      verifyWebhook({ clientId: clients.default, kinds }),
      (_request, response) => void response.sendStatus(200),
    )
    expect((await sendRequest(port, { headers, body })).status).toBe(503)
    expect(errors).toHaveLength(1)
  })

  it('ignores errors of later middleware', async () => {
    const { port, errors } = await mountNoting(verify, throwing(new Error('of the application')))
    expect((await sendRequest(port, { headers, body })).status).toBe(503)
    expect(errors).toMatchObject([{ message: 'of the application' }])
  })

  it('leaves no unread body for a later body parser', async () => {
    const app = express().post('/', verify, express.json(), (request, response) => {
      // What remains of the headers can be passed on.
      const values = Object.values(request.headers)
      response.json({ type: request.webhook?.event.type, isWhole: !values.includes(undefined) })
    })
    const port = await mount(app)
    const sent = { headers: { ...headers, 'content-type': 'application/json' }, body }
    const json = { type: 'OUTBOUND_PAYMENT_STATUS_UPDATED', isWhole: true }
    expect(await sendRequest(port, sent)).toMatchObject({ status: 200, json })
  })

  it.each([express.json({ strict: false }), express.text({ type: '*/*' })])(
    'does not accept the text inside a JSON string for the body',
    async (parser) => {
      const server = await behind(parser)(createReceiver({ clientId: clients.default }))
      const { status } = await sendRequest(server.port, {
        headers: { ...headers, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(String(body))),
      })
      expect(status).toBeGreaterThanOrEqual(400)
      await server.close()
    },
  )

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
