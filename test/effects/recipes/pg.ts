import type { Pool } from 'pg'
import type { RunHandlers } from '../../../src/index.ts'

export function createTransaction(pool: Pool) {
  return async (run: RunHandlers) => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const ran = await run(client, async (key) => {
        const insert = 'insert into webhook_receipts (key) values ($1) on conflict do nothing'
        const { rowCount } = await client.query(insert, [key])
        return rowCount === 1
      })
      // After a statement that failed, PostgreSQL rolls back instead, without an error.
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error('A handler ignored the error of a statement.')
      return ran
    } catch (error) {
      await client.query('rollback').catch((reason) => {
        broken = reason
      })
      throw error
    } finally {
      client.release(broken)
    }
  }
}
