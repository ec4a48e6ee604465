import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '../../src/client/index.ts'
import { withCallbackToken } from '../../src/index.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { root } from '../package/consumer-project.ts'
import { type Running, start } from '../running.ts'
import { type Ledger, startLedger } from './ledger.ts'

export const CALLBACK_TOKEN = 'a-long-random-token'
const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

const path = [dirname(process.execPath), process.env.PATH].join(delimiter)

/** A copy of an example with the packed package, a sandbox and a ledger. */
export interface Trial {
  readonly folder: string
  readonly sandbox: Sandbox
  readonly ledger: Ledger
  readonly env: NodeJS.ProcessEnv
  /** Starts a program in the folder. */
  start(command: string, args: string[], env?: NodeJS.ProcessEnv): Running
  /** Starts a script of the example's package.json, as `npm run` would. */
  npmRun(script: string, env?: NodeJS.ProcessEnv, args?: string): Running
  /** Registers the URL with the sandbox. */
  register(url: string): Promise<void>
}

/** Installs an example, tries it, and removes it. */
export async function tryExample(
  name: string,
  tarball: string,
  check: (trial: Trial) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `payhook-example-${name}-`))
  const running: Running[] = []
  try {
    cpSync(join(root, 'examples', name), folder, { recursive: true })
    await install(folder, tarball)
    await using sandbox = await createSandbox({ retryDelayMs: 50, resourcePath: '/svc/v1.2' })
    await using ledger = await startLedger()
    const env = {
      ...process.env,
      PATH: [join(folder, 'node_modules/.bin'), path].join(delimiter),
      PORT: '0',
      NEXT_TELEMETRY_DISABLED: '1',
      WRANGLER_SEND_METRICS: 'false',
      PAYHOOK_BASE_URL: sandbox.url,
      PAYHOOK_CLIENT_ID: sandbox.clientId,
      PAYHOOK_CLIENT_SECRET: sandbox.clientSecret,
      PAYHOOK_CALLBACK_TOKEN: CALLBACK_TOKEN,
      LEDGER_URL: ledger.url,
    }
    const { scripts } = readPackage(folder)
    const startHere: Trial['start'] = (command, args, more = {}) => {
      const started = start(command, args, folder, { ...env, ...more })
      running.push(started)
      return started
    }
    await check({
      folder,
      sandbox,
      ledger,
      env,
      start: startHere,
      npmRun: (script, more, args = '') => startHere('bash', ['-c', `exec ${scripts[script]} ${args}`], more),
      async register(url) {
        const { url: baseUrl, clientId, clientSecret } = sandbox
        const client = createClient({ baseUrl, clientId, clientSecret })
        await client.webhooks.create({ event: KIND, callbackUrl: withCallbackToken(url, CALLBACK_TOKEN) })
      },
    })
  } finally {
    for (const each of running) each.kill('SIGKILL')
    await Promise.all(running.map(({ ended }) => ended))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function install(folder: string, tarball: string): Promise<void> {
  const content = readPackage(folder)
  content.dependencies.payhook = `file:${tarball}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content))
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--ignore-scripts=false']
  await promisify(execFile)('npm', ['install', ...quiet], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  })
}

function readPackage(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
