import Koa from 'koa'
import { createReceiver, paymentDataSchema, RetryAfterError } from 'payhook'
import { createClient } from 'payhook/client'
import { receiveWebhooks } from 'payhook/koa'
import { createSqliteInbox } from 'payhook/sqlite'
import { updateLedger } from './update-ledger.js'

const {
  PAYHOOK_BASE_URL: baseUrl,
  PAYHOOK_CLIENT_ID: clientId,
  PAYHOOK_CLIENT_SECRET: clientSecret,
} = process.env
const ENDED = ['Complete', 'Cancelled', 'Closed', 'Reversed']
const client = createClient({ baseUrl, clientId, clientSecret })
const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
const receiver = createReceiver({
  clientId,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN,
  inbox,
  // What is true now: an old notification may come, or be retried, after a newer one. The path is the sandbox's.
  async current({ type, data }, { signal }) {
    if (type !== 'INBOUND_PAYMENT_STATUS_UPDATED') return null
    const path = `/svc/v1.2/payments/${data.id}`
    const payment = paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
    // The API may be behind its own notification: read again later.
    if (ENDED.indexOf(payment.status) < ENDED.indexOf(data.status))
      throw new RetryAfterError(`payment ${data.id} is still ${payment.status}`, { afterMs: 10_000 })
    return payment
  },
  logger: console,
}).on('INBOUND_PAYMENT_STATUS_UPDATED', (_event, { current, idempotencyKey }) =>
  updateLedger(current, idempotencyKey),
)

const app = new Koa()
app.use(receiveWebhooks(receiver, { path: '/webhooks' })) // before the body parser

await receiver.start() // from here on the handlers run
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on port ${server.address().port}`)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    server.maxRequestsPerSocket = 1 // closes the connections that a proxy keeps open
    server.close(() => inbox.close()) // waits for running handlers
  })
}
