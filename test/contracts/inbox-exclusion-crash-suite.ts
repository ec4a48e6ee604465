import { describe, expect } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createGatedConsumer, finish, passOthers, running } from './gated-consumer.ts'
import { healthOf } from './health-of.ts'
import { FAST, type InboxTest } from './inbox-fixtures.ts'
import { settled } from './settled.ts'
import { createAbout, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const X = 'payment:1'

/** Handling one notification of a subject at a time, though processes crash meanwhile. */
export function describeExclusionAfterCrashes(it: InboxTest): void {
  describe.concurrent('one at a time, after crashes', () => {
    it('goes on when the process that was handling the subject is gone, not before', async ({
      open,
      child,
    }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      const x1 = createAbout(X, 'x1')
      await inbox.put(x1)
      // It can handle nothing else.
      const worker = child({ role: 'worker', handler: 'hang', options: { ...FAST, concurrency: 1 } })
      await worker.message((message) => 'handling' in message && message.handling === x1.signature)
      await inbox.put(createAbout(X, 'x2'))
      await inbox.start(consumer)
      await passOthers(inbox, consumer)
      expect(consumer.running()).toEqual([])
      await worker.kill()
      await inbox.put(createAbout(X, 'x3'))
      await finish(inbox, consumer)
      expect(consumer.started.filter((name) => name.startsWith('x')).sort()).toEqual(['x1', 'x2', 'x3'])
      expect(await inbox.list({ subject: X })).toMatchObject([
        { state: 'completed', attempts: 2 },
        { state: 'completed', attempts: 1 },
        { state: 'completed', attempts: 1 },
      ])
    })

    it('goes on when all processes were killed, and others are started', async ({ open, child }) => {
      const inbox = await open()
      const notifications = Array.from({ length: 8 }, (_, index) =>
        createAbout(index < 4 ? X : `payment:${index}`, `${index}`),
      )
      for (const each of notifications) await inbox.put(each)
      const crashed = [1, 2].map(() => child({ role: 'worker', handler: 'hang' }))
      // On a busy machine a lock may expire, and its notification be delivered again.
      const handled = () =>
        new Set(
          crashed.flatMap(({ messages }) =>
            messages.flatMap((one) => ('handling' in one ? [one.handling] : [])),
          ),
        )
      await waitFor(() => handled().size === 5)
      await Promise.all(crashed.map((each) => each.kill()))
      const consumer = createGatedConsumer()
      const pair = [await open(), await open()]
      for (const each of pair) await each.start(consumer)
      await finish(inbox, consumer)
      await settled(inbox, { completed: notifications.length })
      expect(handled().size).toBe(5)
      expect(consumer.started.toSorted()).toEqual(notifications.map(nameOf).sort())
    })

    it('holds for what is deferred again and again by a process that is killed', async ({ open, child }) => {
      const inbox = await open()
      const notifications = Array.from({ length: 12 }, (_, index) =>
        createAbout(index < 6 ? X : `payment:${index}`, `${index}`),
      )
      for (const each of notifications) await inbox.put(each)
      for (const _ of ['first', 'second']) {
        const worker = child({ role: 'worker', handler: 'defer', options: FAST })
        await waitFor(() => worker.messages.filter((message) => 'handling' in message).length >= 60)
        await worker.kill()
      }
      const consumer = createGatedConsumer()
      await inbox.start(consumer)
      await finish(inbox, consumer)
      expect(new Set(consumer.started).size).toBe(12)
      const entries = await inbox.list({ state: 'completed' })
      expect(entries).toHaveLength(12)
      // Only what was being handled when its process was killed has failed attempts.
      expect(entries.reduce((sum, { attempts }) => sum + attempts, 0)).toBeLessThan(60)
      expect((await healthOf(inbox)).waiting).toMatchObject({ count: 0, oldestAgeMs: null })
    })

    it('holds for a notification that crashed its process twice', async ({ open, child }) => {
      const observer = await open()
      const suspect = createAbout(X, 'poison')
      await observer.put(suspect)
      for (let crashes = 0; crashes < 2; crashes++) {
        await child({ role: 'worker', handler: 'crash', options: FAST }).ended()
      }
      const consumer = createGatedConsumer()
      // It becomes due after the other one has been started.
      const pair = await Promise.all([1, 2].map(() => open({ retryDelayMs: 4_000 })))
      const [first, second] = pair as [Inbox, Inbox]
      await observer.put(createAbout(X, 'x2'))
      await first.start(consumer)
      await running(consumer, 'x2')
      await second.start(consumer)
      await waitFor(async () => {
        const [entry] = await observer.list({ subject: X })
        return entry?.state === 'waiting' && Number(entry.dueAt) < Date.now() - 500
      })
      await passOthers(second, consumer)
      expect(consumer.running()).toEqual(['x2'])
      consumer.end('x2')
      await running(consumer, 'poison')
      await observer.put(createAbout(X, 'x3'))
      await observer.put(createAbout('payment:2', 'y'))
      await waitFor(() => consumer.running().includes('y'))
      expect(consumer.running()).toEqual(['poison', 'y'])
      await finish(observer, consumer)
      expect(await observer.list({ subject: X })).toMatchObject(Array(3).fill({ state: 'completed' }))
    })
  })
}
