import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { isSubject } from '../../src/events/subject.ts'
import type { InboxHealth } from '../../src/inbox/health.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { healthOf } from './health-of.ts'
import { FAST, type InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, createSigned, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** A pause takes effect within a second. What waits for longer is not taken. */
const HELD_MS = 1_500

/** How a pause holds handlers back. */
export function describePause(it: InboxTest): void {
  describe('a pause', () => {
    it('holds in all processes, and in those that start later, while put stores', async ({ open, child }) => {
      const inbox = await open()
      await inbox.start(createConsumer())
      await child({ role: 'worker' }).message((message) => 'started' in message)
      await inbox.pause('bad deploy')
      await held(inbox, HELD_MS)
      await waitFor(async () => (await inbox.counts()).active === 0)
      const before = await inbox.counts()
      for (let id = 0; id < 5; id++) await inbox.put(createSigned(`later ${id}`))
      const late = await open()
      const consumer = createConsumer()
      await late.start(consumer)
      await held(inbox, 2 * HELD_MS)
      const waiting = before.waiting + 5
      expect(await inbox.counts()).toEqual({ ...before, waiting })
      expect(consumer).toMatchObject({ deliveries: [], failures: [] })

      await late.resume()
      await settled(inbox, { completed: before.completed + waiting })
      await inbox.put(createSigned('after'))
      await settled(inbox, { completed: before.completed + waiting + 1 })
    })

    it('lets running handlers end, and holds back their retries', async ({ open }) => {
      const inbox = await open()
      const gates = { ends: Promise.withResolvers<void>(), fails: Promise.withResolvers<void>() }
      const consumer = createConsumer(async (delivery) => {
        if (delivery.attempt === 1) await gates[nameOf(delivery) as 'ends' | 'fails']?.promise
      })
      const failing = createAbout('payment:2', 'fails')
      await inbox.put(createAbout('payment:1', 'ends'))
      await inbox.put(failing)
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 2)
      await inbox.pause('bad deploy')
      await held(inbox, HELD_MS)
      const { completed } = await inbox.counts()
      gates.ends.resolve()
      await waitFor(async () => (await inbox.counts()).completed === completed + 1)
      gates.fails.reject(new Error('down'))
      await waitFor(async () => (await inbox.counts()).active === 0)
      const { waiting } = await healthOf(inbox)
      await held(inbox, (waiting.oldestAgeMs ?? 0) + HELD_MS)
      expect(consumer.attemptsOf(failing.signature)).toEqual([1])
      await inbox.resume()
      await settled(inbox, { completed: completed + 1 + (waiting.count ?? 0) })
      expect(consumer.attemptsOf(failing.signature)).toEqual([1, 2])
    })

    it('shows in the health, since the first call and with the last reason', async ({ open }) => {
      const [inbox, other] = [await open(), await open()]
      await inbox.put(createSigned(1))
      await inbox.resume()
      expect((await healthOf(inbox)).paused).toBeNull()
      await inbox.pause('bad deploy')
      const first = (await healthOf(other)).paused
      expect(first).toEqual({ since: expect.any(Date), reason: 'bad deploy' })
      expect(Math.abs(Date.now() - Number(first?.since))).toBeLessThan(60_000)
      await waitFor(async () => ((await healthOf(inbox)).waiting.oldestAgeMs ?? 0) > 1)
      await other.pause('€ '.repeat(100))
      const health = await healthOf(inbox, { lagMs: 1 })
      const reason = '€ '.repeat(100)
      expect(health).toMatchObject({ status: 'warn', paused: { since: first?.since, reason } })
      // It is known why something waits.
      expect(health.problems).toEqual([
        { code: 'paused', message: expect.stringMatching(/^The inbox has been paused for \d+ seconds?: € /) },
      ])

      await other.resume()
      await other.resume()
      expect(await healthOf(inbox)).toMatchObject({ status: 'pass', paused: null, problems: [] })
      await inbox.pause('again')
      const again = (await healthOf(inbox)).paused
      expect(again?.reason).toBe('again')
      expect(Number(again?.since)).toBeGreaterThanOrEqual(Number(first?.since))
      await inbox.start(createConsumer())
      await inbox.resume()
      await settled(inbox, { completed: 1 })
    })

    it('is what the last calls of any process made it', async ({ open }) => {
      const inboxes = [await open(), await open()] as const
      const reason = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).filter(isSubject)
      const calls = fc.array(fc.record({ by: fc.nat(1), reason: fc.option(reason) }), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(calls, async (all) => {
          await inboxes[0].resume()
          let expected: InboxHealth['paused'] = null
          for (const { by, reason } of all) {
            const [inbox, other] = by === 0 ? inboxes : ([inboxes[1], inboxes[0]] as const)
            await (reason === null ? inbox.resume() : inbox.pause(reason))
            const paused = (await healthOf(other)).paused
            expect(paused?.reason ?? null).toBe(reason)
            if (expected && paused) expect(paused.since).toEqual(expected.since)
            expected = paused
          }
        }),
        { numRuns: 8 },
      )
      await inboxes[0].resume()
    })
  })
}

/** A pause after processes crashed. */
export function describePauseAfterCrashes(it: InboxTest): void {
  describe('a pause, after crashes', () => {
    it('holds back what crashed its process twice, and waits until it is alone', async ({ open, child }) => {
      const inbox = await open()
      await inbox.put(createAbout('payment:1', 'poison'))
      for (let crashes = 0; crashes < 2; crashes++) {
        await child({ role: 'worker', handler: 'crash', options: FAST }).ended()
      }
      const other = Promise.withResolvers<void>()
      const consumer = createConsumer(async (one) => {
        if (nameOf(one) === 'other') await other.promise
      })
      const begun = () => consumer.deliveries.filter((one) => nameOf(one) === 'poison').length
      await inbox.put(createAbout('payment:2', 'other'))
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 1)
      await held(inbox, HELD_MS)
      await inbox.pause('bad deploy')
      await held(inbox, ((await healthOf(inbox)).waiting.oldestAgeMs ?? 0) + HELD_MS)
      const before = begun()
      other.resolve()
      await waitFor(async () => (await inbox.list({ subject: 'payment:2' }))[0]?.state === 'completed')
      await held(inbox, ((await healthOf(inbox)).waiting.oldestAgeMs ?? 0) + HELD_MS)
      expect(begun()).toBe(before)
      await inbox.resume()
      const { waiting, active, completed } = await inbox.counts()
      await settled(inbox, { completed: waiting + active + completed })
    })
  })
}

let probes = 0

/** Waits until an entry is due for that long. Until the pause takes effect, workers take what it puts. */
async function held(inbox: Inbox, ms: number): Promise<void> {
  await waitFor(async () => {
    const { waiting } = await healthOf(inbox)
    if (waiting.count === 0) await inbox.put(createAbout(null, `probe ${probes++}`))
    return (waiting.oldestAgeMs ?? 0) >= ms
  })
}
