import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import {
  createRedisServer,
  findFreePort,
  type RedisServer,
  type RedisSettings,
} from '../../contracts/redis-server.ts'
import { waitFor } from '../../contracts/wait-for.ts'

const MASTERS = 3
const HOST = '127.0.0.1'

/** A process of a cluster, which can be killed and started again. */
export interface ClusterNode extends Pick<RedisServer, 'port' | 'suspend' | 'stop'> {
  readonly host: string
  /** A connection to this node alone. */
  readonly admin: Redis
  start(): Promise<void>
}

/** A Redis Cluster of our own. */
export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly ClusterNode[]
  /** The node that is the master for a key. */
  masterOf(key: string): Promise<ClusterNode>
}

/** @param replicas the number of replicas of each of the three masters */
export async function createRedisCluster(
  options: { readonly replicas?: number; readonly settings?: RedisSettings } = {},
): Promise<RedisCluster> {
  const { replicas = 0, settings = {} } = options
  const count = MASTERS * (1 + replicas)
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(settings)))
  const nodes = servers.map(toNode)
  const addresses = nodes.map(({ host, port }) => `${host}:${port}`)
  const cli = ['--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes']
  await promisify(execFile)('redis-cli', cli)

  await waitFor(async () => {
    const infos = await Promise.all(nodes.map(({ admin }) => admin.cluster('INFO')))
    return infos.every((info) => info.includes('cluster_state:ok'))
  })
  return {
    nodes,
    async masterOf(key) {
      // Some may be down.
      const [slot, ranges] = await Promise.any(
        nodes.map(({ admin }) => Promise.all([admin.cluster('KEYSLOT', key), admin.cluster('SLOTS')])),
      )
      const range = ranges.find(([from, to]) => from <= slot && slot <= to)
      const master = range?.[2]?.[1]
      return nodes.find(({ port }) => port === master) as ClusterNode
    },
    async [Symbol.asyncDispose]() {
      for (const { admin } of nodes) admin.disconnect()
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

interface NodeServer extends RedisServer {
  readonly settings: RedisSettings
}

async function startServer(given: RedisSettings, tries = 3): Promise<NodeServer> {
  const server = await createRedisServer()
  // The default of the second one, 10,000 above the port, may not be a port.
  const settings = { ...given, 'cluster-enabled': 'yes', 'cluster-port': await findFreePort() }
  try {
    await server.start(settings)
  } catch (error) {
    await server[Symbol.asyncDispose]()
    if (tries === 1) throw error
    return await startServer(given, tries - 1)
  }
  return { ...server, settings }
}

function toNode({ port, settings, start, suspend, stop }: NodeServer): ClusterNode {
  const admin = new Redis({ host: HOST, port, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  return { host: HOST, port, admin, start: () => start(settings), suspend, stop }
}
