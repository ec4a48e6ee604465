// The whole of payhook on one machine: a sandbox of the payments service, and an application that registers its callback URL
// there, receives what the sandbox sends in Express, keeps it in a SQLite inbox and handles it from there.
//
//   npm start              shows it, then stays up for you to try
//   npm start -- --once    ends after that; exit code 1 when something did not come out as it should
//   npm start -- --json    one JSON object a line in place of the text

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createClient, formatSyncResult } from '../src/client/index.ts'
import { EVENT_KINDS, withCallbackToken } from '../src/index.ts'
import { createSandbox } from '../src/sandbox/index.ts'
import { startApplication } from './application.ts'
import { formatHeader, formatInbox, formatRow, formatSummary } from './outcome-table.ts'
import { createOutcomes } from './outcomes.ts'
import { playScenes } from './scenes.ts'

const { values: flags } = parseArgs({
  options: { once: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})
const print = (line: string) => process.stdout.write(`${line}\n`)
const say = (text: string) => (flags.json ? undefined : print(text))

const sandbox = await createSandbox({ retryDelayMs: 200 })
const { clientId, clientSecret, url: baseUrl } = sandbox
const callbackToken = randomUUID()
const application = await startApplication(clientId, callbackToken)
const { receiver, inbox } = application
const outcomes = createOutcomes(receiver)
await receiver.start()

say(`The sandbox of the service is at ${baseUrl}, the application receives at ${application.url}\n`)

const client = createClient({ baseUrl, clientId, clientSecret })
const callbackUrl = withCallbackToken(application.url, callbackToken)
const synced = await client.webhooks.sync(EVENT_KINDS.map((event) => ({ event, callbackUrl })))
if (flags.json) print(JSON.stringify({ registered: synced.created.length }))
say(`The application registers its URL for all kinds of event:\n\n${formatSyncResult(synced)}\n`)

say(formatHeader())
const rows = []
for await (const row of playScenes(sandbox, outcomes)) {
  rows.push(row)
  print(flags.json ? JSON.stringify(row) : formatRow(row))
}
say(`\n${formatSummary(rows)}\n${formatInbox(await inbox.counts())}`)

if (flags.once) {
  const asExpected = synced.created.length === EVENT_KINDS.length && rows.every((row) => row.asExpected)
  process.exitCode = asExpected ? 0 : 1
  await stop()
} else {
  receiver.onAny((event) => print(`\nhandled: ${JSON.stringify(event, undefined, 2)}`))
  receiver.onRejected((error) => print(`\nrefused: ${error.code}: ${error.message}`))
  say(`\nSee what is registered, as the client does:\n\n${curl()}\n`)
  say('Press Enter to walk another payment through its statuses. Stop with Ctrl-C.')
  createInterface({ input: process.stdin }).on('line', () => void sandbox.createPayment().walk())
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

async function stop(): Promise<void> {
  process.stdin.destroy()
  await sandbox.close()
  await application.stop()
}

function curl(): string {
  return [
    `TOKEN=$(curl -s -u '${clientId}:${clientSecret}' ${baseUrl}/oauth/token \\`,
    `  -d grant_type=client_credentials -d scope=all | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${baseUrl}/svc/v1.2/webhooks -H "Authorization: Bearer $TOKEN" \\`,
    `  -H "X-Request-Id: $(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)" -H 'Content-Type: application/json'`,
  ].join('\n')
}
