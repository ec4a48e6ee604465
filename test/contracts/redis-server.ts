import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTcpProxy } from './tcp-proxy.ts'

export type RedisSettings = Readonly<Record<string, string | number>>

export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0

/** A Redis of our own, which keeps its port and its data over a restart. */
export interface RedisServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** 0 before the first start. */
  readonly processId: number
  /** @throws if another process has taken the port meanwhile */
  start(settings?: RedisSettings): Promise<void>
  /** Keeps it from responding, like a machine that loses power: its connections stay open. */
  suspend(): void
  /** Kills it. */
  stop(): Promise<void>
}

export async function createRedisServer(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-redis-'))
  const host = '127.0.0.1'
  const port = await findFreePort()
  let processId = 0
  let suspend = () => {}
  let stop = async () => {}
  return {
    host,
    port,
    get processId() {
      return processId
    },
    async start(settings = {}) {
      const options = Object.entries({ port, bind: host, dir: folder, ...settings })
      const server = spawn(
        'redis-server',
        options.flatMap(([name, value]) => [`--${name}`, String(value)]),
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const ended = once(server, 'close')
      const kill = () => server.kill('SIGKILL')
      process.once('exit', kill)
      processId = server.pid as number
      suspend = () => void server.kill('SIGSTOP')
      stop = async () => {
        process.off('exit', kill)
        kill()
        await ended
      }
      for await (const line of createInterface(server.stdout)) {
        if (!/Ready to|Server initialized/.test(line)) continue
        server.stdout.resume()
        return
      }
      throw new Error(`Redis has not started on port ${port}.`)
    },
    suspend: () => suspend(),
    stop: () => stop(),
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Redis has no port 0. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await createTcpProxy({ host: '127.0.0.1', port: 1 })
  await close()
  return port
}
