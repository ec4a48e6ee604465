import { createReceiver, type Receiver, type WebhookContext, type WebhookEvent } from 'payhook'
import { createSqliteInbox } from 'payhook/sqlite'
import { updateLedger } from './update-ledger'

const shared = globalThis as { payhookReceiver?: Receiver; handleEvent?: typeof handleEvent }
shared.handleEvent = handleEvent // loaded again by `next dev` after each change

async function handleEvent(event: WebhookEvent, { idempotencyKey }: WebhookContext) {
  if (event.type !== 'INBOUND_PAYMENT_STATUS_UPDATED') return
  await updateLedger(event.data, idempotencyKey!) // an inbox always gives one
}

/** Next.js loads this file twice, for the route and for instrumentation.ts. They share one receiver. */
export function getReceiver(): Receiver {
  shared.payhookReceiver ??= createReceiver({
    clientId: process.env.PAYHOOK_CLIENT_ID!,
    callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN!,
    inbox: createSqliteInbox({ path: 'inbox.db', oneAtATime: true }),
    logger: console,
  }).onAny((event, context) => shared.handleEvent?.(event, context))
  return shared.payhookReceiver
}
