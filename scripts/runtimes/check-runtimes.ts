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
const clientIds = JSON.stringify(knownClients)

const packages = {
  node220: 'npm:node@22.0.0',
  node22: 'npm:node@22',
  node26: 'npm:node@26',
  bun: '1',
  deno: '2',
  workerd: '1',
}

interface Runtime {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** The command for a program that uses node:sqlite. Absent if the runtime does not have it. */
  readonly sqlite?: readonly [string, ...string[]]
}

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
  {
    name: 'Bun',
    command: ['node_modules/.bin/bun', 'bun.mjs'],
    sqlite: ['node_modules/.bin/bun'],
  },
  {
    name: 'Deno',
    command: ['node_modules/.bin/deno', 'run', '--allow-net', '--allow-env', 'deno.mjs'],
    sqlite: [
      'node_modules/.bin/deno',
      'run',
      '--allow-net',
      '--allow-env',
      '--allow-read',
      '--allow-write',
      '--allow-sys',
    ],
  },
  {
    name: 'workerd',
    command: [
      'node_modules/.bin/workerd',
      'serve',
      'workerd.capnp',
      '--socket-addr=http=127.0.0.1:0',
      '--control-fd=1',
    ],
  },
]

let failures = 0
try {
  await install()
  for (const runtime of runtimes) {
    await check(runtime)
    if (runtime.sqlite === undefined) continue
    await checkInbox(runtime.name, runtime.sqlite)
    checkSandbox(runtime.name, runtime.sqlite)
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

async function check({ name, command }: Runtime): Promise<void> {
  const [program, ...args] = command
  const [version] = execFileSync(join(project, program), ['--version'], { encoding: 'utf8' }).split('\n')
  const child = spawn(join(project, program), args, {
    cwd: project,
    env: { ...process.env, CLIENT_IDS: clientIds },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await readPort(child)
    const wrong = []
    for (const one of fixtureCases) if (!(await agrees(port, one))) wrong.push(one.name)
    if (wrong.length > 0) failures++
    console.log(
      `${wrong.length === 0 ? 'ok     ' : 'FAILED '} ${name} (${version}): ${fixtureCases.length} fixtures ${wrong.join(', ')}`,
    )
  } catch (error) {
    failures++
    console.log(`FAILED  ${name}: ${error}`)
  } finally {
    child.kill()
  }
}

/** One process stores a notification and is killed while handling it. The next one takes over. */
async function checkInbox(name: string, [program, ...args]: readonly [string, ...string[]]): Promise<void> {
  const file = join(project, `${name.replace(' ', '-')}.db`)
  const hanging = spawn(join(project, program), [...args, 'inbox.mjs', 'hang', file], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const line = await readLine(hanging)
    hanging.kill('SIGKILL')
    await once(hanging, 'close')
    const told = execFileSync(join(project, program), [...args, 'inbox.mjs', 'finish', file], {
      cwd: project,
      encoding: 'utf8',
      timeout: 20_000,
    }).trim()
    if (line !== 'handling' || told !== 'attempt 2, 1 completed') throw new Error(`${line}; ${told}`)
    console.log(`ok      ${name}: the SQLite inbox: ${told}`)
  } catch (error) {
    failures++
    console.log(`FAILED  ${name}: the SQLite inbox: ${error}`)
  } finally {
    hanging.kill('SIGKILL')
  }
}

/** A client registers a callback URL with a sandbox, which then sends notifications. */
function checkSandbox(name: string, [program, ...args]: readonly [string, ...string[]]): void {
  try {
    const told = execFileSync(join(project, program), [...args, 'sandbox.mjs'], {
      cwd: project,
      encoding: 'utf8',
      timeout: 20_000,
    }).trim()
    if (told !== 'INBOUND_PAYMENT_STATUS_UPDATED 9223372036854775807, then 401 401 401') throw new Error(told)
    console.log(`ok      ${name}: client and sandbox: ${told}`)
  } catch (error) {
    failures++
    console.log(`FAILED  ${name}: client and sandbox: ${error}`)
  }
}

/** The port is the first line of the output, or in the JSON in which workerd reports its socket. */
async function readPort(child: ChildProcess): Promise<number> {
  const line = await readLine(child)
  return line.startsWith('{') ? JSON.parse(line).port : Number(line)
}

async function readLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })
  const [line] = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(20_000) }),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The runtime exited with code ${code}.`))),
  ])
  return line
}

async function agrees(port: number, { body, signature, expect }: FixtureCase): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
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
  bindings = [(name = "CLIENT_IDS", text = ${JSON.stringify(clientIds)})],
);
`
}
