import type { DataSource } from 'typeorm'
import type { RunHandlers } from '../../../src/index.ts'

export function createTransaction(dataSource: DataSource) {
  return (run: RunHandlers) =>
    dataSource.transaction(async (tx) => {
      const ran = await run(tx, async (key) => {
        const insert = 'insert into webhook_receipts (key) values ($1) on conflict do nothing returning key'
        const inserted: unknown[] = await tx.query(insert, [key])
        return inserted.length === 1
      })
      await tx.query('select 1') // fails if a handler ignored the error of a statement
      return ran
    })
}
