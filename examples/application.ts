import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receiveWebhooks } from '../adapters/http/node.ts'
import { createSqliteInbox } from '../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Inbox } from '../src/index.ts'
import { createReceiver } from '../src/index.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { createOutcomes, type Outcome } from './outcomes.ts'

/** An application that receives notifications: Node's HTTP server, a receiver, an inbox and a ledger. */
export interface Application {
  /** The URL for notifications, without the callback token. */
  readonly url: string
  readonly inbox: Inbox
  readonly ledger: Ledger
  /** What was handled, by `signature`. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** Closes all connections and waits for running handlers. */
  stop(): Promise<void>
}

/** The demo prints what is rejected itself. */
const QUIET = { warn() {}, error() {} }

export async function startApplication(clientId: string, callbackToken: string): Promise<Application> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-'))
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db'), oneAtATime: true, retryDelayMs: 200 })
  const ledger = await openLedger(join(folder, 'ledger.db'))
  const { transaction } = ledger
  const receiver = createReceiver({ clientId, callbackToken, inbox, transaction, logger: QUIET })
  const outcomes = createOutcomes(receiver)
  await receiver.start()

  const server = createServer(receiveWebhooks(receiver)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    inbox,
    ledger,
    outcomes,
    async stop() {
      server.close()
      server.closeAllConnections()
      await inbox.close()
      ledger.close()
      rmSync(folder, { recursive: true })
    },
  }
}
