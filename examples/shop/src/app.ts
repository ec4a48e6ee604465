import { eq } from 'drizzle-orm'
import express from 'express'
import { receiveWebhooks } from 'payhook/express'
import { db, ledger, orders } from './database.ts'
import { inbox, receiver } from './receiver.ts'

export const app = express()
app.post('/webhooks', receiveWebhooks(receiver)) // before express.json()
app.use(express.json())

app.post('/orders', async (req, res) => {
  const { paymentId, total, currency } = req.body
  await db.insert(orders).values({ paymentId, total, currency })
  res.status(201).json({ paymentId })
})
app.get('/orders/:id', async (req, res) => {
  const [order] = await db.select().from(orders).where(eq(orders.paymentId, req.params.id))
  const lines = await db.select().from(ledger).where(eq(ledger.paymentId, req.params.id))
  res.status(order ? 200 : 404).json({ ...order, lines })
})

// For a load balancer: 503 only if nothing can be stored. Not for the public.
app.get('/health', async (_req, res) => {
  const health = await inbox.health({ lagMs: 300_000 })
  res.status(health.status === 'fail' ? 503 : 200).json(health)
})
app.get('/live', (_req, res) => void res.json({}))
