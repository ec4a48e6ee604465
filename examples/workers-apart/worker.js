import { createReceiver } from 'payhook'
import { inbox } from './inbox.js'
import { updateLedger } from './update-ledger.js'

// No request comes to this process.
const worker = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID,
  callbackToken: false,
  inbox,
  logger: console,
})
worker.on('INBOUND_PAYMENT_STATUS_UPDATED', (event, { idempotencyKey }) =>
  updateLedger(event.data, idempotencyKey),
)
worker.onDead(({ id, error }) => console.error(`gave up on ${id}: ${error}`))
await worker.start()
console.log('working')

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => inbox.close()) // waits for running handlers
