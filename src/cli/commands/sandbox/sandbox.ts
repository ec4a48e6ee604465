import { spawn } from 'node:child_process'
import { type Command, Option } from 'commander'
import type { Sandbox, SandboxOptions } from '../../../sandbox/index.ts'
import { quote } from '../../../testing/curl.ts'
import { addCommand } from '../../command.ts'
import { environment, portTaken, SANDBOX_PORT } from '../../environment.ts'
import { toFaults } from '../../fault-arguments.ts'
import { aborted, untilInterrupted } from '../../interruption.ts'
import { servicePathOption } from '../../open-client.ts'
import { choiceOption, timeOption, toPort, toSeconds } from '../../option-values.ts'
import { note, paint, print, type Text } from '../../output.ts'
import { toTable } from '../../table.ts'

/** Options of createSandbox. The credentials come from the environment. */
const OPTIONS: { readonly [Name in keyof SandboxOptions]?: Option } = {
  port: new Option('--port <port>', 'port; 0 is a free one').argParser(toPort).default(SANDBOX_PORT),
  servicePath: servicePathOption(),
  tokenLifetimeSeconds: timeOption('--token-lifetime <time>', 'lifetime of a token').argParser(toSeconds),
  resourcePath: new Option('--resource-path <path>', 'path below which payments and invoices can be read'),
  mode: choiceOption(
    '--mode <mode>',
    'strict rejects what the protocol does not state, lenient accepts what older clients send',
    ['strict', 'lenient'],
  ),
  stateFile: new Option('--state-file <file>', 'keep registrations, tokens and counters in a file'),
  partner: new Option('--partner', 'simulate a partner account, whose payments have receipt links'),
}

export function addSandbox(program: Command): void {
  const command = addCommand(program, 'sandbox', {
    description:
      'Run a local payments service until Ctrl-C. It has the credentials PAYHOOK_CLIENT_ID and PAYHOOK_CLIENT_SECRET, if they are set.',
    examples: [
      'payhook sandbox',
      'payhook sandbox --port 0 --json',
      'payhook sandbox --faults duplicate=1,reorder',
      'payhook sandbox & payhook wait --ready',
    ],
    json: 'print address and credentials as JSON',
  })
  for (const option of Object.values(OPTIONS)) command.addOption(option)
  command
    .option('--faults <faults>', 'faults of notifications, such as duplicate=2 or JSON', toFaults)
    .option('--open', 'open its page in the browser')
    .action((options: Values) => untilInterrupted((signal) => runSandbox(options, signal)))
}

interface Values extends Readonly<Record<string, unknown>> {
  readonly port: number
  readonly faults?: object
  readonly open?: true
}

async function runSandbox(values: Values, signal: AbortSignal): Promise<void> {
  const { createSandbox } = await import('../../../sandbox/index.ts')
  const options = Object.entries(OPTIONS).map(([name, option]) => [name, values[option.attributeName()]])
  const sandbox = await createSandbox({
    ...Object.fromEntries(options),
    clientId: environment('PAYHOOK_CLIENT_ID'),
    clientSecret: environment('PAYHOOK_CLIENT_SECRET'),
  }).catch((error) => {
    throw portTaken(error, values.port)
  })
  try {
    sandbox.setFaults(values.faults)
    const { url, clientId, clientSecret, accountId, users, redirectUris } = sandbox
    print({ url, clientId, clientSecret, accountId, users, redirectUris }, () => introduce(sandbox))
    note(nextCommands(sandbox))
    if (values.open) openBrowser(url)
    await aborted(signal)
  } finally {
    await sandbox.close()
  }
}

function introduce(sandbox: Sandbox): Text {
  const rows = toTable(variablesOf(sandbox).map((variable) => ['', ...variable]))
  return [paint('green', '●'), ' The sandbox is at ', paint('bold', sandbox.url), '\n\n', ...rows]
}

function nextCommands(sandbox: Sandbox): string {
  const variables = variablesOf(sandbox).map(([name, value]) => `${name}=${quote(value)}`)
  return `
Next, in another terminal:

  export ${variables.join(' ')}
  npx payhook listen --register

Then trigger an event:

  npx payhook trigger INBOUND_PAYMENT_STATUS_UPDATED

Stop with Ctrl-C.`
}

function variablesOf({ url, clientId, clientSecret }: Sandbox): [name: string, value: string][] {
  const variables = { BASE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  return Object.entries(variables).map(([name, value]) => [`PAYHOOK_${name}`, value])
}

function openBrowser(url: string): void {
  const commands: Record<string, string> = { darwin: 'open', win32: 'explorer' }
  const command = commands[process.platform] ?? 'xdg-open'
  const browser = spawn(command, [url], { stdio: 'ignore', detached: true })
  browser.on('error', () => note(`No browser could be opened. The page is at ${url}`))
  browser.unref()
}
