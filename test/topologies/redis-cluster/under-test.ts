import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from 'vitest'
import type { EngineUnderTest, InboxStore } from '../../contracts/engine-under-test.ts'
import { createStore } from '../../contracts/inbox-store.ts'
import { describeMissing } from '../../contracts/missing.ts'
import { hasRedisServer } from '../../contracts/redis-server.ts'
import { createTcpProxy } from '../../contracts/tcp-proxy.ts'
import { createRedisCluster, type RedisCluster } from './redis-cluster.ts'

/** Tests that need a Redis Cluster, of which each file starts its own. */
export function describeWithCluster(
  name: string,
  body: (cluster: RedisCluster) => void,
  options?: Parameters<typeof createRedisCluster>[0],
): void {
  if (!hasRedisServer) {
    describeMissing(name, 'redis-server is missing. "apt-get install redis-server" installs it.')
    return
  }
  describe(name, () => {
    // Complete when the tests begin.
    const cluster = {} as RedisCluster
    beforeAll(async () => void Object.assign(cluster, await createRedisCluster(options)))
    afterAll(() => cluster[Symbol.asyncDispose]())
    body(cluster)
  })
}

/** BullMQ with a cluster. Each node is behind a proxy that can be interrupted. */
export function bullmqOn(cluster: RedisCluster, lockSeconds: number): EngineUnderTest {
  return {
    name: 'bullmq',
    leaseMs: lockSeconds * 1_000,
    createStore: () => createClusterStore(cluster, lockSeconds),
  }
}

async function createClusterStore({ nodes }: RedisCluster, lockSeconds: number): Promise<InboxStore> {
  const proxies = await Promise.all(nodes.map(createTcpProxy))
  const natMap = Object.fromEntries(
    nodes.map(({ host, port }, index) => [
      `${host}:${port}`,
      { host: '127.0.0.1', port: proxies[index]?.port ?? 0 },
    ]),
  )
  const all = (act: (proxy: (typeof proxies)[0]) => unknown) => async () => {
    await Promise.all(proxies.map(act))
  }
  return createStore(
    // The stores are on different nodes.
    { engine: 'redis-cluster', natMap, prefix: `{${randomUUID()}}`, lockSeconds },
    {
      interrupt: all((proxy) => proxy.cut()),
      hang: all((proxy) => proxy.hang()),
      restore: all((proxy) => proxy.mend()),
      clear: all((proxy) => proxy.close()),
    },
  )
}
