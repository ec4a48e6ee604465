import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildSync } from 'esbuild'
import { equal, project, root, run } from './consumer-project.ts'
import type { Snippet } from './readme-snippets.ts'

const CLIENT_ID = 'my-client-id'
const CALLBACK_TOKEN = 'a-long-random-token'
const env = { ...process.env, PAYHOOK_CLIENT_ID: CLIENT_ID, PAYHOOK_CALLBACK_TOKEN: CALLBACK_TOKEN }
const BODY =
  '{"type":"INBOUND_PAYMENT_STATUS_UPDATED","data":"{\\"id\\":48121,\\"status\\":\\"Complete\\",' +
  '\\"amount\\":{\\"number\\":1250.750,\\"currency\\":\\"USD\\"}}"}'
/** By Node's own HMAC: a signature of payhook's own would prove nothing. */
const SIGNATURE = createHmac('sha256', CLIENT_ID).update(BODY).digest('hex')

const LISTENS = /\.listen\(|\bserve\(/
const EXPORTS_ANSWER = /^export (?:const (?:POST|handler)\b|default)|\b(?:Deno|Bun)\.serve\b/m

/** Whether a snippet answers requests, by itself or on a platform, and needs no other server to do so. */
export function isServer({ named, code }: Snippet): boolean {
  return named && (LISTENS.test(code) || EXPORTS_ANSWER.test(code)) && !/DATABASE_URL|REDIS_URL/.test(code)
}

/** Whether a snippet runs to its end by itself. */
export function isScript({ named, file, code }: Snippet): boolean {
  return (
    named &&
    file.endsWith('.mjs') &&
    !LISTENS.test(code) &&
    !/^export /m.test(code) &&
    !/process\.env/.test(code)
  )
}

/** Runs a script as its reader does. */
export function runScript({ file }: Snippet): void {
  run(process.execPath, [basename(file)], join(project, dirname(file)))
}

/** Runs a server as its reader does, and sends it what it has to accept and what it has to refuse. */
export async function checkServer(snippet: Snippet): Promise<void> {
  const server = start(snippet)
  try {
    const [{ port }] = (await Promise.race([once(server, 'message'), endOf(server)])) as [{ port: number }]
    const url = `http://localhost:${port}/webhooks`
    const withToken = `${url}?token=${CALLBACK_TOKEN}`
    equal(await post(withToken, SIGNATURE), 200)
    equal(await post(withToken, 'f'.repeat(64)), 401)
    equal(await post(url, SIGNATURE), 401)
    if (snippet.code.includes('SIGTERM')) await checkShutdown(server)
  } catch (error) {
    throw new Error(snippet.file, { cause: error })
  } finally {
    server.kill('SIGKILL')
  }
}

function start({ file, code }: Snippet): ChildProcess {
  const program = file.endsWith('.ts') ? bundle(file) : join(project, file)
  const args = EXPORTS_ANSWER.test(code) ? [join(root, 'scripts/snippets/serve.mjs'), program] : [program]
  return spawn(process.execPath, ['--import', join(root, 'scripts/snippets/report-port.mjs'), ...args], {
    cwd: join(project, dirname(file)),
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/** As the framework does that the file is for. */
function bundle(file: string): string {
  const outfile = join(project, `${file}.mjs`)
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external' } as const
  buildSync({ ...options, entryPoints: [join(project, file)], outfile })
  return outfile
}

async function endOf({ stderr }: ChildProcess): Promise<never> {
  throw new Error(`it ended before it listened\n${stderr && (await text(stderr))}`)
}

async function post(url: string, signature: string): Promise<number> {
  const headers = { 'access-signature': signature, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: BODY })
  await response.arrayBuffer()
  return response.status
}

/** What was accepted is handled, and the process then ends as it should. */
async function checkShutdown(server: ChildProcess): Promise<void> {
  let output = ''
  for await (const chunk of server.stdout ?? []) {
    output += chunk
    if (output.includes('payment 48121 is Complete')) server.kill('SIGTERM')
  }
  equal(output.includes('payment 48121 is Complete'), true)
  equal(server.exitCode ?? (await once(server, 'exit'))[0], 0)
}
