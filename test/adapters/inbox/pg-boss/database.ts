import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import {
  createPgBossInbox,
  type PgBossInboxOptions,
} from '../../../../adapters/inbox/pg-boss/pg-boss-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { POSTGRES } from '../../../contracts/service.ts'
import { createSchema } from './create-schema.ts'

export const connectionString = POSTGRES.href

/** A schema for the tests of a file, in the real PostgreSQL. */
export interface TestDatabase {
  readonly schema: string
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Opens an inbox with a queue of its own, and closes it after the test. */
  open(options?: Partial<PgBossInboxOptions>): Inbox
}

export function useDatabase(): TestDatabase {
  const schema = `payhook_test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString })
  const inboxes: Inbox[] = []
  beforeAll(async () => {
    await client.connect()
    await createSchema(schema)
  })
  afterEach(async () => {
    await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
  })
  afterAll(async () => {
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  return {
    schema,
    query: async (text, values) => (await client.query(text, values)).rows,
    open(options = {}) {
      const server = options.boss === undefined ? { connectionString } : {}
      const queueName = `q-${randomUUID()}`
      const inbox = createPgBossInbox({ ...server, schema, queueName, retryDelayMs: 10, ...options })
      inboxes.push(inbox)
      return inbox
    },
  }
}
