import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receiveWebhooks } from '../../../adapters/http/node.ts'
import { createSqliteInbox } from '../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createNodeSqlite } from '../../inbox/stores/node-sqlite.ts'
import { createBenchReceiver } from './payhook-receiver.ts'

/** payhook with SQLite by hand as its inbox. */
export function handWritten(transactions: 'one each' | 'one a turn'): Server {
  const { put } = createNodeSqlite(createFolder(), transactions)
  const inbox = {
    put: async (notification: Parameters<typeof put>[0]) => {
      await put(notification)
      return 'stored' as const
    },
    start: async () => {},
    stop: async () => {},
  }
  return createServer(receiveWebhooks(createBenchReceiver(inbox)))
}

/** payhook with its SQLite inbox and default options, with or without `handling` in the same process. */
export async function payhook(handling: boolean): Promise<Server> {
  const inbox = createSqliteInbox({ path: join(createFolder(), 'inbox.db') })
  const receiver = createBenchReceiver(inbox)
  if (handling) await receiver.start()
  return createServer(receiveWebhooks(receiver))
}

/** A folder that is deleted when the process exits. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-inbox-http-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
