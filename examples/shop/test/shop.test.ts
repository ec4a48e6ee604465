import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
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

test('believes the API, and waits for it if it is behind a notification', async () => {
  const behind = { state: 'waiting', error: 'is still Drafted' } as const
  const payment = sandbox.createPayment()
  const ofPayment = eq(orders.paymentId, payment.id)
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  await sandbox.trigger('INBOUND_PAYMENT_STATUS_UPDATED', { id: payment.id, status: 'Complete' })
  while ((await inbox.replayAll(behind, { dryRun: true })) === 0) await delay(10)
  const [before] = await db.select().from(orders).where(ofPayment)
  assert.equal(before?.status, 'open')
  sandbox.setFaults({ drop: true })
  await payment.setStatus('Complete')
  sandbox.setFaults({})
  await inbox.replayAll(behind)
  await handled(inbox)
  const [after] = await db.select().from(orders).where(ofPayment)
  assert.equal(after?.status, 'paid')
})

test('does not pass over a complete payment whose amount is missing', async () => {
  const unknown = { state: 'waiting', error: 'is not the 1250.50 USD' } as const
  const payment = sandbox.createPayment({ amount: null })
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  await payment.setStatus('Complete')
  while ((await inbox.replayAll(unknown, { dryRun: true })) === 0) await delay(10)
  await payment.setStatus('Complete', { amount: { number: '1250.50', currency: 'USD' } })
  await inbox.replayAll(unknown)
  await handled(inbox)
  const [order] = await db.select().from(orders).where(eq(orders.paymentId, payment.id))
  assert.equal(order?.status, 'paid')
})

test('does not post a payment that is refunded or reversed by the time it is handled', async () => {
  const ends = [{ refundTxn: { status: 'Completed' } }, { debitTxn: { errorCode: 'R01' } }]
  for (const end of [...ends, { creditTxn: { errorCode: 'R01' } }]) {
    const payment = sandbox.createPayment()
    await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
    await payment.setStatus('Complete', end)
    await handled(inbox)
    const [order] = await db.select().from(orders).where(eq(orders.paymentId, payment.id))
    assert.equal(order?.status, 'open')
  }
})

test('pays an order that is placed after its payment was complete', async () => {
  const early = { state: 'waiting', error: 'no order' } as const
  const payment = sandbox.createPayment()
  await payment.setStatus('Complete')
  while ((await inbox.replayAll(early, { dryRun: true })) === 0) await delay(10)
  await db.insert(orders).values({ paymentId: payment.id, total: '1250.50', currency: 'USD' })
  await inbox.replayAll(early)
  await handled(inbox)
  const [order] = await db.select().from(orders).where(eq(orders.paymentId, payment.id))
  assert.equal(order?.status, 'paid')
})
