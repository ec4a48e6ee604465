import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import type { RunHandlers } from '../../../src/index.ts'

export const webhookReceipts = pgTable('webhook_receipts', {
  key: text().primaryKey(),
  handledAt: timestamp('handled_at', { withTimezone: true }).notNull().defaultNow(),
})

export function createTransaction(pool: Pool) {
  return async (run: RunHandlers) => {
    const client = await pool.connect()
    let isCommitted = false
    try {
      const ran = await drizzle({ client }).transaction(async (tx) => {
        const ran = await run(tx, async (key) => {
          const inserted = await tx.insert(webhookReceipts).values({ key }).onConflictDoNothing().returning()
          return inserted.length === 1
        })
        await tx.execute(sql`select 1`) // fails if a handler ignored the error of a statement
        return ran
      })
      isCommitted = true
      return ran
    } finally {
      client.release(!isCommitted) // Drizzle may leave the transaction open
    }
  }
}
