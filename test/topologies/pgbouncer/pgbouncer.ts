import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Route, withPort } from '../../adapters/inbox/postgres/under-test.ts'
import { describeMissing } from '../../contracts/missing.ts'
import { describeWithService, POSTGRES } from '../../contracts/service.ts'
import { createTcpProxy } from '../../contracts/tcp-proxy.ts'

export interface PgbouncerOptions {
  /** The server, by default PostgreSQL itself. */
  readonly server?: URL
  /** What PgBouncer sends to the server on each new connection. */
  readonly connectQuery?: string
  readonly settings?: Readonly<Record<string, string | number>> | undefined
}

/** Debian installs it in a folder that only the PATH of root has. */
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) }

/** Tests that need PgBouncer and PostgreSQL. */
export async function describeWithPgbouncer(name: string, body: () => void): Promise<void> {
  const { status } = spawnSync('pgbouncer', ['--version'], { env })
  if (status === 0) await describeWithService(name, POSTGRES, body)
  else describeMissing(name, 'There is no PgBouncer. "apt-get install pgbouncer" installs it.')
}

/** Starts PgBouncer in transaction mode. Clients need no password, and become the user of the server's URL. */
export async function startPgbouncer(options: PgbouncerOptions = {}): Promise<Route> {
  const folder = await mkdtemp(join(tmpdir(), 'payhook-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, toConfiguration(folder, options))
  const isRoot = process.getuid?.() === 0
  // It does not run as root, and so has to create its socket as another user.
  if (isRoot) await chmod(folder, 0o777)
  const child = spawn('pgbouncer', [...(isRoot ? ['--user', 'nobody'] : []), file], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  await new Promise<void>((resolve, reject) => {
    let log = ''
    createInterface(child.stderr).on('line', (line) => {
      log += `${line}\n`
      if (line.includes('process up')) resolve()
    })
    void ended.then(() => reject(new Error(log)))
  })
  // A file as its socket, as somebody else may take a free port before PgBouncer does.
  const proxy = await createTcpProxy({ path: join(folder, '.s.PGSQL.6432') })
  return {
    url: withPort(POSTGRES, proxy.port),
    proxy,
    async close() {
      await proxy.close()
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

function toConfiguration(
  folder: string,
  { server = POSTGRES, connectQuery = '', settings = {} }: PgbouncerOptions,
): string {
  const { hostname, port, username, password } = server
  const connection = {
    host: hostname,
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connect_query: connectQuery,
  }
  const general = { unix_socket_dir: folder, auth_type: 'any', pool_mode: 'transaction', ...settings }
  return `[databases]
* = ${Object.entries(connection)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
    .join(' ')}
[pgbouncer]
${Object.entries(general)
  .map((setting) => setting.join(' = '))
  .join('\n')}
`
}
