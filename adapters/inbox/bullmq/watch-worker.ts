import type { Worker } from 'bullmq'
import type { InboxConsumer } from '../../../src/receiver/receiver-inbox.ts'
import { isFromReplica, limitHandshake, type RedisClient } from './connection.ts'
import { PAUSED } from './scripts.ts'

/** Reports outages of the worker, and when another program than payhook pauses the queue, once each. */
export function watchWorker(
  worker: Worker,
  consumer: InboxConsumer,
  isStopping: () => boolean,
  intervalMs: number,
): NodeJS.Timeout {
  let failure: Error | undefined
  let paused = false
  const report = (error: unknown) => {
    if (!isStopping()) consumer.failed(error)
  }
  const fails = (error: Error) => {
    if (failure === undefined) report(error)
    failure ??= error
  }
  const works = () => {
    failure = undefined
  }
  worker.on('error', fails)
  worker.on('ioredis:close', () => fails(new Error('The connection to Redis was lost.')))
  const backend = worker.getBackend()
  backend.on('ready', () => {
    // A replica is ready, too.
    if (failure === undefined || !isFromReplica(failure)) works()
  })
  for (const connecting of [backend.client, backend.blockingClient]) {
    connecting?.then((client) => limitHandshake(client as unknown as RedisClient)).catch(() => {})
  }
  for (const event of ['active', 'completed', 'drained', 'locksRenewed'] as const) worker.on(event, works)

  const look = async () => {
    const isPaused = (await isQueuePaused(worker, intervalMs).catch(() => undefined)) ?? paused
    if (isPaused && !paused) {
      report(new Error(`The queue "${worker.name}" is paused. Resume it, as in a dashboard for BullMQ.`))
    }
    paused = isPaused
  }
  void look()
  return setInterval(look, intervalMs)
}

/**
 * Whether another program has paused the queue for all workers; `undefined` without a connection. Reconnects if
 * Redis does not respond: a half-open connection, as after a loss of power, would go unnoticed for a quarter of
 * an hour.
 */
async function isQueuePaused(worker: Worker, limitMs: number): Promise<boolean | undefined> {
  const backend = worker.getBackend()
  const client = await backend.client
  if (client.status !== 'ready') return undefined
  const late = setTimeout(() => client.disconnect(true), limitMs)
  // At once, as a pause of ours may end in between.
  const [isPaused, ours] = await Promise.all([
    backend.hasQueueMetaField('paused'),
    (client as unknown as RedisClient).exists(worker.toKey(PAUSED)),
  ]).finally(() => clearTimeout(late))
  return isPaused && ours === 0
}
