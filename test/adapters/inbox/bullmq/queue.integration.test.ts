import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { Cluster, Redis } from 'ioredis'
import { describe, expect, it, vi } from 'vitest'
import { type BullmqInboxOptions, createBullmqInbox } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import type { Inbox, InboxState } from '../../../../src/inbox/inbox.ts'
import { createReceiver } from '../../../../src/index.ts'
import { createEntry } from '../../../contracts/create-entry.ts'
import { healthOf } from '../../../contracts/health-of.ts'
import { LONG_BULLMQ_LOCK_SECONDS } from '../../../contracts/open-inbox.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { throwing } from '../../../contracts/throwing.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connection, useQueues } from './queues.ts'

describe('options', () => {
  it.each([
    [{}, 'connection'],
    [{ connection: [] }, 'a redis: or rediss: URL'],
    [{ connection: 'redis://127.0.0.1?keyPrefix=a' }, 'keyPrefix'],
    [{ connection, queue: 'payhook' }, 'queue'],
    [{ connection: '' }, 'a redis: or rediss: URL'],
    [{ connection: null }, 'object'],
    [{ connection, queueName: 'a:b' }, 'queueName'],
    [{ connection: { ...connection, keyPrefix: 'a' } }, 'keyPrefix'],
    [{ connection: { duplicate: () => {}, isOpen: true } }, 'a client of ioredis'],
    [{ connection, lockSeconds: 3_601 }, 'lockSeconds'],
    [{ connection, path: 'inbox.db' }, 'path'],
    [{ connection, prefix: '' }, 'prefix'],
  ])('%j are rejected', (options, message) => {
    const create = () => createBullmqInbox(options as BullmqInboxOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  it.each([undefined, 'payhook', '{}', '}{payhook'])(
    'the prefix %j is no hash tag for a cluster',
    (prefix) => {
      const cluster = new Cluster([connection], { lazyConnect: true })
      const create = () => createBullmqInbox({ connection: cluster, prefix })
      expect(create).toThrow(TypeError)
      expect(create).toThrow('such as "{payhook}"')
    },
  )
})

await describeWithService('BullMQ by itself', REDIS, () => {
  const { createQueue, open, openQueue } = useQueues()

  async function importMany(inbox: Inbox, state: InboxState, count: number): Promise<void> {
    const entry = (_: unknown, index: number) => createEntry(String(index), state, createSigned(index))
    await engineOf(inbox).import(Array.from({ length: count }, entry))
  }

  it('delays what a replay has spread, though workers are stopped meanwhile', async () => {
    const { queue, inbox } = openQueue()
    await importMany(inbox, 'dead', 150)
    await inbox.replayAll({ state: 'dead' }, { perSecond: 0.001 })
    const consumer = createConsumer()
    for (let delayed = 1; delayed < 100; delayed += 5) {
      await inbox.start(consumer)
      await waitFor(async () => (await queue.getDelayedCount()) >= delayed)
      await inbox.stop()
    }
    await inbox.start(consumer)
    await waitFor(async () => (await queue.getDelayedCount()) + consumer.deliveries.length >= 150)
    // The first one is due after a second.
    expect(consumer.deliveries.length).toBeLessThanOrEqual(1)
  })

  it('skips nothing where a page of waiting entries ends, though its last one fails meanwhile', async () => {
    const { inbox } = openQueue({ retryDelayMs: 3_600_000, concurrency: 1 })
    for (const index of [1, 2, 3]) await inbox.put(createSigned(index))
    const [{ id: after } = { id: '' }] = await inbox.list({ state: 'waiting', limit: 1 })
    const consumer = createConsumer(async () => {
      await inbox.pause('fails')
      throw new Error('fails')
    })
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.get(after))?.attempts === 1)
    await inbox.stop()
    // It has moved behind the others.
    await expect(inbox.list({ state: 'waiting', after })).rejects.toMatchObject({ code: 'entry_not_found' })
    const ids = (await inbox.list({ state: 'waiting' })).map(({ id }) => id)
    expect(ids.indexOf(after)).toBe(2)
    expect(await inbox.list({ state: 'waiting', after })).toEqual([])
  })

  it('counts two replays at once of a completed entry as one', async () => {
    const queueName = createQueue().name
    const [inbox, other] = [open({ connection, queueName }), open({ connection, queueName })]
    await importMany(inbox, 'completed', 100)
    await inbox.start(createConsumer())
    await waitFor(async () => (await inbox.counts()).completed === 100)
    await inbox.stop()
    for (const [index, { id }] of (await inbox.list({ state: 'completed' })).entries()) {
      const replays = [inbox.replay(id)]
      // Each pair meets at another moment.
      for (let turn = 0; turn < index; turn++) await nextTurn()
      await Promise.all([...replays, other.replay(id)])
    }
    const keys = (await inbox.list()).map(({ id, idempotencyKey }) => [id, idempotencyKey])
    expect(keys).toEqual(keys.map(([id]) => [id, expect.stringMatching(/:1$/)]))
  })

  it('replays what a replay has spread, though no worker has delayed it yet', async () => {
    const { inbox } = openQueue()
    await importMany(inbox, 'dead', 5)
    expect(await inbox.replayAll({ state: 'dead' }, { perSecond: 0.001 })).toBe(5)
    // The first one is due after a second.
    const before = Date.now()
    expect(await inbox.replayAll({ state: 'waiting' }, { perSecond: 0.001 })).toBeGreaterThanOrEqual(4)
    const dueAt = (await inbox.list({ state: 'waiting' })).map((waiting) => Number(waiting.dueAt))
    expect(Math.max(...dueAt)).toBeGreaterThan(before + 3 * 1_100_000)
    expect(await inbox.replayAll({ state: 'waiting' })).toBeGreaterThanOrEqual(3)
    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 5)
  })

  it('is never paused without a reason while it is being resumed', async () => {
    const { inbox } = openQueue()
    await inbox.pause('bad deploy')
    let reason: string | undefined
    const resume = vi.spyOn(Queue.prototype, 'resume').mockImplementationOnce(async () => {
      reason = (await healthOf(inbox)).paused?.reason
    })
    await inbox.resume()
    expect(resume).toHaveBeenCalledOnce()
    resume.mockRestore()
    expect(reason).toBe('bad deploy')
  })

  it('writes nothing of a notification that another process has taken over', async () => {
    const { queue, inbox } = openQueue()
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(async () => {
      await gate.promise
      throw new Error('failed late')
    })
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length === 1)
    const [job] = await queue.getActive()
    const id = job?.id ?? ''
    const redis = new Redis(connection)
    await redis.del(queue.toKey(`${id}:lock`))
    redis.disconnect()
    const notes = { forgotten: 0, settledCrashes: 1, crashesInARow: 1, lastCrash: 1 }
    await job?.updateProgress(notes)
    gate.resolve()
    await waitFor(() => consumer.failures.length > 0)
    expect((await queue.getJob(id))?.progress).toEqual(notes)
  })

  it('reports once that the queue is paused', async () => {
    const queue = createQueue()
    await queue.pause()
    const openPaused = async (lockSeconds: number) => {
      const inbox = open({ connection, queueName: queue.name, lockSeconds })
      const consumer = createConsumer()
      await inbox.start(consumer)
      await waitFor(() => consumer.failures.length > 0)
      expect(String(consumer.failures)).toMatch(/The queue "payhook-test-\S+" is paused/)
      return { inbox, consumer }
    }
    // One looks once a second. What the other handles is not taken over if this process stands still.
    const [often, patient] = [await openPaused(1), await openPaused(LONG_BULLMQ_LOCK_SECONDS)]
    const redis = new Redis(connection)
    const probe = queue.toKey('payhook-probe')
    for (const _ of ['second', 'third']) {
      await redis.del(probe)
      await waitFor(async () => (await redis.exists(probe)) === 1)
    }
    redis.disconnect()
    await often.inbox.stop()
    expect(often.consumer.failures).toHaveLength(1)

    await patient.inbox.put(createSigned(1))
    await queue.resume()
    await waitFor(() => patient.consumer.deliveries.length === 1)
    expect(patient.consumer.failures).toHaveLength(1)
  })

  it('prints nothing if it is closed while it connects', async () => {
    const print = vi.spyOn(console, 'error')
    // What happens to be under way differs.
    for (let round = 0; round < 15; round++) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const server = createServer((client) => {
        const upstream = connect(connection)
        client.pipe(upstream)
        upstream.on('data', (data) => {
          client.write(data)
          void inbox.close()
        })
        client.on('close', () => {
          upstream.destroy()
          end()
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const inbox = open({ connection: { host: '127.0.0.1', port }, queueName: createQueue().name })
      await ended
      await inbox.close()
      server.close()
    }
    expect(print).not.toHaveBeenCalled()
  })

  it('accepts an ioredis instance, and leaves it open', async () => {
    const redis = new Redis({
      ...connection,
      lazyConnect: true,
      maxRetriesPerRequest: 3,
      stringNumbers: true,
    })
    const queueName = createQueue().name
    const inbox = open({ connection: redis, queueName })
    const consumer = createConsumer()
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 1)
    await inbox.close()
    expect(await redis.ping()).toBe('PONG')
    await redis.quit()
  })

  it('sends the puts of a turn of the event loop in one packet', async () => {
    const { inbox } = openQueue()
    await inbox.put(createSigned(0))
    const writev = vi.spyOn(Socket.prototype as Required<Socket>, '_writev')
    await Promise.all([1, 2, 3].map((id) => inbox.put(createSigned(id))))
    // Each has a command, and all have one for the index.
    expect(writev.mock.calls.map(([chunks]) => chunks.length)).toEqual([4])
    writev.mockRestore()
  })

  it.each<[string, BullmqInboxOptions]>([
    ['a URL', { connection: `redis://${connection.host}:${connection.port}/0` }],
    ['its own prefix', { connection, prefix: `payhook-test-${randomUUID()}` }],
  ])('accepts %s', async (_name, options) => {
    const { prefix } = options
    const inbox = open({ ...options, queueName: createQueue(prefix === undefined ? {} : { prefix }).name })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length === 1)
  })

  it('connects for the first put if a URL has lazyConnect', async () => {
    const url = `redis://${connection.host}:${connection.port}?lazyConnect=true`
    const inbox = open({ connection: url, queueName: createQueue().name })
    expect(await inbox.put(createSigned(1))).toBe('stored')
  })

  it('waits for a notification for longer than its connection may be silent', async () => {
    const queueName = createQueue().name
    const options = { connection: { ...connection, socketTimeout: 300 }, queueName, retryDelayMs: 1_000 }
    const consumer = createConsumer(({ attempt }) => {
      if (attempt === 1) throw new Error('once more')
    })
    await open({ connection, queueName }).put(createSigned(1))
    await open(options).start(consumer)
    await waitFor(() => consumer.deliveries.length === 2)
    expect(consumer.failures).toEqual([])
  })

  it('accepts a late response if the process was busy', async () => {
    const { inbox } = openQueue()
    await inbox.put(createSigned(0))
    const puts = [1, 2, 3].map((id) => inbox.put(createSigned(id)))
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100))
    expect(await Promise.all(puts)).toEqual(['stored', 'stored', 'stored'])
  })

  it('waits for the next attempt to connect, and rejects if it fails', async () => {
    const proxy = await createTcpProxy(connection)
    const inbox = open({ connection: { host: '127.0.0.1', port: proxy.port }, queueName: createQueue().name })
    await inbox.put(createSigned(0))
    await proxy.cut()
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    await proxy.mend()
    expect(await inbox.put(createSigned(1))).toBe('stored')
    await proxy.close()
  })

  it('rejects if there is no connection', async () => {
    const inbox = open({ connection: { host: '127.0.0.1', port: 1 } })
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({
      code: 'inbox_unavailable',
      cause: expect.objectContaining({ message: 'There is no connection to Redis.' }),
    })
  })

  it('keeps no completed entries if keepCompletedSeconds is 0', async () => {
    const { inbox } = openQueue({ keepCompletedSeconds: 0 })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length === 1)
    await waitFor(async () => (await inbox.counts()).active === 0)
    expect(await inbox.counts()).toEqual({ waiting: 0, active: 0, completed: 0, dead: 0 })
    expect(await inbox.put(createSigned(1))).toBe('duplicate')
  })

  it('finishes an import that was killed while it had an entry, and entries behind waiting ones', async () => {
    const { queue, inbox } = openQueue()
    const failed = { attempts: 3, error: 'Error: down' }
    const dead = ['1', '2'].map((number) => createEntry(number, 'dead', createSigned(number), failed))
    // The jobs as an import adds them. It was killed when it had taken the first of them.
    for (const { id, signature, clientId, rawBody } of dead) {
      const body = Buffer.from(rawBody).toString('base64')
      const data = { signature, clientId, receivedAt: 0, body, imported: { state: 'dead', ...failed } }
      await queue.add('notification', data, { jobId: id })
    }
    const killed = new Worker(queue.name, null, { connection, autorun: false, lockDuration: 500 })
    expect((await killed.getNextJob('killed', { block: false }))?.id).toBe(dead[0]?.id)
    await killed.close(true)
    await queue.add('notification', {}, { jobId: 'waits', lifo: true })

    await engineOf(inbox).import(dead)
    expect(await inbox.counts()).toEqual({ waiting: 1, active: 0, completed: 0, dead: 2 })
    for (const { id } of dead) expect(await inbox.get(id)).toMatchObject(failed)
  })

  it('finishes an import whose process stood still until the lock of an entry had expired', async () => {
    const { queue, inbox } = openQueue()
    const redis = new Redis(connection)
    const { getNextJob } = Worker.prototype
    const taken = vi.spyOn(Worker.prototype, 'getNextJob')
    taken.mockImplementationOnce(async function (this: Worker, ...args) {
      const job = await getNextJob.apply(this, args)
      await redis.del(queue.toKey(`${job?.id}:lock`))
      return job
    })
    await importMany(inbox, 'dead', 3)
    expect(taken.mock.calls.length).toBeGreaterThan(3)
    taken.mockRestore()
    redis.disconnect()
    expect(await inbox.counts()).toEqual({ waiting: 0, active: 0, completed: 0, dead: 3 })
  })

  it('counts no attempt of an entry whose import was killed', async () => {
    const { queue, inbox } = openQueue({ lockSeconds: 1 })
    const { signature, clientId } = createSigned(1)
    const imported = { state: 'completed', attempts: 2, error: null, repeats: 0 }
    const data = { signature, clientId, receivedAt: 0, body: '', imported }
    await queue.add('notification', data, { jobId: 'a' })
    const killed = new Worker(queue.name, null, { connection, autorun: false, lockDuration: 500 })
    expect((await killed.getNextJob('killed', { block: false }))?.id).toBe('a')
    await killed.close(true)

    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.counts()).completed === 1)
    expect(await inbox.get('a')).toMatchObject({ attempts: 2 })
    expect(consumer.deliveries).toEqual([])
  })

  it("deletes none of BullMQ's own keys", async () => {
    const queue = createQueue()
    const inbox = open({ connection, queueName: queue.name })
    await inbox.put(createSigned(1))
    await inbox.pause('maintenance')
    for (const id of ['meta', 'wait'])
      await expect(inbox.delete(id)).rejects.toMatchObject({ code: 'entry_not_found' })
    expect(await queue.isPaused()).toBe(true)
  })

  it('rejects an after entry that has left the state', async () => {
    const { inbox } = openQueue()
    await inbox.put(createSigned(1))
    const [waiting] = await inbox.list({ state: 'waiting' })
    await expect(inbox.list({ state: 'dead', after: waiting?.id })).rejects.toMatchObject({
      code: 'entry_not_found',
      message: expect.stringContaining('not dead'),
    })
  })

  it('continues the list from waiting to delayed entries', async () => {
    const { inbox } = openQueue({ retryDelayMs: 600_000 })
    const consumer = createConsumer(throwing(new Error('down')))
    await inbox.start(consumer)
    for (const id of [1, 2]) await inbox.put(createSigned(id))
    await waitFor(async () => (await inbox.counts()).waiting === 2 && consumer.deliveries.length === 2)
    await inbox.stop()
    for (const id of [3, 4]) await inbox.put(createSigned(id))
    const ids: (string | undefined)[] = []
    for (let page = 0; page < 4; page++) {
      const [entry] = await inbox.list({ state: 'waiting', limit: 1, after: ids.at(-1) })
      ids.push(entry?.id)
    }
    const all = await inbox.list({ state: 'waiting' })
    expect(ids).toEqual(all.map(({ id }) => id))
    expect(all.map(({ attempts }) => attempts)).toEqual([0, 0, 1, 1])
    expect(await inbox.list({ state: 'waiting', after: ids.at(-1) })).toEqual([])
  })

  it('waits for the delay that it reports', async () => {
    const { queue, inbox } = openQueue({ retryDelayMs: 600_000, maxAttempts: 2 })
    const consumer = createConsumer(throwing(new Error('down')))
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(async () => (await queue.getDelayedCount()) === 1)
    const [job] = await queue.getDelayed()
    expect(consumer.deliveries[0]?.retryDelayMs).toBeGreaterThanOrEqual(300_000)
    expect(consumer.deliveries[0]?.retryDelayMs).toBe(job?.delay)
    await job?.promote()
    await waitFor(() => consumer.deaths.length === 1)
    expect(consumer.deliveries[1]?.retryDelayMs).toBeUndefined()
  })

  it('hands over again what stop() cuts off, however often', async () => {
    const { inbox } = openQueue({ stopTimeoutMs: 1, maxAttempts: 1 })
    await inbox.put(createSigned(1))
    for (let cut = 1; cut <= 4; cut++) {
      const consumer = createConsumer(({ signal }) =>
        once(signal, 'abort').then(() => signal.throwIfAborted()),
      )
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 1)
      await inbox.stop()
      expect(consumer.deliveries[0]?.attempt).toBe(1)
      expect(await inbox.list()).toMatchObject([{ state: 'waiting', attempts: 0, error: null }])
      expect(consumer.failures).toEqual([])
    }
  })

  it('survives jobs and progress that it did not write', async () => {
    const { queue, inbox } = openQueue()
    const strange = [null, 'text', {}, { body: 5, receivedAt: 'never' }]
    for (const data of strange) await queue.add('strange', data)
    await inbox.put(createSigned(1))
    const [job] = await queue.getJobs('waiting')
    await job?.updateProgress({ forgotten: 'x', repeats: -0.5, crashesInARow: null })
    expect(await inbox.list({ state: 'waiting' })).toHaveLength(5)
    const receiver = createReceiver({ clientId: 'payhook-demo-client', inbox })
    const handled: unknown[] = []
    receiver.onAny(({ type }) => void handled.push(type))
    await receiver.start()
    await waitFor(async () => (await inbox.counts()).completed === 1)
    await waitFor(async () => (await inbox.counts()).dead === strange.length)
    expect(await inbox.list({ state: 'dead' })).toMatchObject(Array(4).fill({ kind: null, attempts: 1 }))
    expect(handled).toEqual(['INBOUND_PAYMENT_STATUS_UPDATED'])
    await receiver.stop()
  })
})
