import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import type { EngineUnderTest, InboxStore } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { BULLMQ_LOCK_SECONDS, LONG_BULLMQ_LOCK_SECONDS } from '../../../contracts/open-inbox.ts'
import { createProxyApart } from '../../../contracts/proxy-apart.ts'
import { hostAndPort, REDIS } from '../../../contracts/service.ts'
import { clearQueue } from './clear-queue.ts'

/** BullMQ with real Redis behind a proxy that can be interrupted, for tests in which processes crash. */
export const bullmq = withLocksOf(BULLMQ_LOCK_SECONDS)
/** The same for all other tests. */
export const steadyBullmq = withLocksOf(LONG_BULLMQ_LOCK_SECONDS)

function withLocksOf(lockSeconds: number): EngineUnderTest {
  return { name: 'bullmq', leaseMs: lockSeconds * 1_000, createStore: () => createBullmqStore(lockSeconds) }
}

async function createBullmqStore(lockSeconds: number): Promise<InboxStore> {
  const proxy = await createProxyApart(hostAndPort(REDIS))
  const queueName = `payhook-test-${randomUUID()}`
  return createStore(
    { engine: 'bullmq', host: '127.0.0.1', port: proxy.port, queueName, lockSeconds },
    {
      interrupt: proxy.cut,
      hang: proxy.hang,
      restore: proxy.mend,
      async clear() {
        await proxy.close()
        await clearQueue(new Queue(queueName, { connection: hostAndPort(REDIS) }))
      },
    },
  )
}
