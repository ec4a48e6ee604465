import type { Queue } from 'bullmq'

const UNLINK = `for _, key in ipairs(redis.call('keys', ARGV[1])) do redis.call('unlink', key) end`

/** Deletes everything that an inbox has stored, and closes the queue. */
export async function clearQueue(queue: Queue): Promise<void> {
  const client = await queue.getBackend().client
  await client.runCommand('eval', [UNLINK, 0, queue.toKey('*')])
  await queue.close()
}
