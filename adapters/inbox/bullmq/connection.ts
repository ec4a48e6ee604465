import { type ConnectionOptions, type IRedisClient, Queue, type QueueOptions } from 'bullmq'
import { misconfigured } from '../../../src/inbox/entry-rules.ts'
import { settlesWithin, withTimeLimit } from '../../../src/time-limit.ts'
import type { InboxQueue } from './job.ts'

/** The part of an ioredis client that the inbox uses directly. */
export interface RedisClient
  extends Pick<IRedisClient, 'connect' | 'del' | 'disconnect' | 'get' | 'info' | 'runCommand' | 'zscore'> {
  readonly status: string
  on(event: string, listener: () => void): unknown
  exists(key: string): Promise<number>
  lpush(key: string, elements: readonly string[]): Promise<number>
  set(key: string, value: string, unit: 'PX', ms: number, condition: 'NX'): Promise<string | null>
}

export type Connection = ReturnType<typeof createConnection>

const CONNECT_MS = 2_000
/** How long Redis may take to respond to `put` and `health`. */
const RESPONSE_MS = 2_000
/** How long pending commands may take on `close()`. */
const CLOSE_MS = 1_000

const retryStrategy = (times: number) => Math.min(times * 100, 1_000)

const SHARED = {
  // BullMQ waits for this client, and a lazy one never connects by itself.
  lazyConnect: false,
  retryStrategy,
  sentinelRetryStrategy: retryStrategy,
  // Without a limit, it waits for a sentinel that does not respond, and asks no other one.
  sentinelCommandTimeout: RESPONSE_MS,
  // Without the check, ioredis 5 takes a connection that ends as it begins for ready, and never reconnects.
  enableReadyCheck: true,
  // The longest delay while Redis loads its data, in milliseconds. ioredis' default is 10 s.
  maxLoadingRetryTime: 200,
  disconnectTimeout: 100,
  // It costs more than gather().
  enableAutoPipelining: false,
  // BullMQ takes a number that is text for the data of a job.
  stringNumbers: false,
  reconnectOnError: leaveReplica(),
}
/** Commands fail at once if there is no connection. */
const FAIL_FAST = { ...SHARED, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
/** Commands wait for a connection. There are only a few for each active job. */
const WAIT = {
  ...SHARED,
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
  // What was under way when the connection was lost would never settle.
  autoResendUnfulfilledCommands: true,
  // One command blocks until there is a job, for up to ten seconds.
  commandTimeout: undefined,
  socketTimeout: 12_000,
}

const REJECTED =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH |invalid password|DB index|unknown command))|The user executing the script can't/

/** @throws TypeError if the keys are on several nodes of a cluster. BullMQ's scripts use them together. */
function assertOneNode({ isCluster }: ConnectionOptions, key: string): void {
  if (isCluster !== true || /^[^{]*\{[^}]+\}/.test(key)) return
  throw new TypeError(
    '"prefix" must have a hash tag in a Redis Cluster, such as "{payhook}": all keys of a queue must be on one node',
  )
}

/** Copies the options of an ioredis instance. */
function withOptions(
  connection: ConnectionOptions,
  options: typeof FAIL_FAST | typeof WAIT,
): ConnectionOptions {
  const isInstance = typeof connection.duplicate === 'function'
  // BullMQ takes it, but the commands of the inbox would fail.
  if (isInstance && typeof connection.defineCommand !== 'function')
    throw new TypeError(
      '"connection" option must be a client of ioredis, or options for one; this is another client',
    )
  const given = isInstance ? connection.options : connection
  if (given.keyPrefix || (given.url && new URL(given.url).searchParams.has('keyPrefix'))) {
    throw new TypeError(
      '"connection" option must not have a "keyPrefix", which BullMQ does not support; use "prefix"',
    )
  }
  if (connection.isCluster !== true) return { ...given, ...options }
  const cluster = connection.duplicate([], {
    ...options,
    // A node is only connected with the first command for it, which has to wait. reach() is what fails fast.
    enableOfflineQueue: true,
    // It waits without a limit for some node, even if that one does not respond.
    enableReadyCheck: false,
    // A replica may not know yet what was just stored.
    scaleReads: 'master',
    clusterRetryStrategy: options.retryStrategy,
    // A node that is lost would keep its commands, and never end.
    clusterNodeRetryStrategy: null,
    // If it ends while it refreshes them, ioredis goes on doing so for ever.
    slotsRefreshInterval: 0,
    // A node that ends while the cluster reconnects makes ioredis give up. So all end well before that.
    redisOptions: { ...given.redisOptions, ...options, lazyConnect: true, disconnectTimeout: 10 },
  })
  endNewNodes(cluster)
  // The calls report the error; without a listener ioredis would print it.
  return cluster.on('error', () => {})
}

