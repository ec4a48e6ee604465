import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import type { EngineUnderTest } from '../../../contracts/engine-under-test.ts'
import { createStore } from '../../../contracts/inbox-store.ts'
import { BULLMQ_LOCK_SECONDS } from '../../../contracts/open-inbox.ts'
import { hostAndPort, REDIS } from '../../../contracts/service.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { clearQueue } from './clear-queue.ts'

/** BullMQ with real Redis behind a proxy that can be interrupted. */
export const bullmq: EngineUnderTest = {
  name: 'bullmq',
  leaseMs: BULLMQ_LOCK_SECONDS * 1_000,
  async createStore() {
    const proxy = await createTcpProxy(hostAndPort(REDIS))
    const queueName = `payhook-test-${randomUUID()}`
    return createStore(
      { engine: 'bullmq', host: '127.0.0.1', port: proxy.port, queueName },
      {
        interrupt: proxy.cut,
        hang: async () => proxy.hang(),
        restore: proxy.mend,
        async clear() {
          await proxy.close()
          await clearQueue(new Queue(queueName, { connection: hostAndPort(REDIS) }))
        },
      },
    )
  },
}
