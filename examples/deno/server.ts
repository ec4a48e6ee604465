import { createReceiver } from 'payhook'
import { receiveWebhooks } from 'payhook/fetch'
import { createSqliteInbox } from 'payhook/sqlite'
import { readPayment } from './read-payment.ts'
import { updateLedger } from './update-ledger.ts'

const inbox = createSqliteInbox({ path: 'inbox.db', oneAtATime: true })
const receiver = createReceiver({
  clientId: Deno.env.get('PAYHOOK_CLIENT_ID')!,
  callbackToken: Deno.env.get('PAYHOOK_CALLBACK_TOKEN')!,
  inbox,
  // What is true now: an old notification may come, or be retried, after a newer one.
  current: (event, { signal }) =>
    event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(event.data, signal) : null,
  logger: console,
}).on(
  'INBOUND_PAYMENT_STATUS_UPDATED',
  (_event, { current, idempotencyKey }) => updateLedger(current!, idempotencyKey!), // an inbox always gives one
)
const receive = receiveWebhooks(receiver)

await receiver.start() // from here on the handlers run
const port = Number(Deno.env.get('PORT') ?? 3000)
const server = Deno.serve(
  { port, onListen: ({ port }) => console.log(`listening on port ${port}`) },
  (request) =>
    new URL(request.url).pathname === '/webhooks'
      ? receive(request)
      : new Response('not found', { status: 404 }),
)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  Deno.addSignalListener(signal, async () => {
    await server.shutdown()
    await inbox.close() // waits for running handlers
    Deno.exit()
  })
}
