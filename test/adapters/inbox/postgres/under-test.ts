import type { EngineUnderTest } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { createProxyApart, type ProxyApart } from '../../../contracts/proxy-apart.ts'
import { hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import type { TcpProxy } from '../../../contracts/tcp-proxy.ts'
import { dropSchema, newSchema } from './schemas.ts'

/** A way to PostgreSQL, which a proxy can interrupt. */
export interface Route {
  readonly url: URL
  readonly proxy: TcpProxy | ProxyApart
  close(): Promise<void>
}

/** Real PostgreSQL behind a proxy that can be interrupted. Each store has a schema of its own. */
export const postgres = createEngine(openDirectRoute)

/** The same by another route. */
export function createEngine(openRoute: () => Promise<Route>): EngineUnderTest {
  return {
    name: 'postgres',
    leaseMs: 5_000,
    async createStore() {
      const { url, proxy, close } = await openRoute()
      const schema = newSchema()
      return createStore(
        { engine: 'postgres', connectionString: url.href, schema },
        {
          interrupt: proxy.cut,
          hang: async () => proxy.hang(),
          restore: proxy.mend,
          async clear() {
            await close()
            await dropSchema(schema)
          },
        },
      )
    },
  }
}

async function openDirectRoute(): Promise<Route> {
  const proxy = await createProxyApart(hostAndPort(POSTGRES))
  return { url: withPort(POSTGRES, proxy.port), proxy, close: proxy.close }
}

/** The same database, at another port of this machine. */
export function withPort(url: URL, port: number): URL {
  const other = new URL(url)
  other.host = `127.0.0.1:${port}`
  return other
}
