import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ConnectionOptions, Queue } from 'bullmq'
import { within } from '../../../src/inbox/within.ts'
import type { InboxQueue } from './job.ts'

/** What is asked of a queue's Redis client beyond BullMQ's own calls: what ioredis gives. */
export interface RedisClient {
  readonly status: string
  readonly isCluster: boolean
  once(event: string, listener: () => void): unknown
  disconnect(reconnect?: boolean): void
  zscore(key: string, member: string): Promise<string | null>
  multi(): RedisTransaction
}

export interface RedisTransaction {
  zrank(key: string, member: string): unknown
  lpos(key: string, element: string): unknown
  llen(key: string): unknown
  exec(): Promise<[error: Error | null, result: unknown][] | null>
}

/** A queue and the connection behind it. */
export interface Connection {
  readonly queue: InboxQueue
  /** For the worker, which makes connections of its own. */
  readonly workerOptions: { readonly connection: ConnectionOptions; readonly prefix?: string }
  /**
   * The client, when commands reach Redis; waits for a connection that is being made for the first time.
   *
   * @throws when they do not: at once, as what waits for Redis takes memory until it is back
   */
  reach(): Promise<RedisClient>
  /** @throws when BullMQ finds no ioredis */
  assertDriver(): Promise<void>
  /** Breaks off what is unanswered and connects anew; nothing happens to a connection of the user's. */
  reset(): void
  close(): Promise<void>
}

/** How long the first connection may take. */
const CONNECT_MS = 2_000
/** How long the last answers may take. */
const CLOSE_MS = 1_000

const SHARED = {
  // BullMQ waits for this client, which never gets ready by itself when it is lazy.
  lazyConnect: false,
  retryStrategy: (times: number) => Math.min(times * 100, 1_000),
  // How long to wait before asking a Redis that loads its data again, in milliseconds. ioredis itself waits up
  // to 10 s.
  maxLoadingRetryTime: 200,
  // How long a connection may take to say farewell, in milliseconds.
  disconnectTimeout: 100,
}
/** Commands fail as soon as there is no connection, rather than wait for one. */
const FAIL_FAST = { ...SHARED, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
/** Commands wait for a connection: there are never more than a few for each job at work. */
const PERSEVERE = {
  ...SHARED,
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
  // One of them blocks until there is a job.
  commandTimeout: undefined,
}

export function createConnection(
  connection: ConnectionOptions,
  queueName: string,
  prefix: string | undefined,
): Connection {
  const prefixed = prefix === undefined ? {} : { prefix }
  const queue: InboxQueue = new Queue(queueName, {
    connection: withOptions(connection, FAIL_FAST),
    ...prefixed,
    // Otherwise the queue is not ready before Redis has answered, and never when Redis is lost meanwhile.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  })
  return watch(queue, { connection: withOptions(connection, PERSEVERE), ...prefixed }, true)
}

/** Takes a queue of the user's, which stays open. */
export function connectionOf(queue: Queue): Connection {
  const { connection, prefix } = queue.opts
  const prefixed = prefix === undefined ? {} : { prefix }
  return watch(queue, { connection: withOptions(connection, PERSEVERE), ...prefixed }, false)
}

/**
 * The options of a single ioredis instance serve for connections of our own. A cluster, or a client of another
 * kind, is used as it is, and BullMQ duplicates it where it must.
 */
function withOptions(connection: ConnectionOptions, options: object): ConnectionOptions {
  const isInstance = typeof connection.duplicate === 'function'
  const isSingle = typeof connection.defineCommand === 'function' && connection.isCluster !== true
  if (isInstance && !isSingle) return connection
  const given = isInstance ? connection.options : connection
  if (given.keyPrefix || (given.url && new URL(given.url).searchParams.has('keyPrefix'))) {
    throw new TypeError(
      '"connection" option must not have a "keyPrefix", which BullMQ cannot do; use "prefix"',
    )
  }
  return { ...given, ...options }
}

function watch(queue: InboxQueue, workerOptions: Connection['workerOptions'], ours: boolean): Connection {
  let client: RedisClient | undefined
  let lastError: Error | undefined
  let resetting = false

  async function open(): Promise<void> {
    client = (await queue.getBackend().client) as unknown as RedisClient
    if (!isLive(client)) await firstChange(client)
  }

  const remember = (error: Error) => {
    lastError = error
  }
  // Whoever calls is told; without a listener BullMQ would print it.
  queue.on('error', remember)
  const opening = within(open().catch(remember), CONNECT_MS)

  return {
    queue,
    workerOptions,
    async assertDriver() {
      // BullMQ looks for it in the first turns; a worker without it would look for ever, without a pause.
      await nextTurn()
      if (client === undefined && lastError?.message.includes("'ioredis' package")) throw lastError
    },
    async reach() {
      if (client === undefined || !isLive(client)) await opening
      if (client === undefined || !isLive(client)) {
        throw new Error('There is no connection to Redis.', { cause: lastError })
      }
      return client
    },
    reset() {
      if (!ours || client === undefined || resetting) return
      resetting = true
      client.once('close', () => {
        resetting = false
      })
      client.disconnect(true)
    },
    async close() {
      if (ours) {
        if (client !== undefined && isLive(client)) await within(queue.close(), CLOSE_MS)
        client?.disconnect()
      }
      queue.off('error', remember)
    },
  }
}

function isLive({ status, isCluster }: RedisClient): boolean {
  return status === 'ready' || (isCluster && status === 'connect')
}

/** Resolves once a client that is connecting is connected, or is not going to be now. */
async function firstChange(client: RedisClient): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const event of ['ready', 'close', 'end']) client.once(event, resolve)
  })
}
