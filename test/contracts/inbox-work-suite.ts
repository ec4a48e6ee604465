import { describe, expect } from 'vitest'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** How handlers run and stop. */
export function describeWork(it: InboxTest): void {
  describe('work', () => {
    it('never exceeds the concurrency', async ({ open }) => {
      const inbox = await open({ concurrency: 4 })
      let running = 0
      let most = 0
      const gate = Promise.withResolvers<void>()
      const consumer = createConsumer(async () => {
        running += 1
        most = Math.max(most, running)
        await gate.promise
        running -= 1
      })
      for (let index = 0; index < 20; index++) await inbox.put(createSigned(index))
      await inbox.start(consumer)
      await waitFor(() => running === 4)
      gate.resolve()
      await settled(inbox, { completed: 20 })
      expect(most).toBe(4)
    })

    it('can be started and stopped repeatedly', async ({ open }) => {
      const inbox = await open()
      const consumer = createConsumer()
      await inbox.stop()
      await Promise.all([inbox.start(consumer), inbox.start(consumer)])
      await inbox.start(consumer)
      await inbox.put(createSigned(1))
      await settled(inbox, { completed: 1 })
      await Promise.all([inbox.stop(), inbox.stop()])
      await inbox.stop()
      await inbox.put(createSigned(2))
      await inbox.start(consumer)
      await settled(inbox, { completed: 2 })
      expect(consumer.deliveries).toHaveLength(2)
    })

    it('cannot block stop(), nor affect a later start()', async ({ open }) => {
      const inbox = await open({ stopTimeoutMs: 50 })
      const gates: PromiseWithResolvers<void>[] = []
      const consumer = createConsumer(() => {
        const gate = Promise.withResolvers<void>()
        gates.push(gate)
        return gate.promise
      })
      const [first, second] = [createSigned(1), createSigned(2)]
      await inbox.put(first)
      await inbox.start(consumer)
      await waitFor(() => gates.length === 1)
      await inbox.stop()
      await inbox.start(consumer)
      await waitFor(() => gates.length === 2)
      gates[0]?.reject(new Error('too late'))
      // Its result would be stored before this one's.
      await inbox.put(second)
      await waitFor(() => gates.length > 2)
      gates[2]?.resolve()
      await waitFor(async () => (await inbox.counts()).completed === 1)
      expect(await inbox.counts()).toMatchObject({ waiting: 0, active: 1 })
      expect(consumer.deliveries.map(({ signature }) => signature)).toEqual(
        [first, first, second].map(({ signature }) => signature),
      )
      gates[1]?.resolve()
      await settled(inbox, { completed: 2 })
    })

    it('finishes during stop(), which starts no more', async ({ open }) => {
      const inbox = await open({ concurrency: 2 })
      const gate = Promise.withResolvers<void>()
      const consumer = createConsumer(() => gate.promise)
      for (let index = 0; index < 6; index++) await inbox.put(createSigned(index))
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 2)
      const stopped = inbox.stop()
      gate.resolve()
      await stopped
      expect(consumer.deliveries.length).toBeLessThanOrEqual(2)
      expect(consumer.deliveries.every(({ signal }) => !signal.aborted)).toBe(true)
      expect(await inbox.counts()).toEqual({ waiting: 4, active: 0, completed: 2, dead: 0 })
    })

    it('is aborted if stop() times out, and delivered again', async ({ open }) => {
      const inbox = await open({ stopTimeoutMs: 50 })
      const heedful = createConsumer(
        ({ signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
      )
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(heedful)
      await waitFor(() => heedful.deliveries.length === 1)
      await inbox.stop()
      expect(heedful.deliveries[0]?.signal.aborted).toBe(true)
      expect(await inbox.counts()).toMatchObject({ waiting: 1, active: 0, dead: 0 })

      const consumer = createConsumer()
      await inbox.start(consumer)
      await settled(inbox, { completed: 1 })
      expect(consumer.attemptsOf(notification.signature)).toEqual([1])
      expect(consumer.deliveries[0]?.idempotencyKey).toBe(heedful.deliveries[0]?.idempotencyKey)
    })

    it('handles 200 notifications despite duplicates, failing handlers and a stop', async ({ open }) => {
      const pair = [await open({ concurrency: 50 }), await open({ concurrency: 50 })]
      const handled = new Set<string>()
      const consumer = createConsumer(({ signature, attempt }) => {
        if (attempt === 1 && Number.parseInt(signature.slice(0, 4), 16) % 20 === 0) throw new Error('down')
        handled.add(signature)
      })
      await Promise.all(pair.map((inbox) => inbox.start(consumer)))
      let duplicates = 0
      let next = 0
      const produce = async () => {
        while (next < 200) {
          const index = next++
          if (index === 100) void pair[0]?.stop()
          // Every tenth repeats the one before.
          const id = index % 10 === 9 ? index - 1 : index
          if ((await pair[index % 2]?.put(createSigned(id))) === 'duplicate') duplicates += 1
        }
      }
      await Promise.all(Array.from({ length: 50 }, produce))
      expect(duplicates).toBe(20)
      await pair[0]?.start(consumer)
      await settled(pair[0], { completed: 180 })
      expect(handled.size).toBe(180)
    })
  })
}
