// An application that keeps the status of each payment, and writes the complete ones into its ledger. It is killed
// again and again.

import type { PoolClient } from 'pg'
import type { PostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import { createClient } from '../../src/client/index.ts'
import { createReceiver, type PaymentData, paymentDataSchema } from '../../src/index.ts'
import { openInbox } from '../contracts/open-inbox.ts'
import { readPlan } from '../contracts/start-program.ts'
import { createTransaction } from '../effects/recipes/pg.ts'
import { createPool } from '../effects/recipes/pool.ts'
import type { StormPlan } from './storm.ts'

const { place, database, service, resourcePath, handler } = readPlan<StormPlan>()
const { clientId, clientSecret, url: baseUrl } = service
// What the API turns away is to reach the inbox.
const client = createClient({ baseUrl, clientId, clientSecret, maxRetries: 0 })
const inbox = await openInbox(place, {
  oneAtATime: true,
  // Few, as the workers of all engines are to fit into the 100 connections of PostgreSQL.
  concurrency: 4,
  retryDelayMs: 50,
  maxRetryDelayMs: 1_000,
  maxAttempts: 1_000,
})
const options = {
  clientId,
  callbackToken: false,
  inbox,
  logger: { warn() {}, error() {} },
  transaction:
    place.engine === 'postgres'
      ? (inbox as PostgresInbox).transaction
      : createTransaction(createPool(database.url)),
} as const

async function write(tx: PoolClient, { id, status }: Pick<PaymentData, 'id' | 'status'>): Promise<void> {
  const { schema } = database
  const upsert = `insert into ${schema}.payments values ($1, $2) on conflict (id) do update set status = excluded.status`
  await tx.query(upsert, [id, status])
  if (status === 'Complete') await tx.query(`insert into ${schema}.ledger values ($1)`, [id])
}

const atWork = () => process.send?.('at work')
process.once('disconnect', () => process.exit(1))

if (handler === 'trusting') {
  const receiver = createReceiver(options)
  receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (event, { tx }) => {
    atWork()
    await write(tx, event.data)
  })
  await receiver.start()
} else {
  const receiver = createReceiver({
    ...options,
    async current(event, { signal }) {
      if (event.type !== 'INBOUND_PAYMENT_STATUS_UPDATED') throw new Error(`no ${event.type} was expected`)
      const path = `${resourcePath}/payments/${event.data.id}`
      return paymentDataSchema.parse(await client.request({ method: 'GET', path, signal }))
    },
    idempotencyKey: (_event, { current: { id, status } }) => `payment:${id}:${status}`,
  })
  receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', async (_event, { current, tx }) => {
    atWork()
    await write(tx, current)
  })
  await receiver.start()
}
