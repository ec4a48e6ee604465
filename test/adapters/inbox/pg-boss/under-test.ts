import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { EngineUnderTest } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'

/** pg-boss with real PostgreSQL behind a proxy that can be interrupted. Each store has its own schema. */
export const pgBoss: EngineUnderTest = {
  name: 'pg-boss',
  leaseMs: 16_000,
  async createStore() {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const schema = `payhook_test_${randomUUID().replaceAll('-', '')}`
    const through = new URL(POSTGRES)
    through.host = `127.0.0.1:${proxy.port}`
    return createStore(
      { engine: 'pg-boss', connectionString: through.href, schema },
      {
        interrupt: proxy.cut,
        hang: async () => proxy.hang(),
        restore: proxy.mend,
        async clear() {
          await proxy.close()
          const client = new pg.Client({ connectionString: POSTGRES.href })
          await client.connect()
          await client.query(`drop schema if exists ${schema} cascade`)
          await client.end()
        },
      },
    )
  },
}
