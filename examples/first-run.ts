// All of payhook on one machine: a sandbox of the payments service, and an application that registers its
// callback URL there, receives notifications in Express, stores them in a SQLite inbox and handles them. See
// flags.ts for its usage.

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { createClient, formatSyncResult } from '../src/client/index.ts'
import { EVENT_KINDS, withCallbackToken } from '../src/index.ts'
import { createSandbox } from '../src/sandbox/index.ts'
import { startApplication } from './application.ts'
import { readFlags } from './flags.ts'
import { formatHeader, formatInbox, formatRow, formatSummary } from './outcome-table.ts'
import { createOutcomes } from './outcomes.ts'
import { PAYMENT_SCENE, playScenes, type Row, SCENES } from './scenes.ts'

const flags = readFlags()
const print = (line: string) => process.stdout.write(`${line}\n`)
const say = (text: string) => (flags.json ? undefined : print(text))

const sandbox = await createSandbox({ retryDelayMs: 200 })
const { clientId, clientSecret, url: baseUrl } = sandbox
const callbackToken = randomUUID()
const application = await startApplication(clientId, callbackToken)
const { receiver, inbox } = application
const outcomes = createOutcomes(receiver)
await receiver.start()

say(`Sandbox of the service: ${baseUrl}\nApplication: ${application.url}\n`)

const client = createClient({ baseUrl, clientId, clientSecret })
const callbackUrl = withCallbackToken(application.url, callbackToken)
const synced = await client.webhooks.sync(EVENT_KINDS.map((event) => ({ event, callbackUrl })))
if (flags.json) print(JSON.stringify({ registered: synced.created.length }))
say(`The application registers its URL for every kind of event:\n\n${formatSyncResult(synced)}\n`)

say(formatHeader())
const rows = await play(SCENES)
say(`\n${formatSummary(rows)}\n${formatInbox(await inbox.counts())}`)

if (flags.once) {
  const asExpected = synced.created.length === EVENT_KINDS.length && rows.every((row) => row.asExpected)
  process.exitCode = asExpected ? 0 : 1
  await stop()
} else {
  say(`\nTo list the registered webhooks with curl:\n\n${curl()}\n`)
  say('Press Enter to send the notifications of another payment, or Ctrl-C to stop.')
  createInterface({ input: process.stdin }).on('line', () => void play([PAYMENT_SCENE]))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

async function play(scenes: typeof SCENES): Promise<Row[]> {
  const played: Row[] = []
  for await (const row of playScenes(sandbox, outcomes, scenes)) {
    played.push(row)
    print(flags.json ? JSON.stringify(row) : formatRow(row))
  }
  return played
}

async function stop(): Promise<void> {
  process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM')
  process.stdin.destroy()
  await sandbox.close()
  await application.stop()
}

function curl(): string {
  return [
    `TOKEN=$(curl -s -u '${clientId}:${clientSecret}' ${baseUrl}/oauth/token \\`,
    `  -d grant_type=client_credentials -d scope=all | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${baseUrl}/svc/v1.2/webhooks -H "Authorization: Bearer $TOKEN" \\`,
    `  -H "X-Request-Id: $(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)" -H 'Content-Type: application/json'; echo`,
  ].join('\n')
}
