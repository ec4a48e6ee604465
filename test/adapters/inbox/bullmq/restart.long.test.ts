import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { createBullmqInbox } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { createRedisServer, hasRedisServer } from '../../../contracts/redis-server.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

/** Makes each key take a while to load, while Redis already responds. */
const SLOW_LOADING = { 'key-load-delay': 10_000, 'loading-process-events-interval-bytes': 1_024 }

it.skipIf(!hasRedisServer && !process.env.CI)(
  'is retried while it loads its data, and used as soon as it is ready',
  async () => {
    await using server = await createRedisServer()
    await server.start()
    const admin = new Redis({ port: server.port, enableReadyCheck: false })
    admin.on('error', () => {})
    const inbox = createBullmqInbox({
      connection: { host: '127.0.0.1', port: server.port, enableReadyCheck: false },
    })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned('before'))
    await waitFor(() => consumer.deliveries.length === 1)
    await admin.mset(Array.from({ length: 20_000 }, (_, id) => [`key ${id}`, 'x'.repeat(100)]).flat())
    await admin.save()

    await server.stop()
    await server.start(SLOW_LOADING)
    await expect(inbox.put(createSigned('meanwhile'))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    let asked = 0
    await waitFor(async () => {
      asked += 1
      const info = await admin.info('everything').catch(() => '')
      expect(info).not.toContain('\nloading:0')
      return Number(/cmdstat_info:calls=(\d+)/.exec(info)?.[1]) - asked > 20
    })
    await admin.config('SET', 'key-load-delay', '0')
    await waitFor(() => inbox.put(createSigned('after')).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned('after').signature).length === 1)
    await inbox.close()
    admin.disconnect()
  },
)
