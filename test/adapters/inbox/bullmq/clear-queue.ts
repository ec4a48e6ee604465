import type { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { hostAndPort, REDIS } from '../../../contracts/service.ts'

/** Deletes everything that an inbox has stored, and closes the queue. */
export async function clearQueue(queue: Queue): Promise<void> {
  await queue.obliterate({ force: true })
  const redis = new Redis(hostAndPort(REDIS))
  const ours = await redis.keys(queue.toKey('payhook*'))
  if (ours.length > 0) await redis.del(ours)
  await redis.quit()
  await queue.close()
}
