import type { PoolClient, QueryResult } from 'pg'
import { InboxError } from '../../../src/errors.ts'
import { fromIdempotencyKey, isUuid } from '../../../src/inbox/entry-ids.ts'
import type { Claim, TransactionOption } from '../../../src/receiver/transaction.ts'
import { codeOf, type Database, QUERY_LIMIT_MS, respondsWithin } from './database.ts'

/**
 * Runs a statement without parameters in a transaction of the same database. Resolves to its rows as objects,
 * or to an object with `rows`.
 */
export type QueryInTransaction = (text: string) => PromiseLike<unknown>

/**
 * Creates the `claim` of an inbox, which completes an entry if the worker still holds it. Its row stays locked
 * until the transaction ends, so nobody takes it over meanwhile. After that, the key stays busy until the
 * worker stores the result, or another one finds it left. A key that is not the entry's own is kept for a year.
 * A second call only adds a key.
 */
export function createClaim({ schema }: Database, workerId: () => number | undefined) {
  return (query: QueryInTransaction): Claim => {
    let isCompleted = false
    return async (key, entryKey = key) => {
      const { lastingId, repeats } = fromIdempotencyKey(entryKey)
      if (!isUuid(lastingId)) throw new TypeError(NOT_OF_AN_ENTRY)
      const fact = key === entryKey ? 'null' : literal(key)
      const result = await query(
        isCompleted
          ? `with fact as (insert into ${schema}.claimed (key) values (${fact}) on conflict do nothing returning key)
              select case when exists (select from fact) then 'new' else 'known' end as claimed`
          : `select claimed from ${schema}.claim(${workerId() ?? 'null'}, '${lastingId}', ${repeats}, ${fact})`,
      )
      const rows = Array.isArray(result) ? result : (result as { rows?: unknown } | undefined)?.rows
      if (Array.isArray(rows) && rows.length === 0)
        throw new InboxError(
          'inbox_unavailable',
          'Another process took this one for dead, and took over the notification.',
        )
      const claimed: unknown = (rows as { claimed?: unknown }[] | undefined)?.[0]?.claimed
      // What is not understood is not handled yet: false would complete it without its handlers.
      if (claimed !== 'new' && claimed !== 'known') throw new TypeError(NOT_ROWS)
      isCompleted = true
      return claimed === 'new'
    }
  }
}

/** Why the end of a transaction fails: it was aborted, or there is no cursor, as it is another transaction. */
const MISTAKES: Readonly<Record<string, string>> = {
  '25P02': 'A handler ignored the error of a statement.',
  '34000': 'A handler ended the transaction.',
}

const NOT_OF_AN_ENTRY =
  'a claim of the inbox takes the key of an entry. Does your claim pass on both of its arguments?'

const NOT_ROWS =
  'the query of a claim must resolve to rows, or to an object with rows; a row is an object with the key "claimed"'

/** In hexadecimal digits, as some libraries read question marks and colons as parameters. */
function literal(text: string): string {
  return `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`
}

export function createTransaction(
  database: Database,
  claim: ReturnType<typeof createClaim>,
): TransactionOption<PoolClient> {
  return async (run) =>
    await database.withClient(async (client) => {
      // `run` claims first, so that the transaction begins in the same round trip. A cursor ends with it.
      let isBegun = false
      const begin = async (text: string) => {
        if (isBegun) return await client.query(text)
        isBegun = true
        const results: unknown = await client.query(`begin; declare payhook cursor for select; ${text}`)
        return (results as readonly QueryResult[])[2]
      }
      const ran = await run(client, claim(begin))
      // A cursor of pg that a handler left open lets no other statement begin.
      await respondsWithin(QUERY_LIMIT_MS, client.query('close payhook; commit')).catch((cause) => {
        const message = MISTAKES[codeOf(cause)]
        throw message === undefined ? cause : new Error(message, { cause })
      })
      return ran
    })
}
