import { randomUUID } from 'node:crypto'
import { type Job, type Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import type { BullmqInboxOptions } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import { createBusyKeys } from '../../../../adapters/inbox/bullmq/busy-keys.ts'
import { createConnection } from '../../../../adapters/inbox/bullmq/connection.ts'
import { Session } from '../../../../adapters/inbox/bullmq/session.ts'
import { createSubjectIndex } from '../../../../adapters/inbox/bullmq/subject-index.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { INBOX_OPTIONS } from '../../../../src/inbox/inbox-options.ts'
import { checkOptions } from '../../../../src/option-checks.ts'
import { createEntry } from '../../../contracts/create-entry.ts'
import { healthOf } from '../../../contracts/health-of.ts'
import { createConsumer, type RecordingConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connection, useQueues } from './queues.ts'

const SUBJECT = 'payment:1'

await describeWithService('BullMQ and subjects', REDIS, () => {
  const redis = new Redis({ ...connection, lazyConnect: true })
  const { openQueue: openAny } = useQueues()
  afterAll(() => redis.quit())

  /** @returns the id of the entry */
  async function put(inbox: Inbox, body: number | string, subject = SUBJECT): Promise<string> {
    await inbox.put({ ...createSigned(body), subject })
    const entries = await Array.fromAsync(inbox.entries({ subject }))
    return entries.at(-1)?.id ?? ''
  }

  const isParked = async (queue: Queue, id: string) =>
    (await redis.zscore(queue.toKey(`payhook:parked:${SUBJECT}`), id)) !== null &&
    (await queue.getJobState(id)) === 'delayed'

  function openQueue(options: Partial<BullmqInboxOptions> = {}) {
    const opened = openAny({ oneAtATime: true, ...options })
    return { ...opened, index: createSubjectIndex({ queue: opened.queue, reach: vi.fn() }) }
  }

  /** Parks entries of one subject while the first of them is active, until `end` is called. */
  async function openParked(count: number) {
    const { queue, inbox, index } = openQueue()
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const consumer: RecordingConsumer = createConsumer(() =>
      consumer.deliveries.length === 1 ? promise : undefined,
    )
    await inbox.start(consumer)
    const ids = [await put(inbox, 0)]
    await waitFor(async () => (await inbox.counts()).active === 1)
    for (let body = 1; body <= count; body++) ids.push(await put(inbox, body))
    for (const id of ids.slice(1)) await waitFor(() => isParked(queue, id))
    return { queue, inbox, index, ids, id: ids[1] ?? '', deliveries: consumer.deliveries, end }
  }

  /** The keys of another process. */
  async function withBusyKeys<Result>(
    queue: Queue,
    use: (keys: ReturnType<typeof createBusyKeys>) => Promise<Result>,
  ): Promise<Result> {
    const worker = new Worker(queue.name, null, { connection, autorun: false })
    return await use(createBusyKeys(worker, { oneAtATime: true })).finally(() => worker.close())
  }

  const tidiedUntil = (index: ReturnType<typeof createSubjectIndex>, isDone: () => Promise<boolean>) =>
    waitFor(async () => {
      await index.tidy(0)
      return await isDone()
    })

  const completed = async (inbox: Inbox, count: number) =>
    await waitFor(async () => (await inbox.counts()).completed === count)

  it('wakes the next one if the oldest was removed', async () => {
    const { queue, inbox, ids, deliveries, end } = await openParked(4)
    await inbox.delete(ids[1] ?? '')
    await queue.remove(ids[2] ?? '')
    end()
    await completed(inbox, 3)
    expect(deliveries.map(({ id }) => id)).toEqual([ids[0], ids[3], ids[4]])
  })

  it('looks at a parked entry again after a replay, and parks it again', async () => {
    const { queue, inbox, id, deliveries, end } = await openParked(1)
    await queue.pause()
    await inbox.replay(id)
    // Not behind all others, as a prioritized job is.
    expect(await queue.getJobState(id)).toBe('waiting')
    await queue.resume()
    await waitFor(async () => ((await queue.getJob(id))?.attemptsStarted ?? 0) === 2)
    await waitFor(() => isParked(queue, id))
    expect(deliveries).toHaveLength(1)
    end()
    await completed(inbox, 2)
  })

  it('keeps an entry parked if the process that ended its attempt before is late', async () => {
    const { queue, inbox, id, end } = await openParked(1)
    const before = (await queue.getJob(id)) as Job
    await inbox.replay(id)
    await waitFor(async () => ((await queue.getJob(id))?.attemptsStarted ?? 0) === 2)
    await waitFor(() => isParked(queue, id))
    await withBusyKeys(queue, async (keys) => {
      keys.end(before, 'token', 'leave')
      await keys.settled()
    })
    expect(await isParked(queue, id)).toBe(true)
    end()
    await completed(inbox, 2)
  })

  it('does not let a frozen process begin what another one has parked', async () => {
    const { queue, inbox, id, end } = await openParked(1)
    // As if the first had ended, and the second was about to be woken.
    await redis.hset(queue.toKey('payhook:busy'), SUBJECT, '+')
    const job = (await queue.getJob(id)) as Job
    expect(await withBusyKeys(queue, (keys) => keys.take(job, 'token'))).toBe(false)
    expect(await isParked(queue, id)).toBe(true)
    end()
    await completed(inbox, 2)
  })

  it('wakes what a killed process has not woken, though the index does not respond', async () => {
    const { queue, inbox, index } = openQueue()
    const first = await put(inbox, 1)
    const silent = { ...index, tidy: () => new Promise<never>(() => {}) }
    const own = createConnection({ connection, queueName: queue.name, prefix: 'bull', create: true })
    const options = { ...checkOptions('', {}, INBOX_OPTIONS), oneAtATime: true, lockSeconds: 0.2 }
    const session = new Session(own, silent, createConsumer(), options, false, () => {})
    onTestFinished(() => session.stop().finally(() => own.close()))
    await completed(inbox, 1)
    // As if it had been killed when it had completed the first, and another process had parked the second.
    const parked = randomUUID()
    const { data } = (await queue.getJob(first)) as Job
    await queue.add('notification', data, { jobId: parked, delay: 600_000 })
    await redis.zadd(queue.toKey(`payhook:parked:${SUBJECT}`), 0, parked)
    await redis.hset(queue.toKey('payhook:busy'), SUBJECT, `+token ${first}`)
    await completed(inbox, 2)
    await waitFor(async () => (await redis.exists(queue.toKey('payhook:busy'))) === 0)
  })

  it('forgets what is gone, even if its subject stays busy', async () => {
    const { queue, inbox, index, end } = await openParked(2)
    end()
    await completed(inbox, 3)
    await inbox.stop()
    await inbox.prune({ state: 'completed', olderThan: new Date(Date.now() + 1_000) })
    const id = await put(inbox, 'waits')
    const about = () => redis.zrange(queue.toKey(`payhook:about:${SUBJECT}`), '0', '-1')
    await tidiedUntil(index, async () => (await about()).join() === id)
    await inbox.delete(id)
    await tidiedUntil(index, async () => (await redis.keys(queue.toKey('payhook:*'))).length === 0)
  })

  it('forgets what has been gone for some time while it handles others', async () => {
    const { queue, inbox } = openQueue({ lockSeconds: 1 })
    const about = queue.toKey('payhook:about:payment:2')
    await redis.zadd(about, 0, 'gone')
    await redis.lpush(queue.toKey('payhook:indexed'), '1 gone payment:2')
    await put(inbox, 1)
    await inbox.start(createConsumer())
    await waitFor(async () => (await redis.exists(about)) === 0)
    expect(await inbox.list({ subject: SUBJECT })).toHaveLength(1)
  })

  it('indexes nothing until somebody looks, except what it still has after some time', async () => {
    const { queue, inbox, index } = openQueue()
    const keys = async () =>
      (await redis.keys(queue.toKey('payhook:*'))).map((key) => key.slice(queue.toKey('').length)).sort()
    for (const body of [1, 2]) await inbox.put({ ...createSigned(body), subject: SUBJECT })
    expect(await keys()).toEqual(['payhook:new'])
    const { lastStoredAt } = await healthOf(inbox)
    await inbox.put({ ...createSigned(2), subject: SUBJECT })
    expect(await redis.llen(queue.toKey('payhook:new'))).toBe(2)
    const [first, second] = await inbox.list({ state: 'waiting' })
    await inbox.delete(second?.id ?? '')
    await tidiedUntil(index, async () => (await redis.exists(queue.toKey('payhook:new'))) === 0)
    expect(await redis.zrange(queue.toKey(`payhook:about:${SUBJECT}`), '0', '-1')).toEqual([first?.id])
    expect((await healthOf(inbox)).lastStoredAt).toEqual(lastStoredAt)
    await inbox.delete(first?.id ?? '')
    await tidiedUntil(index, async () => (await keys()).length === 0)
  })

  it('indexes a backlog in steps, and then finds all of a subject', async () => {
    const { queue, inbox } = openQueue()
    const backlog = Array.from({ length: 1_200 }, (_, index) => `1 ${index} payment:2`)
    await redis.lpush(queue.toKey('payhook:new'), ...backlog)
    await inbox.put({ ...createSigned(1), subject: SUBJECT })
    const { lastStoredAt } = await healthOf(inbox)
    expect(await inbox.list({ subject: SUBJECT })).toHaveLength(1)
    expect(await redis.zcard(queue.toKey('payhook:about:payment:2'))).toBe(1_200)
    expect((await healthOf(inbox)).lastStoredAt).toEqual(lastStoredAt)
  })

  it('finds more entries than Redis looks at in one go', async () => {
    const { inbox } = openQueue()
    await Promise.all(
      Array.from({ length: 450 }, (_, body) => inbox.put({ ...createSigned(body), subject: SUBJECT })),
    )
    expect(await inbox.list({ subject: SUBJECT, state: 'completed' })).toEqual([])
    const found = await inbox.list({ subject: SUBJECT, limit: 1_000 })
    expect(found.map(({ id }) => id)).toEqual((await Array.fromAsync(inbox.entries())).map(({ id }) => id))
  })

  it('leaves out no others if an entry is gone before it is read', async () => {
    const { queue, inbox } = openQueue()
    await Promise.all(
      Array.from({ length: 250 }, (_, body) => inbox.put({ ...createSigned(body), subject: SUBJECT })),
    )
    const [gone, ...others] = (await Array.fromAsync(inbox.entries())).map(({ id }) => id)
    const { find } = createSubjectIndex({ queue, reach: async () => redis as never })
    vi.spyOn(queue, 'getJob').mockImplementationOnce(async (id) => void (await inbox.delete(id)))
    const first = (await find(SUBJECT, undefined, 100, undefined)).map(({ id }) => id)
    const next = await find(SUBJECT, undefined, 1_000, first.at(-1))
    expect(gone).toBeDefined()
    expect([...first, ...next.map(({ id }) => id)]).toEqual(others)
  })

  it('finds what was stored twice at the same time once', async () => {
    const { inbox } = openQueue()
    const results = await Promise.all([1, 1, 1].map((body) => inbox.put(createSigned(body))))
    expect(results.toSorted()).toEqual(['duplicate', 'duplicate', 'stored'])
    expect(await inbox.list({ subject: SUBJECT })).toHaveLength(1)
  })

  it('finds what was stored although Redis rejected its note, once the sender has repeated it', async () => {
    const { queue, inbox } = openQueue()
    const withId = { ...createSigned(2), id: createEntry('2', 'waiting', createSigned(2)).id }
    for (const notification of [createSigned(1), withId]) {
      await redis.set(queue.toKey('payhook:new'), 'rejects')
      await expect(inbox.put(notification)).rejects.toMatchObject({ code: 'inbox_unavailable' })
      await redis.del(queue.toKey('payhook:new'))
      expect(await inbox.put(notification)).toBe('duplicate')
      expect(await inbox.list({ subject: notification.subject ?? '' })).toHaveLength(1)
    }
  })

  it('gives a replay of a completed entry one new key, even if it was interrupted', async () => {
    const { queue, inbox } = openQueue()
    const consumer = createConsumer()
    const id = await put(inbox, 1)
    await inbox.start(consumer)
    await completed(inbox, 1)
    await inbox.stop()
    const job = (await queue.getJob(id)) as Job
    await job.updateProgress({ repeats: 1, repeated: job.finishedOn ?? 0 })
    expect(await inbox.get(id)).toMatchObject({ idempotencyKey: id })
    await Promise.all([inbox.replay(id), inbox.replay(id)])
    expect(await inbox.get(id)).toMatchObject({ idempotencyKey: `${id}:1`, state: 'waiting' })
    await inbox.start(consumer)
    await completed(inbox, 1)
    expect(consumer.deliveries.map(({ idempotencyKey }) => idempotencyKey)).toEqual([id, `${id}:1`])
  })
})
