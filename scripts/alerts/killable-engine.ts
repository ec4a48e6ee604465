import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { InboxPlace } from '../../test/contracts/open-inbox.ts'
import { hostAndPort, POSTGRES } from '../../test/contracts/service.ts'
import { createTcpProxy } from '../../test/contracts/tcp-proxy.ts'
import { findFreePort } from './prometheus-server.ts'

/** An engine that can be made unreachable. */
export interface KillableEngine {
  readonly place: InboxPlace
  kill(): Promise<void>
  /** Idempotent. */
  restore(): Promise<void>
  dispose(): Promise<void>
}

/** A Redis of its own, that is killed and started again. */
export async function startRedis(): Promise<KillableEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-redis-'))
  const port = await findFreePort()
  const options = ['--port', `${port}`, '--dir', folder, '--appendonly', 'yes', '--save', '']
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    if (server !== undefined) return
    const started = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] })
    server = started
    for await (const line of createInterface(started.stdout)) if (line.includes('Ready to accept')) break
    started.stdout.resume()
  }

  async function kill(): Promise<void> {
    if (server === undefined) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
    server = undefined
  }

  await start()
  process.once('exit', () => server?.kill('SIGKILL'))
  return {
    place: { engine: 'bullmq', host: '127.0.0.1', port, queueName: randomUUID() },
    kill,
    restore: start,
    async dispose() {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The PostgreSQL of the tests, behind a proxy that is cut. */
export async function startPostgres(): Promise<KillableEngine> {
  const proxy = await createTcpProxy(hostAndPort(POSTGRES))
  const connection = new URL(POSTGRES)
  connection.host = `127.0.0.1:${proxy.port}`
  const schema = `payhook_alerts_${process.pid}`
  let isCut = false
  return {
    place: { engine: 'postgres', connectionString: connection.href, schema },
    async kill() {
      await proxy.cut()
      isCut = true
    },
    async restore() {
      if (isCut) await proxy.mend()
      isCut = false
    },
    async dispose() {
      await proxy.close()
      const client = new pg.Client(POSTGRES.href)
      await client.connect()
      await client.query(`drop schema if exists ${schema} cascade`)
      await client.end()
    },
  }
}
