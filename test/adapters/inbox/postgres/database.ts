import pg from 'pg'
import { afterAll, afterEach } from 'vitest'
import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from '../../../../adapters/inbox/postgres/postgres-inbox.ts'
import { POSTGRES } from '../../../contracts/service.ts'
import { dropSchema, newSchema } from './under-test.ts'

export const connectionString = POSTGRES.href

/** The real PostgreSQL. */
export interface TestDatabase {
  /** A schema for the tests of a file. */
  readonly schema: string
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Opens an inbox, and closes it after the test. */
  open(options?: Partial<PostgresInboxOptions>): PostgresInbox
}

/** @param emptied whether the schema is dropped after each test */
export function useDatabase(emptied = false): TestDatabase {
  const schema = newSchema()
  const pool = new pg.Pool({ connectionString })
  const inboxes: PostgresInbox[] = []
  afterEach(async () => {
    await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
    if (emptied) await dropSchema(schema)
  })
  afterAll(async () => {
    await dropSchema(schema)
    await pool.end()
  })
  return {
    schema,
    query: async (text, values) => (await pool.query(text, values)).rows,
    open(options = {}) {
      const server = options.pool === undefined ? { connectionString } : {}
      const inbox = createPostgresInbox({ ...server, schema, retryDelayMs: 10, ...options })
      inboxes.push(inbox)
      return inbox
    },
  }
}
