import { describe, expect } from 'vitest'
import type { Inbox, InboxEntry } from '../../src/inbox/inbox.ts'
import { NonRetriableError, RetryAfterError } from '../../src/index.ts'
import { healthOf } from './health-of.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const HOUR = 3_600_000
const REASON = expect.stringMatching(/^RetryAfterError: no order yet\n +at /)

const notYet = (afterMs: number) => new RetryAfterError('no order yet', { afterMs })

/** "Not yet" and "never", said by handlers. */
export function describeDeferral(it: InboxTest): void {
  describe('"not yet"', () => {
    it('makes it due then, with the reason, and is no attempt', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1 })
      const consumer = createConsumer(({ attempt }) => {
        expect(attempt).toBe(1)
        if (consumer.deliveries.length === 1) throw notYet(HOUR)
      })
      await inbox.put(createSigned(1))
      const before = Date.now()
      await inbox.start(consumer)
      const entry = await deferred(inbox)
      expect(entry).toMatchObject({ state: 'waiting', attempts: 0, error: REASON, finishedAt: null })
      expect(Number(entry.dueAt)).toBeGreaterThanOrEqual(before + HOUR - 1)
      // The engine's clock may be another machine's, which rounds.
      expect(Number(entry.dueAt)).toBeLessThanOrEqual(Date.now() + HOUR + 1)
      expect(await healthOf(inbox, { lagMs: 1 })).toMatchObject({
        status: 'pass',
        waiting: { count: 1, oldestAgeMs: null },
      })
      await inbox.replay(entry.id)
      await settled(inbox, { completed: 1 })
      expect(await inbox.get(entry.id)).toMatchObject({ attempts: 1, error: null, dueAt: null })
      expect((await healthOf(inbox)).waiting).toEqual({ count: 0, oldestAgeMs: null })
      expect([consumer.deaths, consumer.failures]).toEqual([[], []])
    })

    it('may be said any number of times, between attempts that fail', async ({ open }) => {
      const inbox = await open({ maxAttempts: 3 })
      const thrown = [notYet(1), notYet(1), new Error('down'), notYet(1)]
      const consumer = createConsumer(() => {
        throw thrown.shift() ?? new Error('down')
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      await settled(inbox, { dead: 1 })
      expect(consumer.attemptsOf(notification.signature)).toEqual([1, 1, 1, 2, 2, 3])
      await waitFor(() => consumer.deaths.length === 1)
      expect(consumer.deaths[0]).toMatchObject({ attempts: 3, error: expect.stringMatching(/^Error: down/) })
    })

    it('holds after stop(), and for another process, until it is deleted', async ({ open }) => {
      const inbox = await open()
      await inbox.put(createSigned(1))
      await inbox.start(createConsumer(() => Promise.reject(notYet(HOUR))))
      const { id, dueAt } = await deferred(inbox)
      await inbox.stop()
      const other = await open()
      const consumer = createConsumer()
      await other.start(consumer)
      await other.put(createSigned(2))
      await settled(other, { waiting: 1, completed: 1 })
      expect(consumer.deliveries).toHaveLength(1)
      expect(await other.get(id)).toMatchObject({ dueAt, attempts: 0, error: REASON })
      await other.delete(id)
      expect(await healthOf(other)).toMatchObject({ status: 'pass', waiting: { count: 0 } })
    })

    it('is stored if stop() waits for the handler', async ({ open }) => {
      const inbox = await open()
      const gate = Promise.withResolvers<void>()
      const consumer = createConsumer(() => gate.promise)
      await inbox.put(createSigned(1))
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 1)
      const stopped = inbox.stop()
      gate.reject(notYet(HOUR))
      await stopped
      expect(await deferred(inbox)).toMatchObject({ attempts: 0, error: REASON })
    })
  })

  it('"never" makes it dead at once, and it can be replayed from its first attempt', async ({ open }) => {
    const inbox = await open()
    const consumer = createConsumer(() => {
      if (consumer.deliveries.length === 1) throw new NonRetriableError('not our order')
    })
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await settled(inbox, { dead: 1 })
    await waitFor(() => consumer.deaths.length === 1)
    const error = expect.stringMatching(/^NonRetriableError: not our order\n +at /)
    expect(consumer.deaths[0]).toMatchObject({ attempts: 1, error })
    const [entry] = await inbox.list({ state: 'dead' })
    expect(entry).toMatchObject({ attempts: 1, error })
    await inbox.replay(String(entry?.id))
    await settled(inbox, { completed: 1 })
    const { id, signature, rawBody } = entry as InboxEntry
    const [completed] = await inbox.list({ state: 'completed' })
    expect(completed).toMatchObject({ id, signature, attempts: 1, error: null, finishedAt: expect.any(Date) })
    expect(completed?.rawBody).toEqual(rawBody)
  })
}

/** Waits until one entry is deferred. */
async function deferred(inbox: Inbox): Promise<InboxEntry> {
  return await waitFor(async () => {
    const waiting = await inbox.list({ state: 'waiting' })
    return waiting.find(({ error }) => error !== null)
  })
}
