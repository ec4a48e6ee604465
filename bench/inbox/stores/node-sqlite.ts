import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SignedNotification } from '../../../src/index.ts'
import { gatherTurn, type Store } from './store.ts'

/** SQLite by hand, as durable as the inbox, but without deduplication and handling. */
export function createNodeSqlite(folder: string, transactions: 'one each' | 'one a turn'): Store {
  const database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table notification (
      id integer primary key,
      signature text not null,
      client_id text not null,
      received_at integer not null,
      body blob not null
    ) strict;
  `)
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const insert = database.prepare(
    'insert into notification (signature, client_id, received_at, body) values (?, ?, ?, ?)',
  )

  function add({ signature, clientId, receivedAt, rawBody }: SignedNotification): void {
    insert.run(signature, clientId, receivedAt.getTime(), rawBody)
  }

  function addAll(notifications: readonly SignedNotification[]): void {
    begin.run()
    for (const notification of notifications) add(notification)
    commit.run()
  }

  return {
    put: transactions === 'one a turn' ? gatherTurn(addAll) : async (notification) => add(notification),
    count: async () => Number(database.prepare('select count(*) as number from notification').get()?.number),
    close: async () => database.close(),
  }
}
