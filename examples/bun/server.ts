import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/fetch'
import { createSqliteInbox } from 'payhook/sqlite'
import { readPayment } from './read-payment.ts'
import { updateLedger } from './update-ledger.ts'

const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID!,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
  inbox,
  // What is true now: an old notification may come, or be retried, after a newer one.
  current: (event, { signal }) =>
    event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(event.data, signal) : null,
  logger: console,
}).on(
  'INBOUND_PAYMENT_STATUS_UPDATED',
  (_event, { current, idempotencyKey }) => updateLedger(current!, idempotencyKey!), // an inbox always gives one
)

await receiver.start() // from here on the handlers run
const server = Bun.serve({
  port: process.env.PORT ?? 3000,
  routes: { '/webhooks': receiveWebhooks(receiver) },
  fetch: () => new Response('not found', { status: 404 }),
})
console.log(`listening on port ${server.port}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await server.stop()
    await inbox.close() // waits for running handlers
  })
}
