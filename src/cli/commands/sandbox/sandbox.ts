import { type Command, Option } from 'commander'
import type { Sandbox, SandboxOptions } from '../../../sandbox/index.ts'
import { quote } from '../../../testing/curl.ts'
import { addCommand } from '../../command.ts'
import { environment, portTaken, SANDBOX_PORT } from '../../environment.ts'
import { aborted, untilInterrupted } from '../../interruption.ts'
import { choiceOption, timeOption, toPort, toSeconds } from '../../option-values.ts'
import { note, paint, print } from '../../output.ts'
import { toFaults } from '../../sandbox-arguments.ts'
import { toTable } from '../../table.ts'

/** Options of createSandbox. Credentials and service path come from the environment. */
const OPTIONS: { readonly [Name in keyof SandboxOptions]?: Option } = {
  port: new Option('--port <port>', 'port; 0 is a free one').argParser(toPort).default(SANDBOX_PORT),
  tokenLifetimeSeconds: timeOption('--token-lifetime <time>', 'lifetime of a token').argParser(toSeconds),
  resourcePath: new Option('--resource-path <path>', 'path below which payments and invoices can be read'),
  mode: choiceOption('--mode <mode>', 'strict rejects what the protocol does not define', [
    'strict',
    'lenient',
  ]),
  stateFile: new Option('--state-file <file>', 'keep registrations, tokens and counters in a file'),
  partner: new Option('--partner', 'simulate a partner account, whose payments have receipt links'),
}

interface Values extends Readonly<Record<string, unknown>> {
  readonly port: number
  readonly faults?: object
}

export function addSandbox(program: Command): void {
  const command = addCommand(program, 'sandbox', {
    description:
      'Run a local payments service until Ctrl-C. It has the credentials PAYHOOK_CLIENT_ID and PAYHOOK_CLIENT_SECRET, if they are set.',
    examples: ['payhook sandbox --faults duplicate=1,reorder', 'payhook sandbox & payhook wait --ready'],
    json: 'print address and credentials as JSON',
  })
  for (const option of Object.values(OPTIONS)) command.addOption(option)
  command
    .option('--faults <faults>', 'faults of notifications, such as duplicate=2 or JSON', toFaults)
    .action((options: Values) => untilInterrupted((signal) => runSandbox(options, signal)))
}

async function runSandbox(values: Values, signal: AbortSignal): Promise<void> {
  const { createSandbox } = await import('../../../sandbox/index.ts')
  const options = Object.entries(OPTIONS).map(([name, option]) => [name, values[option.attributeName()]])
  const sandbox = await createSandbox({
    ...Object.fromEntries(options),
    clientId: environment('PAYHOOK_CLIENT_ID'),
    clientSecret: environment('PAYHOOK_CLIENT_SECRET'),
    servicePath: environment('PAYHOOK_SERVICE_PATH'),
  }).catch((error) => {
    throw portTaken(error, values.port)
  })
  try {
    sandbox.setFaults(values.faults)
    introduce(sandbox)
    await aborted(signal)
  } finally {
    await sandbox.close()
  }
}

function introduce({ url, clientId, clientSecret, accountId, users, redirectUris }: Sandbox): void {
  const variables = Object.entries({
    PAYHOOK_BASE_URL: url,
    PAYHOOK_CLIENT_ID: clientId,
    PAYHOOK_CLIENT_SECRET: clientSecret,
  })
  print({ url, clientId, clientSecret, accountId, users, redirectUris }, () => [
    ...[paint('green', '●'), ' The sandbox is at ', paint('bold', url), '\n\n'],
    ...toTable(variables.map((variable) => ['', ...variable])),
  ])
  note(`
Next, in another terminal:

  export ${variables.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}
  npx payhook listen --register

Then trigger an event:

  npx payhook trigger INBOUND_PAYMENT_STATUS_UPDATED

Stop with Ctrl-C.`)
}
