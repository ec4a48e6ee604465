import type { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import type { BullmqInboxOptions } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { createGatedConsumer, running } from '../../../contracts/gated-consumer.ts'
import { healthOf } from '../../../contracts/health-of.ts'
import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { createAbout } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connection, useQueues } from './queues.ts'
import { steadyBullmq } from './under-test.ts'

const HOUR = 3_600_000

await describeWithService('BullMQ', REDIS, () => describeInbox(steadyBullmq, INBOX_THEMES.health))

await describeWithService('the health of BullMQ', REDIS, () => {
  const redis = new Redis({ ...connection, lazyConnect: true })
  const { openQueue } = useQueues()
  afterAll(() => redis.quit())

  const open = (options: Partial<BullmqInboxOptions> = {}) => openQueue({ oneAtATime: true, ...options })

  /** @returns the id of the entry */
  async function put(inbox: Inbox, name: string, subject = `payment:${name}`): Promise<string> {
    await inbox.put(createAbout(subject, name))
    const entries = await inbox.list({ subject })
    return entries.at(-1)?.id ?? ''
  }

  /** Makes a notification look as if it had arrived hours ago. */
  async function age(queue: Queue, id: string, hours: number): Promise<void> {
    await redis.hset(queue.toKey(id), 'timestamp', Date.now() - hours * HOUR)
  }

  const hoursDue = async (inbox: Inbox) =>
    Math.floor(((await healthOf(inbox)).waiting.oldestAgeMs ?? -1) / HOUR)

  it('finds the oldest one that is due, wherever it waits', async () => {
    const { queue, inbox } = open()
    const ids: string[] = []
    for (const name of ['first', 'second', 'third']) ids.push(await put(inbox, name))
    expect(await hoursDue(inbox)).toBe(0)
    await age(queue, ids[0] ?? '', 1)
    expect(await hoursDue(inbox)).toBe(1)
    // As if it had been woken, or its process had died.
    await age(queue, ids[1] ?? '', 2)
    expect(await hoursDue(inbox)).toBe(2)
    // As if a process had been killed between the two commands that wake it.
    await age(queue, ids[2] ?? '', 3)
    await (await queue.getJob(ids[2] ?? ''))?.changePriority({ priority: 1 })
    expect(await queue.getJobState(ids[2] ?? '')).toBe('prioritized')
    expect(await healthOf(inbox)).toMatchObject({ waiting: { count: 3 } })
    expect(await hoursDue(inbox)).toBe(3)
  })

  it('finds the oldest of those that wait for another one of their subject, beside retries', async () => {
    const { queue, inbox } = open()
    const consumer = createGatedConsumer()
    await inbox.start(consumer)
    const retry = { name: 'notification', data: {}, opts: { delay: 2 ** 31 - 1 } }
    await queue.addBulk(Array.from({ length: 60 }, () => retry))
    await put(inbox, 'x')
    await running(consumer, 'x')
    const parked = await put(inbox, 'parked', 'payment:x')
    await waitFor(async () => (await queue.getJobState(parked)) === 'delayed')
    expect(await healthOf(inbox)).toMatchObject({ waiting: { count: 61 }, active: { count: 1 } })
    expect(await hoursDue(inbox)).toBe(0)
    await age(queue, parked, 1)
    expect(await hoursDue(inbox)).toBe(1)
    consumer.end('x')
    await running(consumer, 'parked')
    consumer.end('parked')
  })

  it('counts a retry from when it was due, and a replay from when it was asked for', async () => {
    const { queue, inbox } = open({ retryDelayMs: 10 })
    const consumer = createConsumer(async () => {
      void inbox.stop()
      throw new Error('down')
    })
    const id = await put(inbox, 'fails')
    await age(queue, id, 2)
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 1)
    await inbox.stop()
    await waitFor(async () => (await healthOf(inbox)).waiting.oldestAgeMs !== null)
    expect(await hoursDue(inbox)).toBe(0)
    // On a busy machine the retry is due before its worker has stopped, which then promotes it.
    if ((await queue.getJobState(id)) === 'delayed') await (await queue.getJob(id))?.promote()
    expect(await queue.getJobState(id)).toBe('waiting')
    expect(await hoursDue(inbox)).toBe(0)
    const [entry] = await inbox.list({ state: 'waiting' })
    expect(Number(entry?.dueAt)).toBeGreaterThan(Date.now() - HOUR)

    await inbox.start(createConsumer())
    await waitFor(async () => (await inbox.counts()).completed === 1)
    await inbox.stop()
    await inbox.replay(id)
    expect(await healthOf(inbox)).toMatchObject({ waiting: { count: 1, oldestAgeMs: expect.any(Number) } })
    expect(await hoursDue(inbox)).toBe(0)
  })

  it('survives jobs that other programs added', async () => {
    const { queue, inbox } = open({ oneAtATime: false })
    await queue.add('other', null, { jobId: 'other' })
    await redis.hset(queue.toKey('other'), { progress: '{', data: '{', timestamp: '' })
    await redis.rpush(queue.toKey('wait'), 'missing')
    expect((await healthOf(inbox)).waiting.count).toBe(2)
    await redis.lpush(queue.toKey('active'), 'missing')
    expect((await healthOf(inbox)).active).toMatchObject({ count: 1, oldestAgeMs: null, entryId: null })
  })

  it('fails if there is no queue and none may be created', async () => {
    const { inbox } = open({ create: false })
    expect(await inbox.health()).toMatchObject({ status: 'fail', problems: [{ code: 'unavailable' }] })
  })
})
