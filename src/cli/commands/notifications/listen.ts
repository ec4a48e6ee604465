import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { receiveWebhooks } from '../../../../adapters/http/node.ts'
import { EVENT_KINDS } from '../../../events/kinds.ts'
import { createReceiver } from '../../../receiver/receiver.ts'
import { type Attempt, formatAttempt, recordAttempts } from '../../attempts.ts'
import { LISTEN_PORT, portTaken, required } from '../../environment.ts'
import { aborted, untilInterrupted } from '../../interruption.ts'
import { openClient, servicePathOption } from '../../open-client.ts'
import { openInbox } from '../../open-inbox.ts'
import { toPort, toUrl } from '../../option-values.ts'
import { note, paint, print, printJson } from '../../output.ts'

interface ListenOptions {
  readonly port: number
  readonly hostname: string
  readonly forward?: URL
  readonly inbox?: string
  readonly kind?: string
  readonly status?: string
  readonly register?: URL | true
  readonly servicePath: string
  readonly json?: true
}

export function addListen(program: Command): void {
  program
    .command('listen')
    .summary('receive, verify and print notifications')
    .description(
      'Receives notifications until Ctrl-C, verifies them and prints a line for each attempt. Kinds that are not printed are received, too.',
    )
    .option('--port <port>', 'port to listen on; 0 is a free one', toPort, LISTEN_PORT)
    .option('--hostname <address>', 'address to listen on', '127.0.0.1')
    .option('--forward <url>', 'forward every request to this URL, and return its response', toUrl)
    .option(
      '--inbox <url>',
      'store verified notifications in an inbox, which is created if it does not exist',
    )
    .option('--kind <kind>', 'print only this kind')
    .option('--status <status>', 'print only payments or invoices with this status')
    .option(
      '--register [url]',
      'register this address, or the given URL, for all kinds (or --kind), and delete it at the end',
      toUrl,
    )
    .addOption(servicePathOption("the service's own name in its paths, for --register"))
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `
Examples:
  payhook listen --register
  payhook listen --forward http://127.0.0.1:3000/webhooks
  payhook listen --kind INBOUND_PAYMENT_STATUS_UPDATED --status Complete
  payhook listen --inbox sqlite:inbox.db --json`,
    )
    .action((options: ListenOptions) => untilInterrupted((signal) => listen(options, signal)))
}

async function listen(options: ListenOptions, signal: AbortSignal): Promise<void> {
  const clientId = required('PAYHOOK_CLIENT_ID')
  const inbox = options.inbox === undefined ? undefined : await openInbox(options.inbox, true)
  const report = (attempt: Attempt) => {
    if (options.kind !== undefined && attempt.kind !== options.kind) return
    if (options.status !== undefined && attempt.status !== options.status) return
    if (options.json) printJson(attempt)
    else print(formatAttempt(attempt))
  }
  const receiver = createReceiver({ clientId, inbox })
  const server = createServer((request, response) => {
    const recording = { clientId, forward: options.forward, headers: request.headers, signal, report }
    void receiveWebhooks(recordAttempts(receiver, recording))(request, response)
  })
  try {
    const url = await start(server, options)
    const unregister = options.register === undefined ? undefined : await register(options, url)
    if (options.json) printJson({ listening: url })
    else introduce(url, options)
    await aborted(signal)
    await unregister?.()
  } finally {
    server.close()
    server.closeAllConnections()
    await inbox?.close()
  }
}

async function start(server: Server, { port, hostname }: ListenOptions): Promise<string> {
  server.listen(port, hostname)
  await once(server, 'listening').catch((error) => {
    throw portTaken(error, port)
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/`
}

/** Creates missing configurations, and leaves existing ones unchanged. */
async function register(
  { register: given, kind, servicePath }: ListenOptions,
  own: string,
): Promise<() => Promise<void>> {
  const { webhooks } = await openClient({ servicePath })
  const callbackUrl = given instanceof URL ? given.href : own
  const events = kind === undefined ? EVENT_KINDS : [kind]
  const created = await Promise.all(events.map((event) => webhooks.create({ event, callbackUrl })))
  return async () => {
    await Promise.all(created.map(({ id }) => webhooks.delete(id)))
  }
}

function introduce(url: string, { forward, register }: ListenOptions): void {
  note(`${paint('green', '●', process.stderr)} Listening at ${paint('bold', url, process.stderr)}`)
  if (forward !== undefined) note(`  Requests are forwarded to ${forward.origin}${forward.pathname}`)
  if (register === undefined)
    note(`  To register it: payhook webhooks create INBOUND_PAYMENT_STATUS_UPDATED ${url}`)
  note('  Stop with Ctrl-C.\n')
}
