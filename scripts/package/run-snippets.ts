import { createHmac } from 'node:crypto'
import { basename, delimiter, dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import { createSandbox } from '../../src/sandbox/index.ts'
import { type Running, start } from '../running.ts'
import { equal, project, root, run } from './consumer-project.ts'
import type { Snippet } from './readme-snippets.ts'

const CLIENT_ID = 'my-client-id'
const CALLBACK_TOKEN = 'a-long-random-token'
const BODY =
  '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":"{\\"id\\":48121,\\"status\\":\\"Complete\\",' +
  '\\"amount\\":{\\"number\\":1250.750,\\"currency\\":\\"USD\\"}}"}'
/** By Node's own HMAC: a signature of payhook's own would prove nothing. */
const SIGNATURE = createHmac('sha256', CLIENT_ID).update(BODY).digest('hex')

const LISTENS = /\.listen\(|\bserve\(/
const EXPORTS_HANDLER = /^export (?:const (?:POST|handler)\b|default)|\b(?:Deno|Bun)\.serve\b/m

const env: NodeJS.ProcessEnv = {
  ...process.env,
  PAYHOOK_CLIENT_ID: CLIENT_ID,
  PAYHOOK_CALLBACK_TOKEN: CALLBACK_TOKEN,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NODE_OPTIONS: `--import=${join(root, 'scripts/package/snippets/report-port.mjs')}`,
}

/** Whether a snippet receives notifications, by itself or on a platform, and needs no other server to do so. */
export function isServer({ named, code }: Snippet): boolean {
  return (
    named &&
    (LISTENS.test(code) || EXPORTS_HANDLER.test(code)) &&
    !/DATABASE_URL|REDIS_URL|METRICS_PORT|Records|test\(/.test(code)
  )
}

/** Whether a snippet runs to its end by itself. */
export function isScript(snippet: Snippet): boolean {
  const { named, file, code } = snippet
  return named && file.endsWith('.mjs') && !isServer(snippet) && !/^export |process\.env/m.test(code)
}

const CREATE_INBOX = `
  import { createSqliteInbox } from 'payhook/sqlite'
  await createSqliteInbox({ path: 'inbox.db' }).close()
`

/** Runs a script as its reader does, who has an inbox. */
export function runScript({ file, code }: Snippet): void {
  const folder = join(project, dirname(file))
  if (code.includes('create: false'))
    run(process.execPath, ['--input-type=module', '-e', CREATE_INBOX], folder)
  run(process.execPath, [basename(file)], folder)
}

/** Runs a server as its reader does, and sends it what it has to accept and what it has to reject. */
export async function checkServer({ file, code }: Snippet): Promise<void> {
  const program = file.endsWith('.ts') ? bundle(file) : join(project, file)
  const args = EXPORTS_HANDLER.test(code)
    ? [join(root, 'scripts/package/snippets/serve.mjs'), program]
    : [program]
  // For a server that reads what is true now.
  await using api = await createSandbox({ clientId: CLIENT_ID, resourcePath: '/svc/v1.2' })
  api.createPayment({ id: 48121, status: 'Complete' })
  const apiEnv = { PAYHOOK_BASE_URL: api.url, PAYHOOK_CLIENT_SECRET: api.clientSecret }
  const server = start(process.execPath, args, join(project, dirname(file)), { ...env, ...apiEnv })
  try {
    const url = `http://localhost:${await portOf(server)}/webhooks`
    const withToken = `${url}?token=${CALLBACK_TOKEN}`
    equal(await post(withToken, SIGNATURE), 200)
    equal(await post(withToken, 'f'.repeat(64)), 401)
    equal(await post(url, SIGNATURE), 401)
    if (code.includes('SIGTERM')) {
      await server.waitFor(/payment 48121 is Complete/)
      server.kill('SIGTERM')
      equal(await server.ended, 0)
    }
  } catch (error) {
    throw new Error(file, { cause: error })
  } finally {
    server.kill('SIGKILL')
  }
}

/** Runs the README's commands for the sandbox: it has to notify the README's server. */
export async function checkSandboxCommands(readme: readonly Snippet[]): Promise<void> {
  const running: Running[] = []
  // Each command sets what it needs, and the sandbox has credentials of its own.
  const { PAYHOOK_CLIENT_ID: _clientId, PAYHOOK_CALLBACK_TOKEN: _callbackToken, ...bare } = env
  const shell = (name: string, replace = (code: string) => code) => {
    const block = readme.find(({ language, code }) => language === 'sh' && code.startsWith(`# ${name}\n`))
    if (!block) throw new Error(`the README has no commands for the ${name}`)
    const started = start('bash', ['-ec', replace(block.code)], join(project, dirname(block.file)), bare)
    running.push(started)
    return started
  }
  try {
    const sandboxPort = await portOf(shell('sandbox'))
    const server = shell('server', (code) => code.replaceAll('4949', sandboxPort))
    const serverPort = await portOf(server)
    const payment = shell('payment', (code) =>
      code.replaceAll('4949', sandboxPort).replaceAll('3000', serverPort),
    )
    equal(await payment.ended, 0)
    await server.waitFor(/payment \d+ is Complete: 1250\.5 USD/)
  } finally {
    for (const each of running) each.kill('SIGKILL')
  }
}

async function portOf(server: Running): Promise<string> {
  const [, port = ''] = await server.waitFor(/snippet listens on (\d+)/)
  return port
}

/** As the framework does that the file is for. */
function bundle(file: string): string {
  const outfile = join(project, `${file}.mjs`)
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external' } as const
  buildSync({ ...options, entryPoints: [join(project, file)], outfile })
  return outfile
}

async function post(url: string, signature: string): Promise<number> {
  const headers = { 'access-signature': signature, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: BODY })
  await response.arrayBuffer()
  return response.status
}
