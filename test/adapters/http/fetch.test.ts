import type { Server as NodeServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { receiveWebhooks, verifyWebhook } from '../../../adapters/http/fetch.ts'
import { createReceiver, isPayhookError } from '../../../src/index.ts'
import { describeHttpAdapter, type Server } from '../../contracts/http-adapter-suite.ts'
import { listening } from '../../contracts/listen.ts'
import { clients, fixture } from '../../fixture-cases.ts'

type Answer = (request: Request) => Response | Promise<Response>

/** Hono, the most used of the frameworks that speak Request and Response, on Node. */
function listen(answer: Answer): Promise<Server> {
  const app = new Hono().all('/', (context) => answer(context.req.raw))
  return listening(createAdaptorServer({ fetch: app.fetch }) as NodeServer)
}

describeHttpAdapter({
  name: 'payhook/fetch',
  streams: true,
  answering: (receiver) => listen(receiveWebhooks(receiver)),
  verifying(options) {
    const verify = verifyWebhook(options)
    return listen(async (request) => {
      try {
        const { event, context } = await verify(request)
        return Response.json({ type: event.type, clientId: context.clientId })
      } catch (error) {
        if (!isPayhookError(error)) throw error
        return Response.json({ code: error.code }, { status: error.status })
      }
    })
  },
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
  const { body, signature } = fixture('outbound-payment-stringified')
  const headers = { 'access-signature': String(signature) }

  it('lets go of the stream of a body that is too long', async () => {
    const answer = receiveWebhooks(createReceiver({ clientId: clients.default, maxBodyBytes: 10 }))
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel: () => {
        cancelled = true
      },
    })
    const request = new Request('http://localhost/', {
      method: 'POST',
      body: endless,
      duplex: 'half',
    } as RequestInit)
    expect((await answer(request)).status).toBe(413)
    expect(cancelled).toBe(true)
  })

  it('answers a body that somebody else is reading', async () => {
    for (const declared of [{}, { 'content-length': String(body.length) }]) {
      const request = new Request('http://localhost/', {
        method: 'POST',
        headers: { ...headers, ...declared },
        body,
      })
      request.body?.getReader()
      const response = await receiveWebhooks(createReceiver({ clientId: clients.default }))(request)
      expect(await response.json()).toMatchObject({ code: 'body_consumed' })
    }
  })

  it('takes no body for an empty one', async () => {
    const request = new Request('http://localhost/', { method: 'POST' })
    const response = await receiveWebhooks(createReceiver({ clientId: clients.default }))(request)
    expect(await response.json()).toMatchObject({ code: 'signature_missing' })
  })
})
