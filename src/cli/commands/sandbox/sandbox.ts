import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { environment, portTaken, SANDBOX_PORT } from '../../environment.ts'
import { Failure } from '../../errors.ts'
import { toFaults } from '../../fault-arguments.ts'
import { aborted, untilInterrupted } from '../../interruption.ts'
import { timeOption, toMilliseconds, toPort } from '../../option-values.ts'
import { note, paint, print, printJson, toTable } from '../../output.ts'

interface SandboxCommandOptions {
  readonly port: number
  readonly hostname: string
  readonly state?: string
  readonly faults?: object
  readonly retryDelay?: number
  readonly allowedHost?: readonly string[]
  readonly payments?: string
  readonly strict?: true
  readonly lenient?: true
  readonly waitReady?: true
  readonly timeout: number
  readonly open?: true
  readonly json?: true
}

export function addSandbox(program: Command): void {
  program
    .command('sandbox')
    .summary('run a local payments service')
    .description(
      'Runs a local payments service until Ctrl-C. It has the credentials PAYHOOK_CLIENT_ID and PAYHOOK_CLIENT_SECRET, if they are set.',
    )
    .option('--port <port>', 'port to listen on; 0 is a free one', toPort, SANDBOX_PORT)
    .option('--hostname <address>', 'address to listen on', '127.0.0.1')
    .option('--state <file>', 'keep registrations, tokens and counters in a file')
    .option(
      '--faults <faults>',
      `faults of its notifications, such as duplicate=2,delayMs=500 or JSON`,
      toFaults,
    )
    .option('--retry-delay <time>', 'time between two attempts; default: 5s', toMilliseconds)
    .option('--allowed-host <names...>', 'host names to answer to, behind a proxy or in Docker')
    .option('--payments <path>', 'path below which payments and invoices can be read')
    .option('--strict', 'refuse what the protocol does not state')
    .option('--lenient', 'accept requests of clients of other years')
    .option('--wait-ready', 'start nothing; wait until the sandbox at this port answers')
    .addOption(timeOption('--timeout <time>', 'how long --wait-ready waits', '30s'))
    .option('--open', 'open its page in the browser')
    .option('--json', 'print address and credentials as JSON')
    .addHelpText(
      'after',
      `
Examples:
  payhook sandbox
  payhook sandbox --port 0 --json
  payhook sandbox --faults duplicate=1,reorder
  payhook sandbox & payhook sandbox --wait-ready`,
    )
    .action(async (options: SandboxCommandOptions) => {
      if (options.waitReady) await waitReady(options)
      else await untilInterrupted((signal) => runSandbox(options, signal))
    })
}

async function runSandbox(options: SandboxCommandOptions, signal: AbortSignal): Promise<void> {
  const { port, hostname, faults, retryDelay, allowedHost, json } = options
  const { state, payments, strict, lenient } = options
  const { createSandbox } = await import('../../../sandbox/index.ts')
  const sandbox = await createSandbox({
    port,
    hostname,
    clientId: environment('PAYHOOK_CLIENT_ID'),
    clientSecret: environment('PAYHOOK_CLIENT_SECRET'),
    retryDelayMs: retryDelay,
    allowedHosts: allowedHost,
    state,
    payments,
    strict,
    lenient,
  }).catch((error) => {
    throw portTaken(error, port)
  })
  try {
    sandbox.setFaults(faults)
    if (json) printJson(describe(sandbox))
    else introduce(sandbox)
    if (options.open) openBrowser(sandbox.url)
    await aborted(signal)
  } finally {
    await sandbox.close()
  }
}

function describe({ url, clientId, clientSecret, accountId, users, redirectUris }: Sandbox): object {
  return { url, clientId, clientSecret, accountId, users, redirectUris }
}

function introduce({ url, clientId, clientSecret }: Sandbox): void {
  const variables = [
    ['PAYHOOK_BASE_URL', url],
    ['PAYHOOK_CLIENT_ID', clientId],
    ['PAYHOOK_CLIENT_SECRET', clientSecret],
  ] as const
  print(`${paint('green', '●')} The sandbox is at ${paint('bold', url)}\n`)
  for (const line of toTable(variables)) print(`  ${line}`)
  const exports = variables.map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'`).join(' ')
  note(`
Next, in another terminal:

  export ${exports}
  npx payhook listen --register

Then have something happen:

  npx payhook trigger INBOUND_PAYMENT_STATUS_UPDATED

Stop with Ctrl-C.`)
}

function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""']
        : ['xdg-open']
  const browser = spawn(command as string, [...args, url], { stdio: 'ignore', detached: true })
  browser.on('error', () => note(`No browser could be opened. The page is at ${url}`))
  browser.unref()
}

async function waitReady({ port, hostname, timeout, json }: SandboxCommandOptions): Promise<void> {
  const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  const end = performance.now() + timeout
  while (!(await isReady(url))) {
    if (performance.now() > end)
      throw new Failure(`No sandbox answers at ${url} after ${timeout / 1_000} s.`, { code: 'not_ready' })
    await delay(50)
  }
  if (json) printJson({ url })
  else print(url)
}

/** The token endpoint refuses a request without credentials: whoever does that is ready. */
async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', signal: AbortSignal.timeout(2_000) })
    return response.status === 400 || response.status === 401
  } catch {
    return false
  }
}
