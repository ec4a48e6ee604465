import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { eq, sql } from 'drizzle-orm'
import { createSandbox } from 'payhook/sandbox'
import { handled } from 'payhook/testing'

const sandbox = await createSandbox({ resourcePath: '/svc/v1.2', retryDelayMs: 50 })
const callbackToken = 'a-long-random-token'
// Before the modules of the shop read them.
Object.assign(process.env, {
  SCHEMA: `shop_test_${process.pid}`,
  PAYHOOK_BASE_URL: sandbox.url,
  PAYHOOK_CLIENT_ID: sandbox.clientId,
  PAYHOOK_CLIENT_SECRET: sandbox.clientSecret,
  PAYHOOK_CALLBACK_TOKEN: callbackToken,
})
const { app } = await import('../src/app.ts')
const { client } = await import('../src/client.ts')
const { createTables, db, inboxSchema, ledger, orders, pool } = await import('../src/database.ts')
const { inbox, receiver } = await import('../src/receiver.ts')

const server = app.listen(0)

before(async () => {
  await createTables()
  await receiver.start()
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const callbackUrl = `http://127.0.0.1:${port}/webhooks?token=${callbackToken}`
  await client.webhooks.sync([{ event: 'INBOUND_PAYMENT_STATUS_UPDATED', callbackUrl }])
})

after(async () => {
  await sandbox.close()
  server.close()
  await inbox.close()
  await db.execute(sql.raw(`drop schema ${process.env.SCHEMA} cascade; drop schema ${inboxSchema} cascade`))
  await pool.end()
})

test('posts a payment once, though each status is sent twice and all at once', async () => {
  const payment = sandbox.createPayment()
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  sandbox.setFaults({ duplicate: 1, reorder: true })
  await payment.walk()
  sandbox.setFaults({})
  await handled(inbox)
  const lines = await db.select().from(ledger)
  assert.deepEqual(
    lines.map(({ paymentId, amount }) => [paymentId, amount]),
    [[payment.id, '1250.5']],
  )
})

test('does not believe a notification that the API does not confirm', async () => {
  const payment = sandbox.createPayment()
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  await payment.setStatus('Sent')
  await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { id: payment.id, status: 'Complete' })
  await handled(inbox)
  const all = await db.select().from(orders)
  assert.equal(all.find(({ paymentId }) => paymentId === payment.id)?.status, 'open')
})

test('does not post a payment that is refunded by the time it is handled', async () => {
  const payment = sandbox.createPayment()
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  await payment.setStatus('Complete', { refundTxn: { status: 'Completed' } })
  await handled(inbox)
  const [order] = await db.select().from(orders).where(eq(orders.paymentId, payment.id))
  assert.equal(order?.status, 'open')
})
