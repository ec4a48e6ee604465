import Koa from 'koa'
import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/koa'
import { createSqliteInbox } from 'payhook/sqlite'
import { updateLedger } from './update-ledger.js'

const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN,
  inbox,
  logger: console,
}).on('INBOUND_PAYMENT_STATUS_UPDATED', (event, { idempotencyKey }) =>
  updateLedger(event.data, idempotencyKey),
)

const app = new Koa()
app.use(receiveWebhooks(receiver, { path: '/webhooks' })) // before the body parser
app.use((ctx) => {
  ctx.body = 'everything else'
})

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
