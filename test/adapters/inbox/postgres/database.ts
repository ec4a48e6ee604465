import pg from 'pg'
import { afterAll, afterEach } from 'vitest'
import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from '../../../../adapters/inbox/postgres/postgres-inbox.ts'
import { POSTGRES } from '../../../contracts/service.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { dropSchema, newSchema } from './schemas.ts'

export const connectionString = POSTGRES.href

/**
 * The real PostgreSQL, with a schema for the tests of a file. Others whose names begin with it are dropped, too.
 *
 * @param emptied whether the schema is dropped after each test
 */
export function useDatabase(emptied = false) {
  const schema = newSchema()
  const pool = new pg.Pool({ connectionString })
  const inboxes: PostgresInbox[] = []
  afterEach(async () => {
    await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
    if (emptied) await dropSchema(schema)
  })
  const query = async (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> =>
    (await pool.query(text, values)).rows
  afterAll(async () => {
    const all = await query('select nspname as name from pg_namespace where starts_with(nspname, $1)', [
      schema,
    ])
    for (const { name } of all) await dropSchema(String(name))
    await pool.end()
  })
  return {
    schema,
    query,
    /** Waits until a worker of a schema sends heartbeats. */
    beating: (name: string) =>
      waitFor(async () => {
        const text = `select 1 from pg_stat_activity where query like '%"${name}".beat(%' and pid <> pg_backend_pid()`
        return (await query(text)).length > 0
      }),
    /** Opens an inbox, and closes it after the test. */
    open(options: Partial<PostgresInboxOptions> = {}) {
      const server = options.pool === undefined ? { connectionString } : {}
      const inbox = createPostgresInbox({ ...server, schema, retryDelayMs: 10, ...options })
      inboxes.push(inbox)
      return inbox
    },
  }
}
