// All of payhook on one machine: a sandbox of the payments service, and an application that registers its
// callback URL there, receives notifications, stores them in a SQLite inbox and handles them. `npm start` and
// `payhook demo` run it.

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { createClient, formatSyncResult } from '../src/client/index.ts'
import { EVENT_KINDS, withCallbackToken } from '../src/index.ts'
import { createSandbox } from '../src/sandbox/index.ts'
import { startApplication } from './application.ts'
import { formatHeader, formatInbox, formatRow, formatSummary, type Line } from './outcome-table.ts'
import { PAYMENT_SCENE, playScenes, type Row, SCENES } from './scenes.ts'

export interface DemoOptions {
  /** Ends after the scenarios, and does not wait for Enter. */
  readonly once: boolean
  /** Called for each line of text. */
  readonly say: (text: string | Line) => void
  /** Ends the demo. */
  readonly signal: AbortSignal
}

/**
 * Plays the scenarios, then waits for Enter to play another payment, until the signal is aborted.
 *
 * @returns whether all was as expected
 * @throws the signal's reason if it is aborted before the scenarios end
 */
export async function runDemo({ once, say, signal }: DemoOptions): Promise<boolean> {
  const [clientId, callbackToken] = [randomUUID(), randomUUID()]
  const application = await startApplication(clientId, callbackToken) // first: it may find no folder to write to
  const sandbox = await createSandbox({ clientId, retryDelayMs: 200 })
  const { clientSecret, url: baseUrl } = sandbox

  async function play(scenes: typeof SCENES): Promise<Row[]> {
    const played: Row[] = []
    for await (const row of playScenes(sandbox, application, scenes)) {
      played.push(row)
      say(formatRow(row))
      if (signal.aborted) break
    }
    return played
  }

  try {
    say(`Sandbox of the service: ${baseUrl}\nApplication: ${application.url}\n`)
    const client = createClient({ baseUrl, clientId, clientSecret })
    const callbackUrl = withCallbackToken(application.url, callbackToken)
    const synced = await client.webhooks.sync(EVENT_KINDS.map((event) => ({ event, callbackUrl })))
    say(`The application registers its URL for every kind of event:\n\n${formatSyncResult(synced)}\n`)
    say(formatHeader())
    const rows = await play(SCENES)
    signal.throwIfAborted()
    say(`\n${formatSummary(rows)}\n${formatInbox(await application.inbox.counts())}`)
    if (!once) {
      say('\nPress Enter to send the notifications of another payment, or Ctrl-C to stop.')
      const lines = createInterface({ input: process.stdin, signal })
      for await (const _line of lines) await play([PAYMENT_SCENE])
      process.stdin.destroy()
    }
    return synced.created.length === EVENT_KINDS.length && rows.every((row) => row.asExpected)
  } finally {
    await sandbox.close()
    await application.stop()
  }
}
