import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineServer, startEngine } from './engine-server.ts'

/** A separate Redis server, with its own configuration. */
export interface RedisServer extends EngineServer {
  readonly host: string
  readonly port: number
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
  const server = await startEngine({
    command: 'redis-server',
    args: options.flatMap(([name, value]) => [`--${name}`, String(value)]),
    folder,
    ready: 'Ready to accept',
    signal: 'SIGKILL',
  })
  return { ...server, host, port }
}

export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
