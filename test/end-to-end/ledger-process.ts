// An application that writes each notification into its ledger exactly once. It is killed again and again.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import { createReceiver, type RunHandlers } from '../../src/index.ts'
import { openInbox } from '../contracts/open-inbox.ts'
import { readPlan } from '../contracts/start-program.ts'
import type { LedgerPlan } from './ledger-crashes.ts'

const { worker, place, connectionString, schema, slowMs, completedBy } = readPlan<LedgerPlan>()
/** Few, as the workers of all engines are to fit into the 100 connections of PostgreSQL. */
const CONCURRENCY = 4
const pool = new pg.Pool({ connectionString, max: CONCURRENCY })
/** What is recorded here survives, whatever becomes of a transaction. */
const records = new pg.Pool({ connectionString, max: 1 })

// The child must not outlive its parent.
process.once('disconnect', () => process.exit(1))

// Many crashes of one notification are no reason to give it up here.
const inbox = await openInbox(place, {
  oneAtATime: true,
  concurrency: CONCURRENCY,
  maxAttempts: 1_000,
  retryDelayMs: 10,
})
async function withReceipt(run: RunHandlers) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const ran = await run(client, async (key) => {
      const insert = `insert into ${schema}.receipts values ($1) on conflict do nothing`
      const isNew = (await client.query(insert, [key])).rowCount === 1
      if (!isNew) await records.query(`insert into ${schema}.skips values ($1)`, [key])
      return isNew
    })
    await client.query('commit')
    return ran
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const receiver = createReceiver({
  clientId: 'payhook-demo-client',
  callbackToken: false,
  inbox,
  transaction: completedBy === 'inbox' ? (inbox as PostgresInbox).transaction : withReceipt,
})

receiver.on('OUTBOUND_PAYMENT_STATUS_UPDATED', async ({ data: { id, status } }, { tx }) => {
  process.send?.('at work')
  const begin = `insert into ${schema}.attempts (worker, payment) values ($1, $2) returning id`
  const { rows } = await records.query(begin, [worker, id])
  await tx.query(`insert into ${schema}.ledger values ($1, $2)`, [id, status])
  await delay(Math.random() * slowMs)
  await records.query(`update ${schema}.attempts set ended = clock_timestamp() where id = $1`, [rows[0].id])
})
await receiver.start()
