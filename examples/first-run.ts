// A receiver in Express on a free port of this machine, which keeps what it acknowledges in a SQLite inbox and handles it
// from there, and every fixture delivered to it over HTTP.
//
//   npm start              delivers, then stays up for you to try
//   npm start -- --once    ends after the delivery; exit code 1 when a verdict is not the expected one
//   npm start -- --json    one JSON object a line in place of the table

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import express from 'express'
import { receiveWebhooks } from '../adapters/http/express.ts'
import { createSqliteInbox } from '../adapters/inbox/sqlite.ts'
import { createReceiver, withCallbackToken } from '../src/index.ts'
import { type Delivery, deliverFixtures, readClients, readCurlCase } from './fixture-delivery.ts'
import { createOutcomes } from './outcomes.ts'
import { formatHeader, formatInbox, formatRow, formatSummary } from './verdict-table.ts'

const { values: flags } = parseArgs({
  options: { once: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})

const callbackToken = randomUUID()
const clients = readClients()
const folder = mkdtempSync(join(tmpdir(), 'payhook-'))
const inbox = createSqliteInbox({ path: join(folder, 'inbox.db') })
const receiver = createReceiver({ clientId: [clients.default, clients.second], callbackToken, inbox })
const outcomes = createOutcomes(receiver)
await receiver.start()

const app = express()
app.post('/webhooks', receiveWebhooks(receiver))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const url = withCallbackToken(`http://127.0.0.1:${port}/webhooks`, callbackToken)

const print = (line: string) => process.stdout.write(`${line}\n`)
if (!flags.json)
  print(`payhook receives in Express at http://127.0.0.1:${port}/webhooks\n\n${formatHeader()}`)

const deliveries: Delivery[] = []
for await (const delivery of deliverFixtures(url, outcomes.of)) {
  deliveries.push(delivery)
  print(flags.json ? JSON.stringify(delivery) : formatRow(delivery))
}
if (!flags.json) print(`\n${formatSummary(deliveries)}\n${formatInbox(await inbox.counts())}`)

if (flags.once) {
  process.exitCode = deliveries.every(({ asExpected }) => asExpected) ? 0 : 1
  await stop()
} else {
  receiver.onAny((event) => print(`\nhandled: ${JSON.stringify(event, undefined, 2)}`))
  receiver.onRejected((error) => print(`\nrefused: ${error.code}: ${error.message}`))
  print(
    `\nSend one yourself, from this folder. It came already, so it is a duplicate for two minutes: acknowledged, and not\n` +
      `handled again. Change a digit of the signature and see it refused:\n\n${curl()}\n`,
  )
  print('Stop with Ctrl-C.')
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

/** Ends at once, whatever connections are open, but not before what is being handled has been. */
async function stop(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await inbox.close()
  rmSync(folder, { recursive: true })
}

function curl(): string {
  const { file, signature } = readCurlCase()
  return [
    `curl -i '${url}'`,
    "-H 'Content-Type: application/json'",
    `-H 'ACCESS-SIGNATURE: ${signature}'`,
    `--data-binary @${file}`,
  ].join(' \\\n  ')
}