/** A cluster ends once all nodes have. One that it learns of meanwhile, as its keys were moved, never would. */
export function endNewNodes(client: ConnectionOptions): void {
  client.on('+node', (node: ConnectionOptions) => {
    endTimer(node)
    if (client.status === 'disconnecting') node.disconnect()
  })
}

type WithTimer = ConnectionOptions & { socketTimeoutTimer?: NodeJS.Timeout | undefined }

/** ioredis 5 leaves that of `socketTimeout` to end the next connection, or to keep the process from ending. */
export function endTimer(client: WithTimer): void {
  client.on('close', () => {
    clearTimeout(client.socketTimeoutTimer)
    client.socketTimeoutTimer = undefined
  })
}

interface Place {
  readonly connection: ConnectionOptions
  readonly queueName: string
  readonly prefix: string
  readonly create: boolean
}

export function createConnection({ connection, queueName, prefix, create }: Place) {
  assertOneNode(connection, `${prefix}:${queueName}`)
  let lastError: Error | undefined
  const remember = (error: Error) => {
    lastError = error
  }
  const queue: InboxQueue = new Queue(queueName, {
    connection: withOptions(connection, { ...FAIL_FAST, reconnectOnError: leaveReplica(remember) }),
    prefix,
    // Otherwise the queue is only ready once Redis has responded, and never if Redis is lost before that.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  })
  let ofWorkers: ConnectionOptions | undefined
  let client: RedisClient | undefined
  let exists = create
  /** Resolves once the client has connected, or failed to. */
  let changed = Promise.withResolvers<void>()
  /** What ioredis has connected with once, it can use. */
  let state: 'new' | 'usable' | 'closed' = 'new'

  async function open(): Promise<void> {
    client = (await queue.getBackend().client) as unknown as RedisClient
    limitHandshake(client)
    if (isLive(client)) state = 'usable'
    for (const event of ['ready', 'close', 'end']) {
      client.on(event, () => {
        if (event === 'ready') state = 'usable'
        changed.resolve()
        changed = Promise.withResolvers()
      })
    }
  }

  // The calls report the error; without a listener BullMQ would print it, also after close().
  queue.on('error', remember)
  const opening = settlesWithin(open().catch(remember), CONNECT_MS)
  const limit = createLimit(() => client && reconnect(client))

  return {
    queue,
    /** For a worker, which opens connections of its own, except to a cluster. */
    workerOptions(): Pick<QueueOptions, 'connection' | 'prefix'> {
      ofWorkers ??= withOptions(connection, WAIT)
      // A cluster may have given up while no worker was there to notice.
      connectAgain(ofWorkers as RedisClient)
      return { connection: ofWorkers, prefix }
    },
    /**
     * The connected client. Waits for the next attempt to connect: a function that is frozen after each
     * response makes none at another time.
     *
     * @throws if it fails; soon, as waiting commands would fill the memory.
     *   InboxError `inbox_misconfigured` if Redis rejects the connection, or ioredis its options, or there is
     *   no queue and `create` is false
     */
    async reach(): Promise<RedisClient> {
      if (client === undefined) await opening
      if (client !== undefined && state !== 'closed') connectAgain(client)
      if (client !== undefined && !isLive(client)) await settlesWithin(changed.promise, CONNECT_MS)
      if (client === undefined || !isLive(client)) {
        // ioredis is not installed, or cannot use its options.
        if (lastError && state === 'new' && (client?.status ?? 'end') === 'end')
          throw misconfigured(lastError.message, lastError)
        throw explain(new Error('There is no connection to Redis.', { cause: lastError }), lastError)
      }
      // ioredis goes on with the first database if it cannot select the given one.
      if (lastError && /DB index|'select'/i.test(lastError.message)) throw explain(lastError)
      // BullMQ counts the jobs that were ever added.
      const connected = client
      exists ||= (await limit(() => connected.exists(queue.toKey('id')))) > 0
      if (!exists) throw misconfigured(`There is no queue "${queue.name}" in Redis.`)
      return connected
    },
    limit,
    async close(): Promise<void> {
      state = 'closed'
      if (ofWorkers !== connection) ofWorkers?.disconnect?.()
      if (client !== undefined && isLive(client)) await settlesWithin(queue.close(), CLOSE_MS)
      client?.disconnect()
    },
  }
}

/**
 * Until a late call settles, others fail at once: they would queue up on a connection that lost packets.
 *
 * @param reconnect makes the pending calls fail
 */
function createLimit(reconnect: () => void) {
  let overdue = 0
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (overdue > 0) throw new Error('Redis does not respond.')
    const calling = call()
    return await withTimeLimit(calling, RESPONSE_MS, () => {
      if (overdue === 0) reconnect()
      overdue += 1
      const settle = () => {
        overdue -= 1
      }
      calling.then(settle, settle)
      return new Error(`Redis did not respond within ${RESPONSE_MS} ms.`)
    }).catch((error) => {
      throw explain(error, error)
    })
  }
}

/** After a failover, the former master leaves its connections open. A new one may lead to the new master. */
function leaveReplica(onReplica?: (error: Error) => void) {
  let isLeaving = false
  return (error: Error): boolean => {
    if (isLeaving || !error.message.startsWith('READONLY ')) return false
    // For each rejected command, ioredis would add a listener to the connection. Node.js warns of many.
    isLeaving = true
    setImmediate(() => {
      isLeaving = false
    })
    onReplica?.(error)
    return true
  }
}

function isLive({ status }: RedisClient): boolean {
  return status === 'ready'
}

/** Unless it does so already: disconnected while it looks up its nodes, a cluster would stay so. */
export function reconnect(client: RedisClient): void {
  if (isLive(client)) client.disconnect(true)
}

/**
 * ioredis gives up if it hears of a failover while it asks a sentinel, or if a node of a cluster ends late. It
 * waits if a URL has `lazyConnect`.
 */
export function connectAgain(client: RedisClient): void {
  if (/^(?:end|close|wait)$/.test(client.status)) client.connect().catch(() => {})
}

/** Reconnects if Redis accepts a connection, but does not respond to the first command: ioredis would wait. */
function limitHandshake(client: RedisClient): void {
  let late: NodeJS.Timeout
  client.on('connect', () => {
    late = setTimeout(() => client.disconnect(true), RESPONSE_MS)
  })
  for (const event of ['ready', 'close']) client.on(event, () => clearTimeout(late))
}

/** @returns the error, or one that says what waiting does not mend */
function explain(error: Error, { message }: Error = error): Error {
  if (/^(?:MOVED|CROSSSLOT) /.test(message)) {
    const advice =
      'Pass an ioredis Cluster as "connection", and a "prefix" with a hash tag, such as "{payhook}".'
    return misconfigured(`Redis is a cluster. ${advice}`, error)
  }
  // Redis begins its messages with a code.
  const [code] = /^[A-Z]+\b/.exec(message) ?? []
  if (code !== undefined) Object.assign(error, { code })
  return REJECTED.test(message)
    ? misconfigured(`Redis rejects the connection or a command: ${message}`, error)
    : error
}
