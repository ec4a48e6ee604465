// An application as users would write it: Express, a receiver, an inbox, and handlers that record the events.

import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { receiveWebhooks } from '../../adapters/http/express.ts'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createReceiver } from '../../src/index.ts'
import { readPlan } from '../contracts/start-program.ts'

/** The settings of the application. */
export interface ApplicationPlan {
  readonly clientId: string
  readonly callbackToken: string
  /** The SQLite file of its inbox. */
  readonly inboxPath: string
  /** The file to which its handlers append a line for each event. */
  readonly journal: string
}

const { clientId, callbackToken, inboxPath, journal } = readPlan<ApplicationPlan>()
const inbox = createSqliteInbox({ path: inboxPath })
const receiver = createReceiver({ clientId, callbackToken, inbox })

for (const kind of ['OUTBOUND_PAYMENT_STATUS_UPDATED', 'INBOUND_PAYMENT_STATUS_UPDATED'] as const) {
  receiver.on(kind, ({ data }, { signature }) => {
    appendFileSync(journal, `${signature} ${data.id} ${data.status}\n`)
  })
}

// The child must not outlive its parent.
process.once('disconnect', () => process.exit(1))

const app = express()
app.post('/webhooks', receiveWebhooks(receiver))
await receiver.start()
const server = app.listen(0, '127.0.0.1', (error) => {
  if (error !== undefined) throw error
  process.send?.({ port: (server.address() as AddressInfo).port })
})

process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await inbox.close()
  process.disconnect()
})
