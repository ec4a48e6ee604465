import express from 'express'
import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/express'
import { createPostgresInbox } from 'payhook/postgres'
import { createTables, inboxSchema, pool } from './database.js'

const inbox = createPostgresInbox({
  pool,
  schema: inboxSchema,
  oneAtATime: true,
  concurrency: 10,
})
const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN,
  inbox,
  transaction: inbox.transaction,
  handlerTimeoutMs: 20_000,
  logger: console,
})

receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async ({ data: { id, status, amount } }, { tx }) => {
  const insert = 'insert into payment_history (payment_id, status, amount, currency) values ($1, $2, $3, $4)'
  await tx.query(insert, [id, status, amount?.number, amount?.currency])
})
receiver.onDead(({ id, error }) => console.error(`gave up on ${id}: ${error}`))

const app = express()
app.post('/webhooks', receiveWebhooks(receiver)) // before express.json()
app.use(express.json())

app.get('/health', async (_req, res) => {
  const health = await inbox.health({ lagMs: 60_000 })
  res.status(health.status === 'fail' ? 503 : 200).json(health)
})
app.get('/payments/:id', async (req, res) => {
  const select =
    'select status, amount, currency from payment_history where payment_id = $1 order by recorded_at'
  const { rows } = await pool.query(select, [req.params.id])
  res.status(rows.length === 0 ? 404 : 200).json(rows)
})

await createTables()
await receiver.start() // from here on the handlers run
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on port ${server.address().port}`)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () =>
    server.close(async () => {
      await inbox.close() // waits for running handlers
      await pool.end()
    }),
  )
}
