import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A separate Redis server, with its own configuration. */
export interface RedisServer {
  readonly host: string
  readonly port: number
  readonly processId: number
  stop(): Promise<void>
}

/**
 * Starts `redis-server` on a free port, with an append-only file.
 *
 * @param fsync when the file is synced. With `everysec`, a power cut may lose a second; with `always`, nothing.
 * @throws if redis-server is not installed
 */
export async function startRedis(fsync: 'everysec' | 'always'): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-redis-'))
  const host = '127.0.0.1'
  const port = await findFreePort(host)
  const settings = { port, bind: host, dir: folder, save: '', appendonly: 'yes', appendfsync: fsync }
  // Rewriting the file would disturb a measurement.
  const options = Object.entries({ ...settings, 'auto-aof-rewrite-percentage': 0 })
  const server = spawn(
    'redis-server',
    options.flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    await once(server, 'spawn')
    for await (const line of createInterface(server.stdout)) if (line.includes('Ready to accept')) break
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  server.stdout.resume()
  return {
    host,
    port,
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

export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
