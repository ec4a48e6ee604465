import { createServer } from 'node:http'
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import express from 'express'
import fastify from 'fastify'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import Koa from 'koa'
import { Pool } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import * as expressAdapter from '../adapters/http/express.ts'
import * as fastifyAdapter from '../adapters/http/fastify.ts'
import * as koaAdapter from '../adapters/http/koa.ts'
import type * as lambdaAdapter from '../adapters/http/lambda.ts'
import * as nodeAdapter from '../adapters/http/node.ts'
import { createBullmqInbox } from '../adapters/inbox/bullmq/bullmq-inbox.ts'
import { createPostgresInbox } from '../adapters/inbox/postgres/postgres-inbox.ts'
import { createSqliteInbox } from '../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Inbox } from '../src/index.ts'
import {
  type AccountData,
  type Amount,
  type AnyPayhookError,
  type accountDataSchema,
  type amountSchema,
  createReceiver,
  type EventKind,
  type InboxErrorCode,
  type InvoiceData,
  InvoiceStatus,
  type Issue,
  type invoiceDataSchema,
  isPayhookError,
  type JsonValue,
  type PayloadErrorCode,
  type PaymentData,
  PaymentStatus,
  paymentDataSchema,
  type Receiver,
  type ReceiverInbox,
  type RefundTransaction,
  type refundTransactionSchema,
  type SignatureErrorCode,
  type Transaction,
  type transactionSchema,
  type Webhook,
  type WebhookEvent,
} from '../src/index.ts'

declare const event: WebhookEvent
declare const receiver: Receiver

describe('WebhookEvent', () => {
  it('narrows by type', () => {
    switch (event.type) {
      case 'ACCOUNT_STATUS_UPDATED':
        expectTypeOf(event.data).toEqualTypeOf<AccountData>()
        expectTypeOf(event.data.id).toEqualTypeOf<string>()
        break
      case 'INBOUND_PAYMENT_STATUS_UPDATED':
      case 'OUTBOUND_PAYMENT_STATUS_UPDATED':
      case 'PAYMENT_STATUS_UPDATED':
        expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
        expectTypeOf(event.data.invoiceId).toEqualTypeOf<string | null | undefined>()
        expectTypeOf(event.data.amount?.number).toEqualTypeOf<string | undefined>()
        expectTypeOf(event.data.refundTxn?.id).toEqualTypeOf<string | undefined>()
        expectTypeOf(event.data.refundTxn?.errorCode).toEqualTypeOf<string | number | null | undefined>()
        break
      case 'INBOUND_INVOICE_STATUS_UPDATED':
      case 'OUTBOUND_INVOICE_STATUS_UPDATED':
        expectTypeOf(event.data).toEqualTypeOf<InvoiceData>()
        expectTypeOf(event.data.dueDate).toEqualTypeOf<string | number | null | undefined>()
        break
      case 'UNRECOGNIZED':
        expectTypeOf(event.kind).toEqualTypeOf<string>()
        expectTypeOf(event.issues).toEqualTypeOf<readonly Issue[]>()
        expectTypeOf(event.data).toEqualTypeOf<JsonValue>()
        break
      default:
        expectTypeOf(event.data).toEqualTypeOf<JsonValue>()
        expectTypeOf(event.type).toEqualTypeOf<
          | 'VBA_ACCOUNT_STATUS_UPDATED'
          | 'VBA_TRANSACTION'
          | 'VIRTUAL_CARD_APPLICATION_STATUS_UPDATED'
          | 'VIRTUAL_CARD_BALANCE_UPDATED'
          | 'VIRTUAL_CARD_TRANSACTION'
        >()
    }
  })

  it('accepts any status and autocompletes the known ones', () => {
    expectTypeOf<'Complete'>().toExtend<PaymentData['status']>()
    expectTypeOf<'OnHold'>().toExtend<PaymentData['status']>()
    expectTypeOf<number>().not.toExtend<PaymentData['status']>()
  })

  it('has constants of the known statuses', () => {
    expectTypeOf(PaymentStatus.Complete).toEqualTypeOf<'Complete'>()
    expectTypeOf(InvoiceStatus.MarkAsPaid).toEqualTypeOf<'MarkAsPaid'>()
    // @ts-expect-error: misspelled
    PaymentStatus.Completed
  })

  it('does not let the earlier kind be registered', () => {
    expectTypeOf<'PAYMENT_STATUS_UPDATED'>().not.toExtend<EventKind>()
  })

  it('has only the fields that the schemas have', () => {
    expectTypeOf<z.output<typeof accountDataSchema>>().toEqualTypeOf<AccountData>()
    expectTypeOf<z.output<typeof amountSchema>>().toEqualTypeOf<Amount>()
    expectTypeOf<z.output<typeof invoiceDataSchema>>().toEqualTypeOf<InvoiceData>()
    expectTypeOf<z.output<typeof paymentDataSchema>>().toEqualTypeOf<PaymentData>()
    expectTypeOf<z.output<typeof transactionSchema>>().toEqualTypeOf<Transaction>()
    expectTypeOf<z.output<typeof refundTransactionSchema>>().toEqualTypeOf<RefundTransaction>()
    if (event.type !== 'INBOUND_PAYMENT_STATUS_UPDATED') return
    // @ts-expect-error: misspelled
    event.data.staus
    // @ts-expect-error: misspelled
    event.data.amount?.curency
    // @ts-expect-error: misspelled
    paymentDataSchema.parse({}).staus
    if ('newField' in event.data) expectTypeOf(event.data.newField).toEqualTypeOf<unknown>()
  })

  it('is narrowed in the handler of a type', () => {
    receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', (event) => {
      expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
    })
    receiver.on('UNRECOGNIZED', (event) => {
      expectTypeOf(event.kind).toEqualTypeOf<string>()
    })
    receiver.onAny((event) => {
      expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
    })
    receiver.on('PAYMENT_STATUS_UPDATED', (event) => {
      expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
    })
    // @ts-expect-error: unknown type
    receiver.on('PAYMENT', () => {})
  })
})

