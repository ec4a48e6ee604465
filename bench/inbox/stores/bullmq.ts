import { Queue, Worker } from 'bullmq'
import type { SignedNotification } from '../../../src/index.ts'
import type { Store } from './store.ts'

/** BullMQ's own deduplication, with payhook's default window. */
const WINDOW_MS = 120_000

/** BullMQ as in its documentation: one `add` per notification. */
export async function createBareBullmq(
  connection: { host: string; port: number },
  queueName: string,
  duplicates: 'stored' | 'recognized',
): Promise<Store> {
  const queue = new Queue(queueName, { connection })
  await queue.waitUntilReady()
  return {
    put(notification) {
      const deduplication = { id: notification.signature, ttl: WINDOW_MS }
      const options = duplicates === 'recognized' ? { deduplication } : {}
      return queue.add('notification', toJobData(notification), options)
    },
    count: () => queue.getWaitingCount(),
    close: () => queue.close(),
  }
}

/** The same, with a worker in the process that calls `handle` for each job. */
export async function createBareWorker(
  connection: { host: string; port: number },
  queueName: string,
  concurrency: number,
  handle: () => void,
): Promise<Pick<Store, 'put' | 'close'>> {
  const { put, close } = await createBareBullmq(connection, queueName, 'recognized')
  const worker = new Worker(queueName, async () => handle(), { connection, concurrency })
  await worker.waitUntilReady()
  return {
    put,
    async close() {
      await worker.close()
      await close()
    },
  }
}

/** The body as text, which is shorter than base64 but does not preserve bytes that are not UTF-8. */
export function toJobData({ signature, clientId, receivedAt, rawBody }: SignedNotification) {
  const { buffer, byteOffset, byteLength } = rawBody
  const body = Buffer.from(buffer, byteOffset, byteLength).toString()
  return { signature, clientId, receivedAt: receivedAt.getTime(), body }
}
