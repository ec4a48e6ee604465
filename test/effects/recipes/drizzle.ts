import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { RunHandlers } from '../../../src/index.ts'

export const webhookReceipts = pgTable('webhook_receipts', {
  key: text().primaryKey(),
  handledAt: timestamp('handled_at', { withTimezone: true }).notNull().defaultNow(),
})

export function createTransaction(db: NodePgDatabase) {
  return (run: RunHandlers) =>
    db.transaction(async (tx) => {
      const ran = await run(tx, async (key) => {
        const inserted = await tx.insert(webhookReceipts).values({ key }).onConflictDoNothing().returning()
        return inserted.length === 1
      })
      await tx.execute(sql`select 1`) // fails if a handler ignored the error of a statement
      return ran
    })
}
