import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { receiveWebhooks } from '../adapters/http/express.ts'
import { createSqliteInbox, type Inbox } from '../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createReceiver, type Receiver } from '../src/index.ts'

/** An application that is notified: Express, a receiver, and an inbox in a folder that goes with it. */
export interface Application {
  /** Where notifications are received, without the callback token. */
  readonly url: string
  readonly receiver: Receiver
  readonly inbox: Inbox
  /** Ends at once, whatever connections are open, but not before what is being handled has been. */
  stop(): Promise<void>
}

export async function startApplication(clientId: string, callbackToken: string): Promise<Application> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-'))
  const inbox = createSqliteInbox({ path: join(folder, 'inbox.db') })
  const receiver = createReceiver({ clientId, callbackToken, inbox })

  const app = express()
  app.post('/webhooks', receiveWebhooks(receiver))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    receiver,
    inbox,
    async stop() {
      server.close()
      server.closeAllConnections()
      await inbox.close()
      rmSync(folder, { recursive: true })
    },
  }
}
