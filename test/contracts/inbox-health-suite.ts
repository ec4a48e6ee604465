import { loadavg } from 'node:os'
import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { HealthOptions, InboxHealth } from '../../src/inbox/health.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createEntry } from './create-entry.ts'
import { createGatedConsumer, passOthers, running } from './gated-consumer.ts'
import { healthOf } from './health-of.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const HOUR = 3_600_000
const X = 'payment:1'

/** How an inbox is doing. */
export function describeHealth(it: InboxTest): void {
  describe('health', () => {
    it('passes in a new inbox, unless there should have been a notification', async ({ open }) => {
      const inbox = await open()
      const health = await healthOf(inbox)
      expect(health).toEqual({
        status: 'pass',
        waiting: { count: 0, oldestAgeMs: null },
        active: { count: 0, oldestAgeMs: null, entryId: null, subject: null },
        paused: null,
        dead: { count: 0 },
        lastStoredAt: null,
        problems: [],
      })
      expect(await healthOf(inbox, { lagMs: 1 })).toEqual(health)
      expect(await healthOf(inbox, { silenceMs: HOUR })).toMatchObject({
        status: 'warn',
        problems: [{ code: 'silent' }],
      })
    })

    it('shows for how long the oldest one has been due', async ({ open }) => {
      const inbox = await open()
      for (const id of [1, 2, 3]) await inbox.put(createSigned(id))
      const health = await warned(inbox, 'waiting', { lagMs: 1 })
      expect(health.waiting).toEqual({ count: 3, oldestAgeMs: expect.any(Number) })
      expect(health.active).toEqual({ count: 0, oldestAgeMs: null, entryId: null, subject: null })
      expect(health.problems[0]?.message).toMatch(/^A notification has been due for \d+ seconds?; /)
      const relaxed = await healthOf(inbox, { lagMs: HOUR, silenceMs: HOUR })
      expect(relaxed).toMatchObject({ status: 'pass', waiting: { count: 3 }, problems: [] })
      expect(relaxed.waiting.oldestAgeMs).toBeGreaterThanOrEqual(health.waiting.oldestAgeMs ?? Infinity)
    })

    it('takes a replayed entry as due since its replay', async ({ open }) => {
      const inbox = await open()
      await engineOf(inbox).import([createEntry('1', 'dead', createSigned(1))])
      await inbox.replayAll({ state: 'dead' })
      const { waiting, lastStoredAt } = await healthOf(inbox)
      expect(waiting).toEqual({ count: 1, oldestAgeMs: expect.any(Number) })
      expect(waiting.oldestAgeMs).toBeLessThan(HOUR)
      // A moved entry is not a new one.
      expect(lastStoredAt).toBeNull()
    })

    it('shows a handler that hangs, and those that wait for it', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      for (const name of ['x1', 'x2', 'x3']) await inbox.put(createAbout(X, name))
      await inbox.start(consumer)
      await running(consumer, 'x1')
      await passOthers(inbox, consumer)
      const health = await warned(inbox, 'active', { lagMs: 1 })
      const [entry] = await inbox.list({ state: 'active' })
      expect(health.active).toEqual({
        count: 1,
        oldestAgeMs: expect.any(Number),
        entryId: entry?.id,
        subject: X,
      })
      expect(health.problems).toContainEqual({
        code: 'active',
        message: expect.stringContaining(entry?.id ?? '?'),
      })
      expect(health.waiting).toEqual({ count: 2, oldestAgeMs: expect.any(Number) })
      expect((await warned(inbox, 'waiting', { lagMs: 1 })).waiting.count).toBe(2)
      const relaxed = await healthOf(inbox, { lagMs: HOUR })
      expect(relaxed.status).toBe('pass')
      expect(relaxed.active.oldestAgeMs).toBeLessThan(HOUR)
      for (const name of ['x1', 'x2', 'x3']) {
        await running(consumer, name)
        consumer.end(name)
      }
    })

    it('shows the oldest of those that are being handled', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      await inbox.start(consumer)
      await inbox.put(createAbout(null, 'first'))
      await running(consumer, 'first')
      const { active } = await warned(inbox, 'active', { lagMs: 1 })
      for (const name of ['second', 'third']) await inbox.put(createAbout(X + name, name))
      await running(consumer, 'first', 'second', 'third')
      await waitFor(async () => (await healthOf(inbox)).active.count === 3)
      expect((await healthOf(inbox)).active).toMatchObject({
        count: 3,
        entryId: active.entryId,
        subject: null,
      })
      for (const name of consumer.running()) consumer.end(name)
    })

    it('warns of dead ones until they are gone', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1 })
      for (const id of [1, 2]) await inbox.put(createSigned(id))
      await inbox.start(createConsumer(fail))
      await settled(inbox, { dead: 2 })
      const health = await healthOf(inbox)
      expect(health).toMatchObject({ status: 'warn', dead: { count: 2 }, problems: [{ code: 'dead' }] })
      expect(health.problems[0]?.message).toMatch(/^2 notifications failed for good: /)
      for (const { id } of await inbox.list({ state: 'dead' })) await inbox.delete(id)
      expect(await healthOf(inbox)).toMatchObject({ status: 'pass', dead: { count: 0 } })
    })

    for (const options of [{ keepCompletedSeconds: 0 }, { keepCompletedSeconds: 0, dedupeSeconds: 0 }, {}]) {
      it(`knows when one was last stored after it is gone, with ${JSON.stringify(options)}`, async ({
        open,
      }) => {
        const inbox = await open(options)
        const before = Date.now()
        await inbox.put(createSigned(1))
        const after = Date.now()
        await inbox.start(createConsumer())
        // Some engines delete what they do not keep only from time to time.
        await waitFor(async () => {
          const { waiting, active } = await inbox.counts()
          return waiting + active === 0
        })
        await inbox.prune({ olderThan: new Date(Date.now() + HOUR) })
        await settled(inbox, {})
        const health = await warned(inbox, 'silent', { silenceMs: 1 })
        // The engine's clock may be another machine's, which rounds.
        expect(health.lastStoredAt?.getTime()).toBeGreaterThanOrEqual(before - 1)
        expect(health.lastStoredAt?.getTime()).toBeLessThanOrEqual(after + 1)
        expect(health.problems[0]?.message).toMatch(/^No notification has arrived for \d+ seconds?; /)
        expect(await healthOf(inbox, { silenceMs: HOUR })).toMatchObject({ status: 'pass', problems: [] })
        const other = await open(options)
        expect((await healthOf(other)).lastStoredAt).toEqual(health.lastStoredAt)
      })
    }

    it('does not take a duplicate for a new one', async ({ open }) => {
      const inbox = await open()
      await inbox.put(createSigned(1))
      const { lastStoredAt } = await warned(inbox, 'silent', { silenceMs: 1 })
      expect(await inbox.put(createSigned(1))).toBe('duplicate')
      expect((await healthOf(inbox)).lastStoredAt).toEqual(lastStoredAt)
      await inbox.put(createSigned(2))
      expect((await healthOf(inbox)).lastStoredAt?.getTime()).toBeGreaterThan(Number(lastStoredAt))
    })

    it('fails in time while the engine is away or hangs, and passes afterwards', async ({ store, open }) => {
      const inbox = await open()
      await inbox.put(createSigned(1))
      for (const way of ['interrupt', 'hang'] as const) {
        await store[way]()
        await Promise.all([failed(inbox), failed(inbox)])
        await store.restore()
        expect(await healthOf(inbox)).toMatchObject({ status: 'pass', waiting: { count: 1 } })
      }
    })
  })
}

const UNAVAILABLE = {
  status: 'fail',
  waiting: { count: null, oldestAgeMs: null },
  active: { count: null, oldestAgeMs: null, entryId: null, subject: null },
  paused: null,
  dead: { count: null },
  lastStoredAt: null,
  problems: [
    { code: 'unavailable', message: expect.stringMatching(/^The inbox is not available( \([\w ]+\))?\.$/) },
  ],
}

/** Two seconds are promised, and a busy machine needs more. An engine's own limits are longer. */
const IN_TIME_MS = 8_000

function fail(): never {
  throw new Error('down')
}

/** Waits until the health has a problem. */
async function warned(inbox: Inbox, code: string, options: HealthOptions): Promise<InboxHealth> {
  return await waitFor(async () => {
    const health = await healthOf(inbox, options)
    return health.problems.some((problem) => problem.code === code) ? health : undefined
  })
}

async function failed(inbox: Inbox): Promise<void> {
  const start = performance.now()
  expect(await inbox.health()).toEqual(UNAVAILABLE)
  expect(performance.now() - start, `the load was ${loadavg()[0]}`).toBeLessThan(IN_TIME_MS)
}
