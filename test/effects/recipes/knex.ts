import type { Knex } from 'knex'
import type { RunHandlers } from '../../../src/index.ts'

export function createTransaction(knex: Knex) {
  return (run: RunHandlers) =>
    knex.transaction(async (tx) => {
      const ran = await run(tx, async (key) => {
        const inserted = await tx('webhook_receipts').insert({ key }).onConflict().ignore().returning('key')
        return inserted.length === 1
      })
      await tx.raw('select 1') // fails if a handler ignored the error of a statement
      return ran
    })
}
