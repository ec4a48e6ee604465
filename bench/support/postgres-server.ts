import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineServer, startEngine } from './engine-server.ts'
import { findFreePort } from './redis-server.ts'

/** A separate PostgreSQL server with the default configuration. */
export interface PostgresServer extends EngineServer {
  readonly connectionString: string
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
  const server = await startEngine({
    command: join(bin, 'postgres'),
    args: ['-D', folder, '-p', String(port), '-h', host, '-k', ''],
    user,
    folder,
    ready: 'ready to accept',
    signal: 'SIGQUIT',
  })
  return { ...server, connectionString: `postgres://postgres@${host}:${port}/postgres` }
}

/** PostgreSQL refuses to run as root. */
function otherThanRoot(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
