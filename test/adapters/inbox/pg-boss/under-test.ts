import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll } from 'vitest'
import type { EngineUnderTest, InboxStore } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { createSchema } from './create-schema.ts'

const ENGINE = { name: 'pg-boss', leaseMs: 16_000 }

/** pg-boss with real PostgreSQL behind a proxy that can be interrupted. Each store has its own schema. */
export const pgBoss: EngineUnderTest = {
  ...ENGINE,
  async createStore() {
    const schema = await createSchema(newSchema())
    return await createQueueStore(schema, () => dropSchema(schema))
  },
}

/** The same, with stores in one schema, as it takes long to create one. It is dropped after the suite. */
export function pgBossInOneSchema(): EngineUnderTest {
  let schema: Promise<string> | undefined
  afterAll(async () => {
    if (schema !== undefined) await dropSchema(await schema)
  })
  return {
    ...ENGINE,
    async createStore() {
      schema ??= createSchema(newSchema())
      return await createQueueStore(await schema, async () => {})
    },
  }
}

async function createQueueStore(schema: string, clear: () => Promise<void>): Promise<InboxStore> {
  const proxy = await createTcpProxy(hostAndPort(POSTGRES))
  const through = new URL(POSTGRES)
  through.host = `127.0.0.1:${proxy.port}`
  const queueName = `queue-${randomUUID()}`
  return createStore(
    { engine: 'pg-boss', connectionString: through.href, schema, queueName },
    {
      interrupt: proxy.cut,
      hang: async () => proxy.hang(),
      restore: proxy.mend,
      async clear() {
        await proxy.close()
        await clear()
      },
    },
  )
}

function newSchema(): string {
  return `payhook_test_${randomUUID().replaceAll('-', '')}`
}

async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES.href })
  await client.connect()
  await client.query(`drop schema if exists ${schema} cascade`)
  await client.end()
}
