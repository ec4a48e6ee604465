import { createRedisServer, type RedisServer } from '../../test/contracts/redis-server.ts'

/**
 * Starts `redis-server` on a free port, with an append-only file.
 *
 * @param fsync when the file is synced. With `everysec`, a power cut may lose a second; with `always`, nothing.
 */
export async function startRedis(fsync: 'everysec' | 'always'): Promise<RedisServer> {
  const server = await createRedisServer()
  // Rewriting the file would disturb a measurement.
  const settings = { save: '', appendonly: 'yes', appendfsync: fsync, 'auto-aof-rewrite-percentage': 0 }
  await server.start(settings)
  return server
}
