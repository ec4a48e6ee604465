import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import * as zodMini from 'zod/mini'
import * as expressAdapter from '../../adapters/http/express.ts'
import * as fastifyAdapter from '../../adapters/http/fastify.ts'
import * as fetchAdapter from '../../adapters/http/fetch.ts'
import * as koaAdapter from '../../adapters/http/koa.ts'
import * as lambdaAdapter from '../../adapters/http/lambda.ts'
import * as nodeAdapter from '../../adapters/http/node.ts'
import {
  createReceiver,
  type PaymentData,
  parse,
  paymentDataSchema,
  type Receiver,
  verifyAndParse,
  type Webhook,
  type WebhookEvent,
} from '../../src/index.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'

describe('custom kinds', () => {
  const kinds = {
    VBA_TRANSACTION: z.object({ id: z.string(), at: z.coerce.date() }),
    PAYMENT_STATUS_UPDATED: paymentDataSchema,
    INBOUND_PAYMENT_STATUS_UPDATED: zodMini.array(zodMini.number()),
  }
  type OwnData = z.output<typeof kinds.VBA_TRANSACTION>

  it('narrow in handlers, and replace known kinds', () => {
    const receiver = createReceiver({ clientId: 'a', kinds })
    expectTypeOf(receiver).toEqualTypeOf<Receiver<typeof kinds>>()
    receiver
      .on('VBA_TRANSACTION', (event) => {
        expectTypeOf(event).toEqualTypeOf<{ readonly type: 'VBA_TRANSACTION'; readonly data: OwnData }>()
      })
      .on('PAYMENT_STATUS_UPDATED', (event) => {
        expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
      })
      .on('INBOUND_PAYMENT_STATUS_UPDATED', (event) => {
        expectTypeOf(event.data).toEqualTypeOf<number[]>()
      })
      .on('OUTBOUND_PAYMENT_STATUS_UPDATED', (event) => {
        expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
      })
      .onAny((event) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent<typeof kinds>>()
        if (event.type === 'VBA_TRANSACTION') expectTypeOf(event.data).toEqualTypeOf<OwnData>()
        if (event.type === 'UNRECOGNIZED') expectTypeOf(event.kind).toEqualTypeOf<string>()
      })
      // @ts-expect-error: unknown type
      .on('PAYMENT', () => {})
    // @ts-expect-error: not a schema
    createReceiver({ clientId: 'a', kinds: { NEW: 5 } })
  })

  it('narrow parsed events', () => {
    const options = { clientId: 'a', kinds }
    type Event = WebhookEvent<typeof kinds>
    expectTypeOf(parse('', { kinds })).toEqualTypeOf<Event>()
    expectTypeOf(parse('')).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(verifyAndParse({ ...options, body: '', signature: '' })).toEqualTypeOf<Event>()
    expectTypeOf(nodeAdapter.verifyWebhook(options)).returns.resolves.toEqualTypeOf<Webhook<typeof kinds>>()
    expectTypeOf(fetchAdapter.verifyWebhook(options)).returns.resolves.toEqualTypeOf<Webhook<typeof kinds>>()
    expectTypeOf(lambdaAdapter.verifyWebhook(options)).returns.resolves.toEqualTypeOf<Webhook<typeof kinds>>()
  })

  it('work with every adapter', () => {
    const options = { clientId: 'a', kinds }
    // What receiveWebhooks of each takes.
    expectTypeOf(createReceiver(options)).toExtend<AnyReceiver>()
    express().post('/', expressAdapter.verifyWebhook(options), (request) => {
      const event = request.webhook?.event as WebhookEvent<typeof kinds>
      if (event.type === 'VBA_TRANSACTION') expectTypeOf(event.data).toEqualTypeOf<OwnData>()
    })
    new Koa().use(koaAdapter.verifyWebhook(options))
    fastify().addHook('preParsing', fastifyAdapter.verifyWebhook(options))
  })
})
