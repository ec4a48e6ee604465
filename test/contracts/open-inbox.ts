import type { Inbox } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'

/** Short, as the tests wait until it expires. */
export const BULLMQ_LOCK_SECONDS = 3

/** Where an inbox is stored, as JSON for another process. */
export type InboxPlace =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'bullmq'; readonly port: number; readonly host: string; readonly queueName: string }
  | { readonly engine: 'pg-boss'; readonly connectionString: string; readonly schema: string }

/** Opens an inbox, and loads its engine only. */
export async function openInbox(place: InboxPlace, options: InboxOptions = {}): Promise<Inbox> {
  const { engine } = place
  if (engine === 'sqlite') {
    const { createSqliteInbox } = await import('../../adapters/inbox/sqlite/sqlite-inbox.ts')
    return createSqliteInbox({ path: place.path, ...options })
  }
  if (engine === 'bullmq') {
    const { createBullmqInbox } = await import('../../adapters/inbox/bullmq/bullmq-inbox.ts')
    const { host, port, queueName } = place
    return createBullmqInbox({
      connection: { host, port },
      queueName,
      lockSeconds: BULLMQ_LOCK_SECONDS,
      ...options,
    })
  }
  const { createPgBossInbox } = await import('../../adapters/inbox/pg-boss/pg-boss-inbox.ts')
  const { connectionString, schema } = place
  return createPgBossInbox({ connectionString, schema, ...options })
}
