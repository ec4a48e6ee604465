import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { receiveWebhooks } from '../../../../adapters/http/node.ts'
import { withoutSecrets } from '../../../client/http/shown-url.ts'
import { isActive, toKey } from '../../../client/webhooks/webhook-configuration.ts'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { createReceiver } from '../../../receiver/receiver.ts'
import { type Attempt, formatAttempt, recordAttempts } from '../../attempts.ts'
import { addCommand } from '../../command.ts'
import { LISTEN_PORT, portTaken, required } from '../../environment.ts'
import { UsageError } from '../../errors.ts'
import { aborted, untilInterrupted } from '../../interruption.ts'
import { openClient } from '../../open-client.ts'
import { openInbox } from '../../open-inbox.ts'
import { toPort, toUrl } from '../../option-values.ts'
import { isJsonOutput, note, paint, print, warn } from '../../output.ts'

/** How long the service may take to delete what was registered, when the user waits for the end. */
const REMOVE_MS = 5_000

interface ListenOptions {
  readonly port: number
  readonly forward?: URL
  readonly inbox?: string
  readonly kind?: string
  readonly status?: string
  readonly register?: URL | true
}

export function addListen(program: Command): void {
  addCommand(program, 'listen', {
    description:
      'Receive, verify and print notifications. Until Ctrl-C, with a line for each attempt. Kinds that are not printed are received, too.',
    examples: [
      'payhook listen --register',
      'payhook listen --forward http://127.0.0.1:3000/webhooks',
      'payhook listen --inbox sqlite:inbox.db --json',
    ],
  })
    .option('--port <port>', 'port to listen on; 0 is a free one', toPort, LISTEN_PORT)
    .option('--forward <url>', 'forward every request to this URL, and return its response', toUrl)
    .option('--inbox <url>', 'store verified notifications in this inbox, created if it does not exist')
    .option('--kind <kind>', 'print only this kind')
    .option('--status <status>', 'print only payments or invoices with this status')
    .option(
      '--register [url]',
      'register this address, or a URL, for all kinds, or --kind, until the end, unless it is already',
      toUrl,
    )
    .action((options: ListenOptions) => untilInterrupted((signal) => listen(options, signal)))
}

async function listen(options: ListenOptions, signal: AbortSignal): Promise<void> {
  const { forward, kind, status } = options
  const clientId = required('PAYHOOK_CLIENT_ID')
  const inbox = options.inbox === undefined ? undefined : await openInbox(options.inbox, true)
  const report = (attempt: Attempt) => {
    if (attempt.kind !== (kind ?? attempt.kind) || attempt.status !== (status ?? attempt.status)) return
    try {
      print(attempt, formatAttempt)
    } catch {
      // Data that is nested too deeply cannot be written as JSON.
      const { data, ...rest } = attempt
      print(rest, formatAttempt)
    }
  }
  // Each attempt is printed anyway.
  const logger = { warn() {}, error() {} }
  const receiver = createReceiver({ clientId, callbackToken: false, inbox, logger })
  const recording = { clientId, forward, signal, report }
  const server = createServer((request, response) => {
    void receiveWebhooks(recordAttempts(receiver, recording, request, response))(request, response)
  })
  try {
    const url = await start(server, options.port)
    if (forward !== undefined && isSame(forward, url))
      throw new UsageError('--forward must be the URL of another server, not of listen itself.')
    const registered = options.register === undefined ? undefined : await register(options, url, signal)
    try {
      introduce(url, options, registered)
      await aborted(signal)
    } finally {
      await registered?.remove()
    }
  } finally {
    server.close()
    server.closeAllConnections()
    await inbox?.close()
  }
}

async function start(server: Server, wanted: number): Promise<string> {
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening').catch((error) => {
    throw portTaken(error, wanted)
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/`
}

function isSame({ port, hostname }: URL, own: string): boolean {
  return port === new URL(own).port && /^(?:localhost|127\..*)$/.test(hostname)
}

/** Creates missing configurations, and leaves existing ones unchanged. If one fails, none stays. */
async function register({ register: given, kind }: ListenOptions, own: string, signal: AbortSignal) {
  const { webhooks } = await openClient()
  const url = given instanceof URL ? given.href : own
  const kinds = kind === undefined ? EVENT_KINDS : [kind]
  const existing = new Set((await webhooks.list({ signal })).filter(isActive).map(toKey))
  const missing = kinds.filter((event) => !existing.has(toKey({ event, callbackUrl: url })))
  const results = await Promise.allSettled(
    missing.map((event) => webhooks.create({ event, callbackUrl: url })),
  )
  const created = results.flatMap((result) => (result.status === 'fulfilled' ? result.value.id : []))
  async function remove() {
    const limit = { signal: AbortSignal.timeout(REMOVE_MS) }
    const removed = await Promise.allSettled(created.map((id) => webhooks.delete(id, limit)))
    const left = created.filter((_, index) => removed[index]?.status === 'rejected')
    if (left.length === 0) return
    const advice = `Delete with: payhook webhooks delete ${left[0]}`
    warn(`The service does not respond: ${left.join(', ')} may still be registered. ${advice}`)
  }
  const failed = results.find((result) => result.status === 'rejected')
  if (failed === undefined) return { url, kinds: kind ?? `all ${kinds.length} kinds`, remove }
  await remove()
  throw failed.reason
}

type Registered = Awaited<ReturnType<typeof register>>

function introduce(url: string, { forward }: ListenOptions, registered: Registered | undefined): void {
  if (isJsonOutput()) print({ listening: url, registered: registered?.url }, () => '')
  note([paint('green', '●'), ' Listening at ', paint('bold', url)])
  if (forward !== undefined) note(`  Requests are forwarded to ${forward.origin}${forward.pathname}`)
  note(
    registered === undefined
      ? `  To register it: payhook webhooks create INBOUND_PAYMENT_STATUS_UPDATED ${url}`
      : `  ${withoutSecrets(registered.url)} is registered for ${registered.kinds}`,
  )
  note('  Stop with Ctrl-C.\n')
}
