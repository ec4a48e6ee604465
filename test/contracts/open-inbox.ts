import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'

/** Short, for tests that wait until the lock of a crashed process expires. */
export const BULLMQ_LOCK_SECONDS = 7
/** For tests without a crash: however busy the machine is, no lock of a live process expires. */
export const LONG_BULLMQ_LOCK_SECONDS = 60

/** Where an inbox is stored, as JSON for another process. */
export type InboxPlace =
  | { readonly engine: 'sqlite'; readonly path: string }
  | {
      readonly engine: 'bullmq'
      readonly port: number
      readonly host: string
      readonly queueName: string
      readonly lockSeconds?: number
    }
  | {
      readonly engine: 'redis-cluster'
      /** The address to use for each node, by the one that the cluster has for it. */
      readonly natMap: Readonly<Record<string, { readonly host: string; readonly port: number }>>
      readonly prefix: string
      readonly lockSeconds: number
    }
  | { readonly engine: 'postgres'; readonly connectionString: string; readonly schema: string }

/** Opens an inbox, and loads its engine only. */
export async function openInbox(place: InboxPlace, options: InboxOptions = {}): Promise<Inbox> {
  const { engine } = place
  if (engine === 'sqlite') {
    const { createSqliteInbox } = await import('../../adapters/inbox/sqlite/sqlite-inbox.ts')
    return createSqliteInbox({ path: place.path, ...options })
  }
  if (engine === 'bullmq') {
    const { createBullmqInbox } = await import('../../adapters/inbox/bullmq/bullmq-inbox.ts')
    const { host, port, queueName, lockSeconds = BULLMQ_LOCK_SECONDS } = place
    return createBullmqInbox({ connection: { host, port }, queueName, lockSeconds, ...options })
  }
  if (engine === 'redis-cluster') {
    const { Cluster } = await import('ioredis')
    const { createBullmqInbox } = await import('../../adapters/inbox/bullmq/bullmq-inbox.ts')
    const { natMap, prefix, lockSeconds } = place
    const connection = new Cluster(Object.values(natMap), { natMap, lazyConnect: true })
    return createBullmqInbox({ connection, prefix, lockSeconds, ...options })
  }
  const { createPostgresInbox } = await import('../../adapters/inbox/postgres/postgres-inbox.ts')
  const { connectionString, schema } = place
  return createPostgresInbox({ connectionString, schema, ...options })
}
