import fastify from 'fastify'
import type { PoolClient } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod/mini'
import * as fastifyAdapter from '../../adapters/http/fastify.ts'
import { createPostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import type { Inbox } from '../../src/index.ts'
import {
  createReceiver,
  type Handler,
  type PaymentData,
  type Receiver,
  type ReceiverOptions,
  type RunHandlers,
  type Webhook,
  type WebhookEvent,
} from '../../src/index.ts'
import type { AnyReceiver } from '../../src/receiver/receiver.ts'

interface Tx {
  insert(row: string): Promise<boolean>
}
declare const db: { transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> }
declare const inbox: Inbox

describe('the transaction option', () => {
  const clientId = 'a'

  it('gives the context its transaction', () => {
    const receiver = createReceiver({
      clientId,
      inbox,
      transaction: (run) => db.transaction((tx) => run(tx, (key) => tx.insert(key))),
    })
    expectTypeOf(receiver).toEqualTypeOf<Receiver<Record<never, never>, Tx>>()
    receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', (event, { tx }) => {
      expectTypeOf(event.data).toEqualTypeOf<PaymentData>()
      expectTypeOf(tx).toEqualTypeOf<Tx>()
    })
    receiver
      .onError((_error, webhook) => expectTypeOf(webhook).toEqualTypeOf<Webhook | undefined>())
      .onAny((_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<Tx>())
    expectTypeOf(receiver).toExtend<AnyReceiver>()
  })

  it('is the client of pg, if it is that of an inbox in PostgreSQL', () => {
    const own = createPostgresInbox({ connectionString: 'postgres://localhost' })
    createReceiver({ clientId, inbox: own, transaction: own.transaction }).onAny((_event, { tx }) => {
      expectTypeOf(tx).toEqualTypeOf<PoolClient>()
    })
  })

  it('may be an async function, and one of its own', () => {
    async function inTransaction(run: RunHandlers) {
      const tx = { query: async (sql: string) => sql }
      const ran = await run(tx, async () => true)
      await tx.query('commit')
      return ran
    }
    createReceiver({ clientId, inbox, transaction: inTransaction }).onAny((_event, { tx }) => {
      expectTypeOf(tx.query('')).toEqualTypeOf<Promise<string>>()
    })
  })

  it("goes with the kinds, concurrencyKey and current options, whose result is the type of the context's", () => {
    const receiver = createReceiver({
      clientId,
      inbox,
      kinds: { VBA_TRANSACTION: z.object({ id: z.string() }) },
      current: async (event, { signal, attempt, clientId }) => {
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
        expectTypeOf(attempt).toEqualTypeOf<number>()
        expectTypeOf(clientId).toEqualTypeOf<string>()
        return event.type === 'VBA_TRANSACTION' ? event.data.id : 7
      },
      concurrencyKey: (event) => (event.type === 'VBA_TRANSACTION' ? event.data.id : null),
      transaction: (run) => db.transaction((tx) => run(tx, (key) => tx.insert(key))),
    })
    receiver
      .on('VBA_TRANSACTION', (event, { current, tx }) => {
        expectTypeOf(event.data.id).toEqualTypeOf<string>()
        expectTypeOf(current).toEqualTypeOf<string | number>()
        expectTypeOf(tx).toEqualTypeOf<Tx>()
      })
      .onAny((_event, { current }) => expectTypeOf(current).toEqualTypeOf<string | number>())
    expectTypeOf(receiver).toExtend<AnyReceiver>()
    fastify().register(fastifyAdapter.receiveWebhooks, { receiver, path: '/' })
  })

  it('goes with the idempotencyKey option, which knows what the current option has read', () => {
    createReceiver({
      clientId,
      inbox,
      current: async () => ({ status: 'Complete' }),
      idempotencyKey(event, { current, tx, subject }) {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
        expectTypeOf(current).toEqualTypeOf<{ status: string }>()
        expectTypeOf(tx).toEqualTypeOf<undefined>()
        return subject === null ? null : `${subject}:${current.status}`
      },
      transaction: (run) => db.transaction((tx) => run(tx, (key) => tx.insert(key))),
    }).onAny((_event, { current, tx }) => {
      expectTypeOf(current).toEqualTypeOf<{ status: string }>()
      expectTypeOf(tx).toEqualTypeOf<Tx>()
    })
    // @ts-expect-error: no key
    createReceiver({ clientId, inbox, idempotencyKey: () => 7 })
  })

  it('has to return what run returned, with a claim that gives a boolean', () => {
    const options: Pick<ReceiverOptions, 'clientId' | 'inbox'> = { clientId, inbox }
    // @ts-expect-error: returns nothing
    createReceiver({ ...options, transaction: (run) => void run(1, () => true) })
    // @ts-expect-error: resolves to nothing
    createReceiver({ ...options, transaction: async (run) => void (await run(1, () => true)) })
    // @ts-expect-error: no claim
    createReceiver({ ...options, transaction: (run) => run(1) })
    // @ts-expect-error: a row count
    createReceiver({ ...options, transaction: (run) => run(1, () => 1) })
  })

  it('leaves the transaction undefined if it is not given', () => {
    createReceiver({ clientId, inbox }).onAny((_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>())
    const handler: Handler<WebhookEvent, Tx> = (_event, { tx }) => tx.insert('')
    // @ts-expect-error: needs the transaction
    createReceiver({ clientId, inbox }).onAny(handler)
  })
})
