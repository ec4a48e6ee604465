import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { type Engines, isWanted } from './engines.ts'
import { createBareBullmq } from './stores/bullmq.ts'
import { createLogFile } from './stores/log-file.ts'
import { createNodeSqlite } from './stores/node-sqlite.ts'
import { storeOf } from './stores/payhook-inbox.ts'
import { createBarePgBoss } from './stores/pg-boss.ts'
import type { Store } from './stores/store.ts'

/** A store of the inbox benchmark. */
export interface InboxContestant {
  readonly name: string
  /** Opens an empty store. */
  readonly open: () => Store | Promise<Store>
  /** The name of its engine's bare call. */
  readonly bare?: string
  /** payhook's targets, by the number of producers. */
  readonly targets?: Readonly<Record<number, string>>
}

/** In the order of the table. The others are compared with the first. */
export function createInboxContestants(engines: Engines): InboxContestant[] {
  const { newFolder } = engines
  return [
    { name: 'log file, one fdatasync a batch', open: () => createLogFile(newFolder(), 'bare') },
    { name: 'log file, the puts of a turn a batch', open: () => createLogFile(newFolder(), 'a turn') },
    ...(isWanted('sqlite') ? sqliteContestants(newFolder) : []),
    ...bullmqContestants(engines),
    ...pgBossContestants(engines),
  ]
}

function sqliteContestants(newFolder: () => string): InboxContestant[] {
  return [
    { name: 'node:sqlite, a transaction each', open: () => createNodeSqlite(newFolder(), 'one each') },
    { name: 'node:sqlite, a transaction a turn', open: () => createNodeSqlite(newFolder(), 'one a turn') },
    {
      name: 'payhook SQLite',
      bare: 'node:sqlite, a transaction a turn',
      open: () => openStore({ engine: 'sqlite', path: join(newFolder(), 'inbox.db') }),
      targets: { 1: '≥ 0.75', 50: '≥ 0.40, aim 0.55' },
    },
  ]
}

function bullmqContestants({ redis }: Engines): InboxContestant[] {
  if (redis === undefined) return []
  return (['everysec', 'always'] as const).flatMap((fsync) => {
    const { host, port } = redis[fsync]
    const bare = `BullMQ \`add\` with deduplication, appendfsync ${fsync}`
    const target = fsync === 'everysec' ? { targets: { 1: '≥ 0.95 × bare', 50: '≥ 0.95 × bare' } } : {}
    return [
      {
        name: `BullMQ \`add\`, appendfsync ${fsync}`,
        open: () => createBareBullmq({ host, port }, randomUUID(), 'stored'),
      },
      { name: bare, open: () => createBareBullmq({ host, port }, randomUUID(), 'recognized') },
      {
        name: `payhook BullMQ, appendfsync ${fsync}`,
        bare,
        open: () => openStore({ engine: 'bullmq', host, port, queueName: randomUUID() }),
        ...target,
      },
    ]
  })
}

function pgBossContestants({ postgres }: Engines): InboxContestant[] {
  if (postgres === undefined) return []
  const { connectionString, newSchema } = postgres
  return [
    { name: 'pg-boss `send`', open: () => createBarePgBoss(connectionString, newSchema(), 'send') },
    {
      name: 'pg-boss `insert` of gathered puts',
      open: () => createBarePgBoss(connectionString, newSchema(), 'insert'),
    },
    {
      name: 'payhook PostgreSQL',
      bare: 'pg-boss `send`',
      open: () => openStore({ engine: 'postgres', connectionString, schema: newSchema() }),
      targets: { 50: '≥ 5 × bare' },
    },
  ]
}

/** With the default options: duplicates within two minutes are detected. */
async function openStore(place: InboxPlace): Promise<Store> {
  return storeOf(await openInbox(place))
}
