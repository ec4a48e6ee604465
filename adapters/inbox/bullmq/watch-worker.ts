import type { Worker } from 'bullmq'
import type { InboxConsumer } from '../../../src/receiver/receiver-inbox.ts'
import { connectAgain, endNewNodes, endTimer, type RedisClient, reconnect } from './connection.ts'
import { PAUSED } from './scripts.ts'

/**
 * Reports outages of the worker, and when another program than payhook pauses the queue, once each.
 *
 * @param failing whether the current one is already reported
 */
export function watchWorker(
  worker: Worker,
  consumer: InboxConsumer,
  isStopping: () => boolean,
  intervalMs: number,
  failing: boolean,
): NodeJS.Timeout {
  let paused = false
  const report = (error: unknown) => {
    if (!isStopping()) consumer.failed(error)
  }
  const fails = (error: Error) => {
    if (!failing) report(error)
    failing = true
  }
  worker.on('error', fails)
  worker.on('ioredis:close', () => fails(new Error('The connection to Redis was lost.')))

  const { client, blockingClient } = worker.getBackend()
  blockingClient?.then(endNewNodes, () => {})
  for (const each of [client, blockingClient]) each?.then(endTimer, () => {})
  const connectAll = async () => {
    for (const each of await Promise.all([client, blockingClient]))
      if (!isStopping()) connectAgain(each as unknown as RedisClient)
  }

  const look = async () => {
    connectAll().catch(() => {})
    const isPaused = await isQueuePaused(worker, intervalMs).catch(() => undefined)
    if (isPaused === undefined) return
    failing = false
    if (isPaused && !paused) {
      report(new Error(`The queue "${worker.name}" is paused. Resume it, as in a dashboard for BullMQ.`))
    }
    paused = isPaused
  }
  void look()
  return setInterval(look, intervalMs)
}

/**
 * Whether another program has paused the queue for all workers; `undefined` without a connection. Rejects if
 * Redis rejects writes: some scripts succeed even if it is full. Reconnects if it does not respond: a half-open
 * connection, as after a loss of power, would go unnoticed for a quarter of an hour.
 */
async function isQueuePaused(worker: Worker, limitMs: number): Promise<boolean | undefined> {
  const backend = worker.getBackend()
  const redis = (await backend.client) as unknown as RedisClient
  if (redis.status !== 'ready') return undefined
  const late = setTimeout(() => reconnect(redis), limitMs)
  // At once, as a pause of ours may end in between.
  const [isPaused, ours] = await Promise.all([
    backend.hasQueueMetaField('paused'),
    redis.exists(worker.toKey(PAUSED)),
    redis.set(worker.toKey('payhook-probe'), '', 'PX', 1_000, 'NX'),
  ]).finally(() => clearTimeout(late))
  return isPaused && ours === 0
}
