import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import { createStore } from '../../contracts/inbox-store.ts'
import { describeInbox } from '../../contracts/inbox-suite.ts'
import { BULLMQ_LOCK_SECONDS } from '../../contracts/open-inbox.ts'
import { describeWithService, hostAndPort, REDIS } from '../../contracts/service.ts'
import { createTcpProxy } from '../../contracts/tcp-proxy.ts'

await describeWithService('BullMQ', REDIS, () =>
  describeInbox({
    name: 'bullmq',
    leaseMs: BULLMQ_LOCK_SECONDS * 1_000,
    shortestRetryMs: 10,
    returnsAttempts: true,
    async createStore() {
      const proxy = await createTcpProxy(hostAndPort(REDIS))
      const queueName = `payhook-test-${randomUUID()}`
      return createStore(
        { engine: 'bullmq', host: '127.0.0.1', port: proxy.port, queueName },
        {
          interrupt: proxy.cut,
          restore: proxy.mend,
          async clear() {
            await proxy.close()
            const queue = new Queue(queueName, { connection: hostAndPort(REDIS) })
            await queue.obliterate({ force: true })
            await queue.close()
          },
        },
      )
    },
  }),
)
