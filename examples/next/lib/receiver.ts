import { createReceiver } from 'payhook'
import { createSqliteInbox } from 'payhook/sqlite'
import { readPayment } from './read-payment'
import { updateLedger } from './update-ledger'

const shared = globalThis as { payhookReceiver?: ReturnType<typeof create>; update?: typeof updateLedger }
shared.update = updateLedger // loaded again by `next dev` after each change

const create = () =>
  createReceiver({
    clientId: process.env.PAYHOOK_CLIENT_ID!,
    callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
    // With `output: 'standalone'`, an absolute path: a relative one is in the folder that each build deletes.
    inbox: createSqliteInbox({ path: 'inbox.db', oneAtATime: true }),
    // What is true now: an old notification may come, or be retried, after a newer one.
    current: (event, { signal }) =>
      event.type === 'INBOUND_PAYMENT_STATUS_UPDATED' ? readPayment(event.data, signal) : null,
    logger: console,
  }).on(
    'INBOUND_PAYMENT_STATUS_UPDATED',
    (_event, { current, idempotencyKey }) => shared.update!(current!, idempotencyKey!), // an inbox always gives one
  )

/** Next.js loads this file twice, for the route and for instrumentation.ts. They share one receiver. */
export const getReceiver = () => (shared.payhookReceiver ??= create())
