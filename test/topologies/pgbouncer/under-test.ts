import { createEngine, withPort } from '../../adapters/inbox/postgres/under-test.ts'
import type { EngineUnderTest } from '../../contracts/engine-under-test.ts'
import { hostAndPort, POSTGRES } from '../../contracts/service.ts'
import { createTcpProxy } from '../../contracts/tcp-proxy.ts'
import { type PgbouncerOptions, startPgbouncer } from './pgbouncer.ts'

/** PostgreSQL through PgBouncer. What is interrupted is the way to PgBouncer, as if that was restarted. */
export function throughPgbouncer(settings?: PgbouncerOptions['settings']): EngineUnderTest {
  return createEngine(() => startPgbouncer({ settings }))
}

/** The same, but what is interrupted is PgBouncer's way to PostgreSQL. */
export function behindPgbouncer(settings?: PgbouncerOptions['settings']): EngineUnderTest {
  return createEngine(async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const pgbouncer = await startPgbouncer({ server: withPort(POSTGRES, proxy.port), settings })
    return {
      url: pgbouncer.url,
      proxy,
      async close() {
        await pgbouncer.close()
        await proxy.close()
      },
    }
  })
}
