import type { PoolClient } from 'pg'
import { InboxError } from '../../../src/errors.ts'
import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import type { Claim, TransactionOption } from '../../../src/receiver/transaction.ts'
import type { Database } from './database.ts'
import { STATE } from './schema.ts'

/**
 * Runs a statement without parameters in a transaction of the same database. Resolves to its rows, or to an object
 * with `rows`.
 */
export type QueryInTransaction = (text: string) => PromiseLike<unknown>

/**
 * Creates claims that complete an entry, if the worker still holds it. Its row stays locked until the transaction
 * ends, so nobody takes it over meanwhile. The key stays busy until the worker stores the result.
 *
 * @param workerId the worker of this process
 */
export function createClaim(
  { schema }: Database,
  workerId: () => number | undefined,
): (query: QueryInTransaction) => Claim {
  return (query) => async (key) => {
    const { lastingId, repeats } = fromIdempotencyKey(key)
    if (!isUuid(lastingId)) throw new TypeError('a claim of the inbox takes the key of an entry')
    const result = await query(
      `with claimed as (
         update ${schema}.work set state = ${STATE.completed}, error = null, finished_at = now()
         where id = '${lastingId}' and repeats = ${repeats} and state = ${STATE.active}
           and worker = ${workerId() ?? 'null'} returning id
       ) select id from claimed`,
    )
    const rows = Array.isArray(result) ? result : (result as { rows?: unknown } | undefined)?.rows
    if (!Array.isArray(rows))
      throw new TypeError('the query of a claim must resolve to rows, or to an object with rows')
    if (rows.length === 1) return true
    throw new InboxError(
      'inbox_unavailable',
      'Another process took this one for dead, and took over the notification.',
    )
  }
}

/** Creates the `transaction` option, for those who write with `pg` to the same database. */
export function createTransaction(
  database: Database,
  claim: ReturnType<typeof createClaim>,
): TransactionOption<PoolClient> {
  return async (run) =>
    await database.withClient(async (client) => {
      await client.query('begin')
      const ran = await run(
        client,
        claim((text) => client.query(text)),
      )
      // After a statement that failed, PostgreSQL rolls back instead, without an error.
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error('A handler ignored the error of a statement.')
      return ran
    })
}
