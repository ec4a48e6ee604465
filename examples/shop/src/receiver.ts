import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { compareDecimals, createReceiver, RetryAfterError } from 'payhook'
import { createPostgresInbox } from 'payhook/postgres'
import { clientId, readPayment } from './client.ts'
import { inboxSchema, ledger, orders, pool } from './database.ts'

export const inbox = createPostgresInbox({ pool, schema: inboxSchema, oneAtATime: true, concurrency: 10 })

const ENDED = ['Complete', 'Cancelled', 'Closed', 'Reversed']

export const receiver = createReceiver({
  clientId,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
  inbox,
  handlerTimeoutMs: 20_000,
  logger: console,
  // Read back: what is true now, not when the notification was sent.
  async current({ type, data }, { signal }) {
    if (type !== 'INBOUND_PAYMENT_STATUS_UPDATED') return null
    const payment = await readPayment(data.id, signal)
    if (ENDED.indexOf(payment.status) < ENDED.indexOf(data.status))
      throw new RetryAfterError(`payment ${data.id} is still ${payment.status}`, { afterMs: 10_000 })
    return payment
  },
  transaction: inbox.transaction,
})

receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (_event, { tx: client, current }) => {
  const tx = drizzle({ client })
  const { id, status, amount, debitTxn, creditTxn, refundTxn } = current! // as this kind is read back
  if (status !== 'Complete') return
  if (debitTxn?.errorCode || creditTxn?.errorCode || refundTxn?.id) return // reversed, returned or refunded
  const ofPayment = eq(orders.paymentId, id)
  const [order] = await tx.select().from(orders).where(ofPayment).for('update')
  if (!order) throw new RetryAfterError(`no order for payment ${id} yet`, { afterMs: 60_000 })
  if (order.status !== 'open') return // paid by an earlier notification of the same payment
  if (order.currency !== amount?.currency || compareDecimals(amount.number, order.total) < 0)
    throw new Error(`payment ${id} is not the ${order.total} ${order.currency} of its order`)
  await tx.update(orders).set({ status: 'paid' }).where(ofPayment)
  await tx.insert(ledger).values({ paymentId: id, amount: amount.number })
})

receiver.onDead(({ id, error }) => console.error(`gave up on ${id}: ${error}`))
