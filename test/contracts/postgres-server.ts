import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from './redis-server.ts'

/** A PostgreSQL of our own, which keeps its port and its data over a crash. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** With all rights. */
  readonly connectionString: string
  /** Of the process that starts the others. 0 before the first start. */
  readonly processId: number
  /** Also after a crash. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Kills it, with all that is not on the disk. */
  crash(): Promise<void>
  /** Copies the running server to one that follows it, and is to be started. */
  createStandby(): Promise<Standby>
}

export interface Standby extends PostgresServer {
  /** Makes it a server of its own. */
  promote(): void
}

const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
const bin = (name: string) => join(stdout.trim(), name)

/** Whether `initdb` is installed; `pg_config` finds it. */
export const hasPostgresServer = status === 0 && spawnSync(bin('initdb'), ['--version']).status === 0

export async function createPostgresServer(): Promise<PostgresServer> {
  const folder = createFolder()
  run('initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', folder)
  return await serve(folder)
}

async function serve(folder: string): Promise<PostgresServer> {
  const host = '127.0.0.1'
  const port = await findFreePort()
  const connectionString = `postgres://postgres@${host}:${port}/postgres`
  let processId = 0
  let crash = async () => {}

  /** @returns whether it has started: not while processes of one that crashed still end */
  async function tryToStart(settings: Readonly<Record<string, string>>): Promise<boolean> {
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = ['-D', folder, '-p', String(port), '-h', host, '-k', '', ...options]
    const server = spawn(bin('postgres'), args, {
      ...otherThanRoot(),
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(server, 'close')
    const kill = () => server.kill('SIGKILL')
    process.once('exit', kill)
    processId = server.pid as number
    crash = async () => {
      process.off('exit', kill)
      kill()
      await ended
    }
    const ready = new Promise<true>((resolve) => {
      createInterface(server.stderr).on('line', (line) => {
        if (/ready to accept/.test(line)) resolve(true)
      })
    })
    return await Promise.race([ready, ended.then(() => false)])
  }

  return {
    port,
    connectionString,
    get processId() {
      return processId
    },
    async start(settings = {}) {
      while (!(await tryToStart(settings)));
    },
    crash: () => crash(),
    async createStandby() {
      const copy = createFolder()
      run(
        'pg_basebackup',
        '--pgdata',
        copy,
        '--dbname',
        connectionString,
        '--write-recovery-conf',
        '--no-sync',
        '--checkpoint=fast',
      )
      return { ...(await serve(copy)), promote: () => run('pg_ctl', 'promote', '--pgdata', copy) }
    },
    async [Symbol.asyncDispose]() {
      await crash()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-postgres-'))
  const user = otherThanRoot()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  return folder
}

function run(program: string, ...args: string[]): void {
  execFileSync(bin(program), args, { ...otherThanRoot(), cwd: tmpdir(), stdio: ['ignore', 'ignore', 'pipe'] })
}

/** PostgreSQL refuses to run as root. */
function otherThanRoot(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
