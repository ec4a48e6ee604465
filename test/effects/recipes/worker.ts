import { createSqliteInbox } from '../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createReceiver } from '../../../src/index.ts'
import { createTransaction } from './pg.ts'
import { createPool } from './pool.ts'

const pool = createPool(process.env.DATABASE_URL)
export const receiver = createReceiver({
  clientId: process.env.PAYHOOK_CLIENT_ID ?? '',
  callbackToken: process.env.PAYHOOK_CALLBACK_TOKEN ?? '',
  inbox: createSqliteInbox({ path: 'inbox.db', oneAtATime: true, concurrency: 10 }),
  handlerTimeoutMs: 20_000,
  transaction: createTransaction(pool),
})

receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (event, { tx }) => {
  const insert = 'insert into history (payment_id, status) values ($1, $2)'
  await tx.query(insert, [event.data.id, event.data.status])
})
