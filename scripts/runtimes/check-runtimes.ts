// Runs the built package on the oldest and newest Node, Bun, Deno and workerd. Each serves HTTP on a free port
// and receives every fixture. Runtimes with node:sqlite also test an inbox, and the client with a sandbox. Run
// after `npm run build`. The runtimes are installed from npm into a temporary folder.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { type FixtureCase, fixtureCases, knownClients } from '../../test/fixture-cases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'payhook-runtimes-'))
const callbackToken = 'a-token-of-some-length'
/** A runtime that hangs takes longer, and a busy machine does not. */
const LIMIT_MS = 60_000
const options = JSON.stringify({ clientId: knownClients, callbackToken })

const packages = {
  ...{ node220: 'npm:node@22.0.0', node22: 'npm:node@22', node26: 'npm:node@26' },
  ...{ bun: '1', deno: '2', workerd: '1' },
}

interface Runtime {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** The command for a program that uses node:sqlite. Absent if the runtime does not have it. */
  readonly sqlite?: readonly [string, ...string[]]
}

const deno = ['node_modules/.bin/deno', 'run', '--allow-net', '--allow-env'] as const
const withFiles = ['--allow-read', '--allow-write', '--allow-sys']

const runtimes: Runtime[] = [
  { name: 'Node 22.0, CommonJS', command: ['node_modules/node220/bin/node', 'node-commonjs.cjs'] },
  {
    name: 'Node 22',
    command: ['node_modules/node22/bin/node', 'node.mjs'],
    sqlite: ['node_modules/node22/bin/node', '--disable-warning=ExperimentalWarning'],
  },
  {
    name: 'Node 26',
    command: ['node_modules/node26/bin/node', 'node.mjs'],
    sqlite: ['node_modules/node26/bin/node'],
  },
  { name: 'Bun', command: ['node_modules/.bin/bun', 'bun.mjs'], sqlite: ['node_modules/.bin/bun'] },
  { name: 'Deno', command: [...deno, 'deno.mjs'], sqlite: [...deno, ...withFiles] },
  {
    name: 'workerd',
    command: [
      ...(['node_modules/.bin/workerd', 'serve', 'workerd.capnp'] as const),
      ...['--socket-addr=http=127.0.0.1:0', '--control-fd=1'],
    ],
  },
]

let failures = 0
try {
  await install()
  for (const runtime of runtimes) {
    const { name, sqlite } = runtime
    await report(name, () => checkFixtures(runtime))
    if (sqlite === undefined) continue
    await report(`${name}: the SQLite inbox`, () => checkInbox(name, sqlite))
    await report(`${name}: client and sandbox`, () => checkSandbox(sqlite))
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

async function install(): Promise<void> {
  cpSync(join(root, 'scripts/runtimes/programs'), project, { recursive: true })
  const allowScripts = { node: true, bun: true, deno: true, workerd: true }
  const dependencies = { ...packages, payhook: `file:${root}` }
  const content = { name: 'consumer', private: true, type: 'module', allowScripts, dependencies }
  writeFileSync(join(project, 'package.json'), JSON.stringify(content))
  execFileSync('npm', ['install', '--install-links', '--no-audit', '--no-fund', '--ignore-scripts=false'], {
    cwd: project,
  })
  await build({
    absWorkingDir: project,
    entryPoints: ['worker.mjs'],
    outfile: join(project, 'worker-bundle.mjs'),
    bundle: true,
    format: 'esm',
    external: ['node:*'],
  })
  writeFileSync(join(project, 'workerd.capnp'), workerdConfig())
}

/** Runs a part, which returns what it found, and reports it. */
async function report(what: string, part: () => string | Promise<string>): Promise<void> {
  try {
    console.log(`ok      ${what}: ${await part()}`)
  } catch (error) {
    failures++
    console.log(`FAILED  ${what}: ${error}`)
  }
}

function begin([program, ...args]: Runtime['command'], more: readonly string[] = []): ChildProcess {
  const env = { ...process.env, OPTIONS: options }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return spawn(join(project, program), [...args, ...more], { cwd: project, env, stdio: [...stdio] })
}

/** Runs a program to its end, and returns what it prints. */
function told([program, ...args]: Runtime['command'], more: readonly string[]): string {
  const options = { cwd: project, encoding: 'utf8', timeout: LIMIT_MS } as const
  return execFileSync(join(project, program), [...args, ...more], options).trim()
}

async function checkFixtures({ command }: Runtime): Promise<string> {
  const [version] = told([command[0]], ['--version']).split('\n')
  const child = begin(command)
  try {
    const port = await readPort(child)
    const wrong = []
    for (const one of fixtureCases) if (!(await agrees(port, one))) wrong.push(one.name)
    if (wrong.length > 0) throw new Error(`${version}: ${wrong.join(', ')}`)
    return `${fixtureCases.length} fixtures, ${version}`
  } finally {
    child.kill()
  }
}

/** One process stores a notification and is killed while handling it. The next one takes over. */
async function checkInbox(name: string, sqlite: Runtime['command']): Promise<string> {
  const file = join(project, `${name.replace(' ', '-')}.db`)
  const hanging = begin(sqlite, ['inbox.mjs', 'hang', file])
  try {
    const line = await readLine(hanging)
    hanging.kill('SIGKILL')
    await once(hanging, 'close')
    const result = told(sqlite, ['inbox.mjs', 'finish', file])
    if (line === 'handling' && result === 'attempt 2, 1 completed') return result
    throw new Error(`${line}; ${result}`)
  } finally {
    hanging.kill('SIGKILL')
  }
}

/** A client registers a callback URL with a sandbox, which then sends notifications. */
function checkSandbox(sqlite: Runtime['command']): string {
  const result = told(sqlite, ['sandbox.mjs'])
  if (result === 'INBOUND_PAYMENT_STATUS_UPDATED 9223372036854775807, then 401 401 401') return result
  throw new Error(result)
}

/** The port is the first line of the output, or in the JSON in which workerd reports its socket. */
async function readPort(child: ChildProcess): Promise<number> {
  const line = await readLine(child)
  return line.startsWith('{') ? JSON.parse(line).port : Number(line)
}

async function readLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })
  const [line] = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(LIMIT_MS) }),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The runtime exited with code ${code}.`))),
  ])
  return line
}

async function agrees(port: number, { body, signature, expect }: FixtureCase): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/?token=${callbackToken}`, {
    method: 'POST',
    body,
    headers: headersOf(signature),
  })
  const reply = (await response.json()) as { code?: string; issues?: unknown }
  if (expect.code !== undefined) return reply.code === expect.code
  const { issues: _issues, ...event } = reply
  const { issues: _expected, ...expected } = expect as { issues?: unknown }
  return response.status === 200 && isDeepStrictEqual(event, expected)
}

/** Characters beyond Latin-1 are sent as UTF-8 bytes. */
function headersOf(signature: FixtureCase['signature']): [string, string][] {
  return [signature ?? []].flat().map((value) => ['access-signature', Buffer.from(value).toString('latin1')])
}

function workerdConfig(): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker-bundle.mjs")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "OPTIONS", text = ${JSON.stringify(options)})],
);
`
}
