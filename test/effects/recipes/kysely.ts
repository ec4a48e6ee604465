import type { Generated, Kysely } from 'kysely'
import type { RunHandlers } from '../../../src/index.ts'

/** Your tables, and this one. */
export interface Database {
  webhook_receipts: { key: string; handled_at: Generated<Date> }
}

export function createTransaction(db: Kysely<Database>) {
  return (run: RunHandlers) =>
    db.transaction().execute((tx) =>
      run(tx, async (key) => {
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('webhook_receipts')
          .values({ key })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        return numInsertedOrUpdatedRows === 1n
      }),
    )
}
