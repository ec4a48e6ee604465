import { and, eq, sql } from 'drizzle-orm'
import { compareDecimals, createReceiver } from 'payhook'
import { createPostgresInbox } from 'payhook/postgres'
import { clientId, readPayment } from './client.ts'
import { db, inboxSchema, ledger, orders, pool } from './database.ts'

export const inbox = createPostgresInbox({ pool, schema: inboxSchema, oneAtATime: true, concurrency: 10 })

export const receiver = createReceiver({
  clientId,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
  inbox,
  handlerTimeoutMs: 20_000,
  logger: console,
  // Read back: what is true now, not when the notification was sent.
  current: (event, { signal }) =>
    event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(event.data.id, signal) : null,
  // Exactly once: what the handlers write with `tx` is committed together with the notification.
  transaction: (run) =>
    db.transaction(async (tx) => {
      const ran = await run(
        tx,
        inbox.claim((text) => tx.execute(sql.raw(text))),
      )
      await tx.execute(sql`select 1`) // fails if a handler ignored the error of a statement
      return ran
    }),
})

receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (_event, { tx, current }) => {
  if (current?.status !== 'Complete' || current.refundTxn?.id || !current.amount) return
  const { id, amount } = current
  const isOpen = and(eq(orders.paymentId, id), eq(orders.status, 'open'))
  const [order] = await tx.select().from(orders).where(isOpen)
  if (!order) return // paid by an earlier notification of the same payment, or not ours
  if (order.currency !== amount.currency || compareDecimals(amount.number, order.total) < 0)
    throw new Error(`payment ${id} is not the ${order.total} ${order.currency} of its order`)
  await tx.update(orders).set({ status: 'paid' }).where(isOpen)
  await tx.insert(ledger).values({ paymentId: id, amount: amount.number })
})

receiver.onDead(({ id, error }) => console.error(`gave up on ${id}: ${error}`))
