import { createReceiver } from 'payhook'
import { inbox } from './inbox.js'
import { readPayment } from './read-payment.js'
import { updateLedger } from './update-ledger.js'

// No request comes to this process.
const worker = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: false,
  inbox,
  // What is true now: an old notification may come, or be retried, after a newer one.
  current: (event, { signal }) =>
    event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(event.data, signal) : null,
  logger: console,
})
worker.on('INBOUND_PAYMENT_STATUS_UPDATED', (_event, { current, idempotencyKey }) =>
  updateLedger(current, idempotencyKey),
)
worker.onDead(({ id, error }) => console.error(`gave up on ${id}: ${error}`))
await worker.start()
console.log('working')

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => inbox.close()) // waits for running handlers
