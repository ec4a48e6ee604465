import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll } from 'vitest'
import type { EngineUnderTest, InboxStore } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { createTcpProxy, type TcpProxy } from '../../../contracts/tcp-proxy.ts'
import { createSchema } from './create-schema.ts'

const ENGINE = { name: 'pg-boss', leaseMs: 16_000 }

/** A way to PostgreSQL, which a proxy can interrupt. */
export interface Route {
  readonly url: URL
  readonly proxy: TcpProxy
  close(): Promise<void>
}

/** pg-boss with real PostgreSQL behind a proxy that can be interrupted. Each store has its own schema. */
export const pgBoss: EngineUnderTest = {
  ...ENGINE,
  async createStore() {
    const schema = await createSchema(newSchema())
    return await createQueueStore(schema, () => dropSchema(schema))
  },
}

/** The same, with stores in one schema, as it takes long to create one. It is dropped after the suite. */
export function pgBossInOneSchema(openRoute = openDirectRoute): EngineUnderTest {
  let schema: Promise<string> | undefined
  afterAll(async () => {
    if (schema !== undefined) await dropSchema(await schema)
  })
  return {
    ...ENGINE,
    async createStore() {
      schema ??= createSchema(newSchema())
      return await createQueueStore(await schema, async () => {}, openRoute)
    },
  }
}

async function createQueueStore(
  schema: string,
  clear: () => Promise<void>,
  openRoute = openDirectRoute,
): Promise<InboxStore> {
  const { url, proxy, close } = await openRoute()
  const queueName = `queue-${randomUUID()}`
  return createStore(
    { engine: 'pg-boss', connectionString: url.href, schema, queueName },
    {
      interrupt: proxy.cut,
      hang: async () => proxy.hang(),
      restore: proxy.mend,
      async clear() {
        await close()
        await clear()
      },
    },
  )
}

async function openDirectRoute(): Promise<Route> {
  const proxy = await createTcpProxy(hostAndPort(POSTGRES))
  return { url: withPort(POSTGRES, proxy.port), proxy, close: proxy.close }
}

/** The same database, at another port of this machine. */
export function withPort(url: URL, port: number): URL {
  const other = new URL(url)
  other.host = `127.0.0.1:${port}`
  return other
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
