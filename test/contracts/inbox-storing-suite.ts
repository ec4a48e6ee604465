import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { healthOf } from './health-of.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned, signedFrom } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** How notifications are stored, deduplicated and retried. */
export function describeStoring(it: InboxTest): void {
  it('an inbox keeps the exact bytes of any body', async ({ open }) => {
    const inbox = await open()
    const bodies = [
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
      new Uint8Array(),
      Buffer.from('\u0000{"type":"\\u0000"}\r\n'),
      Buffer.alloc(1024 * 1024, 'x'),
    ]
    const sent = bodies.map(signedFrom)
    for (const notification of sent) expect(await inbox.put(notification)).toBe('stored')
    expect(await inbox.counts()).toEqual({ waiting: 4, active: 0, completed: 0, dead: 0 })

    const consumer = createConsumer()
    await inbox.start(consumer)
    await settled(inbox, { completed: 4 })
    for (const { signature, clientId, receivedAt, rawBody } of sent) {
      const delivery = consumer.deliveries.find((one) => one.signature === signature)
      expect(delivery).toMatchObject({ signature, clientId, receivedAt, attempt: 1 })
      expect(Buffer.compare(delivery?.rawBody ?? new Uint8Array(), rawBody)).toBe(0)
    }
  })

  describe('duplicates', () => {
    it('are stored once if many arrive at the same time', async ({ open }) => {
      const [here, there] = [await open(), await open()]
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? here : there).put(createSigned(7))),
      )
      expect(results.filter((result) => result === 'stored')).toHaveLength(1)
      expect(await here.counts()).toMatchObject({ waiting: 1 })
    })

    it('are detected in a sliding window, not a time slot', async ({ open }) => {
      const inbox = await open({ dedupeSeconds: 2 })
      // A busy machine delays some of hundreds of puts for too long, and may have stored them.
      let late = 0
      const first = await Promise.all(
        [0, 500, 1_000, 1_500].map(async (wait) => {
          await delay(wait)
          const notification = createSigned(`at ${wait}`)
          const before = Date.now()
          expect(await inbox.put(notification)).toBe('stored')
          await waitFor(async () => {
            const result = await inbox.put(notification).catch(() => void late++)
            return result === 'stored'
          })
          return Date.now() - before
        }),
      )
      for (const elapsed of first) expect(elapsed).toBeGreaterThanOrEqual(1_950)
      const { waiting } = await inbox.counts()
      expect(waiting).toBeGreaterThanOrEqual(8)
      expect(waiting).toBeLessThanOrEqual(8 + late)
    })

    it('are detected after they were handled, also by an inbox that was opened later or beside one without a window', async ({
      open,
    }) => {
      const [inbox, other] = [await open(), await open({ dedupeSeconds: 0 })]
      await inbox.put(createSigned(7))
      for (let id = 10; id < 20; id++) expect(await other.put(createSigned(id))).toBe('stored')
      await other.start(createConsumer())
      await settled(inbox, { completed: 11 })
      expect(await inbox.put(createSigned(7))).toBe('duplicate')
      await inbox.close()
      expect(await (await open()).put(createSigned(7))).toBe('duplicate')
    })

    it('are stored as separate entries if deduplication is off', async ({ open }) => {
      const inbox = await open({ dedupeSeconds: 0 })
      expect(await inbox.put(createSigned(7))).toBe('stored')
      expect(await inbox.put(createSigned(7))).toBe('stored')
      const ids = (await inbox.list({ state: 'waiting' })).map(({ id }) => id)
      expect(new Set(ids).size).toBe(2)
    })
  })

  describe('attempts', () => {
    it('continue until the handler succeeds, with increasing delays', async ({ open }) => {
      const wait = 200
      const inbox = await open({ retryDelayMs: wait })
      const times: number[] = []
      const consumer = createConsumer(({ attempt }) => {
        times.push(Date.now())
        if (attempt < 3) throw new RangeError(`not yet, ${attempt}`)
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      await settled(inbox, { completed: 1 })
      expect(consumer.attemptsOf(notification.signature)).toEqual([1, 2, 3])
      expect(consumer.deaths).toEqual([])
      expect(await inbox.list({ state: 'completed' })).toMatchObject([{ attempts: 3, error: null }])
      const [first = 0, second = 0, third = 0] = times
      expect(second - first).toBeGreaterThanOrEqual(wait / 2 - 20)
      expect(third - second).toBeGreaterThanOrEqual(wait - 20)
    })

    it('show in the entry when the current one began', async ({ open }) => {
      const inbox = await open()
      await inbox.put(createSigned(1))
      const gate = Promise.withResolvers<void>()
      const before = Date.now()
      await inbox.start(createConsumer(() => gate.promise))
      const active = await waitFor(async () => (await inbox.list({ state: 'active' }))[0])
      // The clock of the engine may differ by a little.
      expect(active.startedAt?.getTime()).toBeGreaterThan(before - 1_000)
      expect(active.startedAt?.getTime()).toBeLessThan(Date.now() + 1_000)
      gate.resolve()
      await settled(inbox, { completed: 1 })
      expect(await inbox.list()).toMatchObject([{ startedAt: null }])
    })

    it('show in the entry: their number, the last error, and when the next is due', async ({ open }) => {
      const inbox = await open({ retryDelayMs: 60_000 })
      await inbox.put(createSigned(1))
      const failed = Date.now()
      await inbox.start(createConsumer(() => Promise.reject(new RangeError('the ledger is closed'))))
      const waiting = await waitFor(async () =>
        (await inbox.list({ state: 'waiting' })).find(({ attempts }) => attempts === 1),
      )
      expect(waiting).toMatchObject({
        attempts: 1,
        error: expect.stringMatching(/^RangeError: the ledger is closed\n {4}at /),
        startedAt: null,
        finishedAt: null,
      })
      expect(waiting.dueAt?.getTime()).toBeGreaterThan(failed + 29_000)
      expect(await healthOf(inbox, { lagMs: 1 })).toMatchObject({
        status: 'pass',
        waiting: { count: 1, oldestAgeMs: null },
        active: { count: 0 },
      })
    })

    it('end with a dead notification, which is kept and reported', async ({ open }) => {
      const inbox = await open({ maxAttempts: 2 })
      const consumer = createConsumer(() => {
        throw new RangeError('the ledger is closed', { cause: new Error('not reached') })
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      await settled(inbox, { dead: 1 })

      const [dead] = await inbox.list({ state: 'dead' })
      expect(dead).toMatchObject({
        signature: notification.signature,
        clientId: notification.clientId,
        receivedAt: notification.receivedAt,
        kind: 'INBOUND_PAYMENT_STATUS_UPDATED',
        state: 'dead',
        attempts: 2,
        error: expect.stringMatching(
          /^RangeError: the ledger is closed\n {4}at [\s\S]+\nCaused by: Error: not reached\n {4}at /,
        ),
        dueAt: null,
        finishedAt: expect.any(Date),
      })
      expect(Buffer.compare(dead?.rawBody ?? new Uint8Array(), notification.rawBody)).toBe(0)
      expect(await inbox.get(dead?.id ?? '')).toEqual(dead)
      await waitFor(() => consumer.deaths.length === 1)
      expect(consumer.deaths[0]).toMatchObject({
        id: dead?.id,
        signature: notification.signature,
        attempts: 2,
        error: dead?.error,
      })
    })
  })
}
