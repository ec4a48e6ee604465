import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from './redis-server.ts'

/** A separate PostgreSQL server with the default configuration. */
export interface PostgresServer {
  readonly connectionString: string
  /** Of the process that starts all others of the server. */
  readonly processId: number
  stop(): Promise<void>
}

/**
 * Creates a database cluster, and starts `postgres` on a free port.
 *
 * @throws if PostgreSQL's server is not installed; `pg_config` finds it
 */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
  const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-postgres-'))
  const user = otherThanRoot()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const host = '127.0.0.1'
  const port = await findFreePort(host)
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(join(bin, 'initdb'), [...settings, folder], { ...user, cwd: folder, stdio: 'ignore' })
  const options = ['-D', folder, '-p', String(port), '-h', host, '-k', '']
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
  const server = spawn(join(bin, 'postgres'), options, { ...user, cwd: folder, stdio })
  const kill = () => server.kill('SIGQUIT')
  process.once('exit', kill)
  await once(server, 'spawn')
  for await (const line of createInterface(server.stderr)) if (line.includes('ready to accept')) break
  server.stderr.resume()
  return {
    connectionString: `postgres://postgres@${host}:${port}/postgres`,
    processId: server.pid as number,
    async stop() {
      const gone = once(server, 'exit')
      kill()
      await gone
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function otherThanRoot(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
