import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import pg from 'pg'

const SCHEMA = process.env.SCHEMA ?? 'shop'

export const orders = pgTable('orders', {
  paymentId: text('payment_id').primaryKey(),
  total: numeric().notNull(),
  currency: text().notNull(),
  status: text().notNull().default('open'),
})

export const ledger = pgTable('ledger', {
  paymentId: text('payment_id').notNull(),
  amount: numeric().notNull(),
  postedAt: timestamp('posted_at', { withTimezone: true }).notNull().defaultNow(),
})

export const inboxSchema = `${SCHEMA}_inbox`

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  // PostgreSQL ends what a lost machine left open.
  options: `-c search_path=${SCHEMA} -c idle_in_transaction_session_timeout=60s`,
  max: 15, // the "concurrency" of the inbox, three for its own work, and two for the rest of the application
  connectionTimeoutMillis: 10_000,
})
// A connection that the server closes must not end the process.
pool.on('error', () => {})
pool.on('connect', (client) => client.on('error', () => {}))

export const db = drizzle({ client: pool })

export async function createTables() {
  const tables = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')
  await db.execute(sql.raw(`create schema if not exists ${SCHEMA}; ${tables}`))
}
