import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBullmqInbox } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import { respondedHealthOf } from '../../../contracts/health-of.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { createRedisServer, hasRedisServer, type RedisSettings } from '../../../contracts/redis-server.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

/** A Redis of our own, and a connection that changes it, until the test ends. */
async function startRedis(settings?: RedisSettings) {
  const server = await createRedisServer()
  await server.start(settings)
  const admin = new Redis(server.port)
  onTestFinished(async () => {
    admin.disconnect()
    await server[Symbol.asyncDispose]()
  })
  return { connection: { host: server.host, port: server.port }, admin }
}

describe.skipIf(!hasRedisServer && !process.env.CI)('a Redis that rejects', () => {
  it('writes makes the health fail until it accepts them', async () => {
    const { connection, admin } = await startRedis()
    await using inbox = createBullmqInbox({ connection })
    await inbox.put(createSigned(0))
    for (const [code, breaks, mends] of [
      ['OOM', 'CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
      ['READONLY', 'REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
      ['NOREPLICAS', 'CONFIG SET min-replicas-to-write 1', 'CONFIG SET min-replicas-to-write 0'],
    ] as const) {
      const run = (command: string) => admin.call(...(command.split(' ') as [string, ...string[]]))
      await run(breaks)
      await expect(inbox.put(createSigned(breaks))).rejects.toMatchObject({ code: 'inbox_unavailable' })
      await waitFor(async () => {
        const { status, problems } = await inbox.health()
        expect(status).toBe('fail')
        return problems[0]?.message === `The inbox is not available (${code}).`
      })
      await run(mends)
      await waitFor(async () => (await inbox.health()).status !== 'fail')
      expect(await inbox.put(createSigned(mends))).toBe('stored')
    }
  })

  it('writes, since it has become a replica, is left for the new master at the same address', async () => {
    const [{ connection: target, admin }, master] = await Promise.all([startRedis(), startRedis()])
    const proxy = await createTcpProxy(target)
    await using inbox = createBullmqInbox({ connection: { host: '127.0.0.1', port: proxy.port } })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned('before'))
    await waitFor(() => consumer.deliveries.length === 1)

    await admin.replicaof('127.0.0.1', 1)
    const connections = proxy.accepted
    const warned = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warned.mockRestore())
    const pending = Array.from({ length: 20 }, (_, index) => inbox.put(createSigned(`pending ${index}`)))
    for (const { status } of await Promise.allSettled(pending)) expect(status).toBe('rejected')
    await waitFor(async () => {
      await expect(inbox.put(createSigned('meanwhile'))).rejects.toMatchObject({ code: 'inbox_unavailable' })
      return proxy.accepted > connections + 5
    })
    target.port = master.connection.port
    await waitFor(() => inbox.put(createSigned('after')).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned('after').signature).length === 1)
    const reported = consumer.failures.filter((error) => String(error).includes('READONLY'))
    expect(reported.length).toBeLessThanOrEqual(1)
    expect(String(warned.mock.calls)).not.toMatch(/MaxListeners/)
    await proxy.close()
  })

  it('some writes is reported once, though notifications are handled meanwhile', async () => {
    const { connection, admin } = await startRedis()
    // Looks once whether Redis accepts writes, which it does.
    await using inbox = createBullmqInbox({ connection, lockSeconds: 3_600, retryDelayMs: 3_600_000 })
    const consumer = createConsumer(async () => {
      await admin.config('SET', 'maxmemory', '1')
      throw new Error('failed')
    })
    await inbox.start(consumer)
    const countRejected = async () => /errorstat_OOM:count=(\d+)/.exec(await admin.info('errorstats'))?.[1]
    for (const round of [1, 2, 3]) {
      const rejected = await countRejected()
      await inbox.put(createSigned(round))
      await waitFor(async () => (await countRejected()) !== rejected)
      await admin.config('SET', 'maxmemory', '0')
    }
    await inbox.put(createSigned('last'))
    await waitFor(() => consumer.deliveries.length === 4)
    expect(consumer.failures).toEqual([expect.objectContaining({ message: expect.stringMatching(/^OOM /) })])
  })

  it('writes is not asked for the next notification without a pause', async () => {
    const { connection, admin } = await startRedis()
    await using inbox = createBullmqInbox({ connection, lockSeconds: 1 })
    await inbox.put(createSigned(1))
    await admin.config('SET', 'min-replicas-to-write', '1')
    const consumer = createConsumer()
    await inbox.start(consumer)
    const count = async (section: string, pattern: RegExp) =>
      Number(pattern.exec(await admin.info(section))?.[1])
    // Once a second, the worker looks whether the queue is paused.
    await waitFor(async () => (await count('commandstats', /cmdstat_hexists:calls=(\d+)/)) > 2)
    expect(await count('errorstats', /errorstat_NOREPLICAS:count=(\d+)/)).toBeLessThan(200)
    await admin.config('SET', 'min-replicas-to-write', '0')
    await waitFor(() => consumer.deliveries.length === 1)
  })

  it('the connection or a command makes start() and put() reject', async () => {
    const { connection, admin } = await startRedis()
    await admin.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-@write')
    await admin.call('ACL', 'SETUSER', 'first', 'on', '>secret', '~*', '&*', '+@all', '-select')
    await admin.call('ACL', 'SETUSER', 'unasked', 'on', '>secret', '~*', '&*', '+@all', '-info')
    for (const settings of [
      { username: 'nobody', password: 'wrong' },
      { db: 999 },
      { username: 'reader', password: 'secret' },
      { username: 'first', password: 'secret', db: 1 },
      { port: Number.NaN },
    ]) {
      await using inbox = createBullmqInbox({ connection: { ...connection, ...settings } })
      const rejected = { code: 'inbox_misconfigured', cause: expect.any(Error) }
      await expect(inbox.start(createConsumer())).rejects.toMatchObject(rejected)
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject(rejected)
      expect((await inbox.health()).status).toBe('fail')
    }
    await using inbox = createBullmqInbox({
      connection: { ...connection, username: 'unasked', password: 'secret' },
    })
    await expect(inbox.start(createConsumer())).rejects.toThrow(/no permissions to run the 'info' command/)
  })

  it('the first command of a worker gets another worker later', async () => {
    const { connection, admin } = await startRedis()
    await admin.call('ACL', 'SETUSER', 'unasked', 'on', '>secret', '~*', '&*', '+@all', '-info')
    const proxy = await createTcpProxy(connection)
    await proxy.cut()
    await using inbox = createBullmqInbox({
      connection: { ...connection, port: proxy.port, username: 'unasked', password: 'secret' },
    })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await proxy.mend()
    // That of the inbox, and two of each worker.
    await waitFor(() => proxy.accepted >= 7)
    expect(consumer.failures.map(String)).toEqual([expect.stringContaining("the 'info' command")])
    await admin.call('ACL', 'SETUSER', 'unasked', '+info')
    await waitFor(() => inbox.put(createSigned(1)).catch(() => undefined))
    await waitFor(() => consumer.deliveries.length === 1)
    await proxy.close()
  })

  it('all but the commands named in docs/redis.md works, with the settings there', async () => {
    const page = readFileSync(new URL('../../../../docs/redis.md', import.meta.url), 'utf8')
    const [, block = ''] = /```text\n(.*?)```/s.exec(page) ?? []
    const settings = [...block.matchAll(/^(\S+) (.+)$/gm)].map(([, name, value]) => [name, value])
    const { connection, admin } = await startRedis(Object.fromEntries(settings))
    const [, rights = ''] = /`(~bull:.+?)`/.exec(page) ?? []
    await admin.call('ACL', 'SETUSER', 'worker', 'on', '>secret', ...rights.split(' '))
    await using inbox = createBullmqInbox({
      connection: { ...connection, username: 'worker', password: 'secret' },
      oneAtATime: true,
      retryDelayMs: 1,
    })
    const consumer = createConsumer(({ attempt }) => {
      if (attempt === 1) throw new Error('failed')
    })
    await inbox.start(consumer)
    await inbox.pause('test')
    await Promise.all([1, 2, 3].map((id) => inbox.put({ ...createSigned(id), subject: 'same' })))
    await inbox.resume()
    await waitFor(async () => (await inbox.counts()).completed === 3)
    for (const { id } of await inbox.list({ subject: 'same' })) await inbox.replay(id)
    await waitFor(() => consumer.deliveries.length > 6)
    expect(await respondedHealthOf(inbox)).toMatchObject({ status: 'pass', problems: [] })
    expect(consumer.failures).toEqual([])
  })

  it('nothing, but may lose it, is a problem of the health and a warning at the start', async () => {
    const { connection, admin } = await startRedis({ appendonly: 'no' })
    // It warns once, and another test may have had that warning.
    const path = '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
    const { createBullmqInbox }: typeof import('../../../../adapters/inbox/bullmq/bullmq-inbox.ts') =
      await import(`${path}?copy`)
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    await using inbox = createBullmqInbox({ connection })
    const notDurable = (message: RegExp) => ({
      status: 'pass',
      problems: [{ code: 'not_durable', message: expect.stringMatching(message) }],
    })
    expect(await respondedHealthOf(inbox)).toMatchObject(notDurable(/set "appendonly yes"\.$/))
    await using other = createBullmqInbox({ connection, queueName: 'other' })
    for (const started of [inbox, other]) await started.start(createConsumer())
    const ours = warned.mock.calls.filter(([, options]) => Object(options).code === 'not_durable')
    expect(ours).toEqual([
      [
        'Stored notifications may be lost, since a restart of Redis loses the most recent ones: set "appendonly yes".',
        expect.anything(),
      ],
    ])

    await admin.config('SET', 'appendonly', 'yes')
    expect(await respondedHealthOf(inbox)).toMatchObject({ status: 'pass', problems: [] })
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect((await respondedHealthOf(inbox)).problems).toEqual([])
    await admin.config('SET', 'maxmemory', '100mb')
    expect(await respondedHealthOf(inbox)).toMatchObject(
      notDurable(/"maxmemory-policy noeviction" instead of "allkeys-lru"/),
    )
  })
})
