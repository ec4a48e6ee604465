import { once } from 'node:events'
import { Redis } from 'ioredis'
import { expect, it, vi } from 'vitest'
import { startInboxProcess } from '../../../contracts/inbox-child.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connection, useQueues } from './queues.ts'

await describeWithService('BullMQ by itself', REDIS, () => {
  const { createQueue, open, openQueue } = useQueues()

  it('does not wait for a Redis that does not respond', async () => {
    const proxy = await createTcpProxy(connection)
    const queueName = createQueue().name
    const inbox = open({ connection: { host: '127.0.0.1', port: proxy.port }, queueName, lockSeconds: 1 })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length > 0)
    proxy.silence()
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^Redis did not respond within/) },
    })
    await waitFor(() => inbox.put(createSigned(3)).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned(3).signature).length > 0)
    expect(consumer.failures.length).toBeGreaterThan(0)
    await inbox.close()
    await proxy.close()
  })

  it.each(['first', 'later'])('gives up a %s connection that is accepted, but never used', async (which) => {
    const proxy = await createTcpProxy(connection)
    const queueName = createQueue().name
    if (which === 'first') proxy.hang()
    const inbox = open({ connection: { host: '127.0.0.1', port: proxy.port }, queueName, lockSeconds: 1 })
    const consumer = createConsumer()
    await inbox.start(consumer)
    if (which === 'later') {
      await inbox.put(createSigned(1))
      await waitFor(() => consumer.deliveries.length > 0)
      const { accepted } = proxy
      await proxy.cut()
      const mended = proxy.mend()
      proxy.hang()
      await mended
      await waitFor(() => proxy.accepted === 2 * accepted)
    } else await waitFor(() => proxy.accepted >= 3)
    await expect(inbox.put(createSigned(2))).rejects.toBeDefined()
    proxy.silence()
    await waitFor(() => inbox.put(createSigned(3)).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned(3).signature).length > 0)
    await inbox.close()
    await proxy.close()
  })

  it('does not wait for a Redis that does not say whether there is a queue', async () => {
    const proxy = await createTcpProxy(connection)
    const queueName = createQueue().name
    await open({ connection, queueName }).put(createSigned(1))
    const { exists } = Redis.prototype
    const asked = vi.spyOn(Redis.prototype, 'exists')
    asked.mockImplementationOnce(function (this: Redis, ...args: unknown[]) {
      proxy.silence()
      return Reflect.apply(exists, this, args)
    })
    const inbox = open({ connection: { host: '127.0.0.1', port: proxy.port }, queueName, create: false })
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    asked.mockRestore()
    await waitFor(() => inbox.put(createSigned(3)).catch(() => undefined))
    await inbox.close()
    await proxy.close()
  })

  it('continues after a connection that is lost amid a command, though ioredis shall not send it again', async () => {
    const proxy = await createTcpProxy(connection)
    const inbox = open({
      connection: { host: '127.0.0.1', port: proxy.port, autoResendUnfulfilledCommands: false },
      queueName: createQueue().name,
      lockSeconds: 1,
      concurrency: 1,
    })
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(() => gate.promise)
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length > 0)
    proxy.hang()
    gate.resolve()
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    await proxy.cut()
    await proxy.mend()
    await waitFor(() => inbox.put(createSigned(3)).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned(3).signature).length > 0)
    await inbox.close()
    await proxy.close()
  })

  it('counts failed and crashed attempts together', async () => {
    const queueName = createQueue().name
    const options = { retryDelayMs: 10, maxAttempts: 3, lockSeconds: 1 }
    const inbox = open({ connection, queueName, ...options })
    const failing = createConsumer(() => {
      throw new Error('down')
    })
    const { signature } = createSigned('worse')
    await inbox.put(createSigned('worse'))
    for (const attempt of [1, 2]) {
      const place = { engine: 'bullmq', ...connection, queueName } as const
      const child = startInboxProcess({ place, role: 'worker', handler: 'crash', options })
      expect(await child.message((message) => 'handling' in message)).toMatchObject({ attempt })
      await child.ended()
    }
    await inbox.start(failing)
    await waitFor(() => failing.deaths.length === 1)
    expect(failing.attemptsOf(signature)).toEqual([3])
    expect(failing.deaths[0]).toMatchObject({ attempts: 3, error: expect.stringMatching(/^Error: down\n/) })

    const [dead] = await inbox.list({ state: 'dead' })
    await inbox.replay(dead?.id ?? '')
    await waitFor(() => failing.deaths.length === 2)
    expect(failing.attemptsOf(signature)).toEqual([3, 1, 2, 3])
  }, 60_000)

  it('continues beside a hanging suspect, and returns it on stop()', async () => {
    const { queue, inbox } = openQueue({ stopTimeoutMs: 50 })
    await inbox.put(createSigned('hangs'))
    const [job] = await queue.getWaiting()
    await job?.updateProgress({ forgotten: -2, crashesInARow: 2, lastCrash: 2 })
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(async ({ rawBody, signal }) => {
      if (Buffer.from(rawBody).includes('slow')) await gate.promise
      if (Buffer.from(rawBody).includes('hangs')) await once(signal, 'abort')
      signal.throwIfAborted()
    })
    await inbox.start(consumer)
    await waitFor(() => consumer.attemptsOf(createSigned('hangs').signature).length === 1)
    await inbox.put(createSigned('slow'))
    for (let id = 0; id < 20; id++) await inbox.put(createSigned(id))
    await waitFor(async () => (await inbox.counts()).completed === 20)
    gate.resolve()
    await waitFor(async () => (await inbox.counts()).completed === 21)
    expect(await inbox.counts()).toMatchObject({ waiting: 0, active: 1, dead: 0 })
    await inbox.stop()
    expect(await inbox.list({ state: 'waiting' })).toMatchObject([{ attempts: 2 }])
  })
})