it('options are checked', () => {
  createReceiver({ clientId: ['a', 'b'], callbackToken: 'x', logger: console })
  // @ts-expect-error: the client id is required
  createReceiver({})
  // @ts-expect-error: not an option
  createReceiver({ clientId: 'a', clientID: 'b' })
})

it('errors narrow by code to their class', () => {
  const error: unknown = undefined
  if (!isPayhookError(error)) return
  expectTypeOf(error).toEqualTypeOf<AnyPayhookError>()
  switch (error.code) {
    case 'signature_missing':
    case 'signature_malformed':
    case 'signature_mismatch':
      expectTypeOf(error.code).toExtend<SignatureErrorCode>()
      break
    case 'payload_not_utf8':
    case 'payload_not_json':
    case 'envelope_invalid':
      expectTypeOf(error.code).toExtend<PayloadErrorCode>()
      break
    case 'inbox_unavailable':
    case 'inbox_misconfigured':
    case 'inbox_too_new':
    case 'entry_not_found':
    case 'entry_active':
      expectTypeOf(error.code).toExtend<InboxErrorCode>()
  }
})

it("adapters fit the frameworks' own types", () => {
  const options = { clientId: 'a' }
  express().post('/', expressAdapter.receiveWebhooks(receiver))
  express().post('/', expressAdapter.verifyWebhook(options), (request) => {
    expectTypeOf(request.webhook).toEqualTypeOf<Webhook | undefined>()
  })
  new Koa().use(koaAdapter.receiveWebhooks(receiver, { path: '/' })).use(koaAdapter.verifyWebhook(options))
  createServer(nodeAdapter.receiveWebhooks(receiver))
  createServer(async (request) => {
    expectTypeOf(await nodeAdapter.verifyWebhook(options)(request)).toEqualTypeOf<Webhook>()
  })
  const app = fastify()
  app.register(fastifyAdapter.receiveWebhooks, { receiver, path: '/' })
  app.addHook('preParsing', fastifyAdapter.verifyWebhook(options))
  app.post('/', { preParsing: fastifyAdapter.verifyWebhook(options) }, async (request) => {
    expectTypeOf(request.webhook).toEqualTypeOf<Webhook | undefined>()
  })
  expectTypeOf<APIGatewayProxyEvent>().toExtend<lambdaAdapter.LambdaEvent>()
  expectTypeOf<APIGatewayProxyEventV2>().toExtend<lambdaAdapter.LambdaEvent>()
  expectTypeOf<ALBEvent>().toExtend<lambdaAdapter.LambdaEvent>()
})

describe('inboxes', () => {
  it('are accepted by a receiver', () => {
    const inboxes = [createSqliteInbox, createBullmqInbox, createPostgresInbox].map((create) =>
      create({} as never),
    )
    expectTypeOf(inboxes).toEqualTypeOf<Inbox[]>()
    const [inbox] = inboxes
    createReceiver({ clientId: 'a', inbox })
    expectTypeOf<Inbox>().toExtend<ReceiverInbox>()
    expectTypeOf<Inbox['oneAtATime']>().toEqualTypeOf<boolean>()
  })

  it('give handlers what the current option reads', () => {
    const current = async () => ({ status: 'Complete' })
    const reading = createReceiver({ clientId: 'a', current })
    expectTypeOf(reading).toEqualTypeOf<Receiver<Record<never, never>, undefined, { status: string }>>()
    reading.on('INBOUND_PAYMENT_STATUS_UPDATED', (event, { current, tx }) => {
      expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
      expectTypeOf(current.status).toEqualTypeOf<string>()
      expectTypeOf(tx).toEqualTypeOf<undefined>()
    })
    receiver.onAny((_event, { current }) => expectTypeOf(current).toEqualTypeOf<undefined>())
  })

  it("fit the engines' own types", () => {
    createBullmqInbox({ connection: new Redis() })
    createBullmqInbox({ connection: {} as RedisOptions })
    createBullmqInbox({ connection: new Cluster([]), prefix: '{payhook}' })
    createPostgresInbox({ pool: new Pool() })
  })
})
