import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/fetch'
import { createSqliteInbox } from 'payhook/sqlite'
import { updateLedger } from './update-ledger.ts'

const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID!,
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
  inbox,
  logger: console,
}).on(
  'INBOUND_PAYMENT_STATUS_UPDATED',
  (event, { idempotencyKey }) => updateLedger(event.data, idempotencyKey!), // an inbox always gives one
)

await receiver.start() // from here on the handlers run
const server = Bun.serve({
  port: process.env.PORT ?? 3000,
  routes: { '/webhooks': receiveWebhooks(receiver) },
  fetch: () => new Response('everything else'),
})
console.log(`listening on port ${server.port}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await server.stop()
    await inbox.close() // waits for running handlers
  })
}
