import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { NonRetriableError, RetryAfterError } from '../../src/index.ts'
import { createGatedConsumer, endAll, type GatedConsumer, passOthers, running } from './gated-consumer.ts'
import type { Fixtures, InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const X = 'payment:1'
const Y = 'payment:2'

/** Handling one notification of a subject at a time. */
export function describeExclusion(it: InboxTest): void {
  describe('one at a time', () => {
    /** An inbox that is handling the first of some notifications about X. */
    async function withBusy(open: Fixtures['open'], ...names: [string, ...string[]]) {
      const inbox = await open()
      const consumer = createGatedConsumer()
      await put(inbox, X, ...names)
      await inbox.start(consumer)
      await running(consumer, names[0])
      await passOthers(inbox, consumer)
      return { inbox, consumer }
    }

    it('starts the oldest of a subject when the one before has ended, and others meanwhile', async ({
      open,
    }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      await put(inbox, X, 'x1', 'x2', 'x3')
      await put(inbox, Y, 'y1', 'y2')
      await inbox.start(consumer)
      await running(consumer, 'x1', 'y1')
      await passOthers(inbox, consumer)
      await put(inbox, X, 'x4')
      for (const [name, next] of [
        ['x1', 'x2'],
        ['x2', 'x3'],
        ['x3', 'x4'],
      ] as const) {
        await passOthers(inbox, consumer)
        expect(consumer.running()).toEqual([name, 'y1'])
        consumer.end(name)
        await running(consumer, next, 'y1')
      }
      consumer.end('y1')
      await running(consumer, 'x4', 'y2')
      for (const name of consumer.running()) consumer.end(name)
      await completed(inbox, X, 4)
      await completed(inbox, Y, 2)
      expect(consumer.overlaps).toEqual([])
    })

    it('does not limit notifications without a subject, nor any if it is turned off', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      for (const name of ['a', 'b', 'c']) await inbox.put(createAbout(null, name))
      await inbox.start(consumer)
      await running(consumer, 'a', 'b', 'c')
      await inbox.put(createAbout(null, 'd'))
      await running(consumer, 'a', 'b', 'c', 'd')
      for (const name of consumer.running()) consumer.end(name)
      await settled(inbox, { completed: 4 })
      await inbox.close()

      const unlimited = await open({ oneAtATime: false })
      await put(unlimited, X, 'x1', 'x2', 'x3')
      await unlimited.start(consumer)
      await running(consumer, 'x1', 'x2', 'x3')
      for (const name of consumer.running()) consumer.end(name)
      await settled(unlimited, { completed: 7 })
    })

    it('holds between two inboxes, of which one stops and starts again', async ({ open }) => {
      const [first, second] = [await open(), await open()]
      const consumer = createGatedConsumer()
      await first.start(consumer)
      await put(first, X, 'x1')
      await running(consumer, 'x1')
      await second.start(consumer)
      await put(second, X, 'x2', 'x3')
      for (const inbox of [first, second, first, second]) await passOthers(inbox, consumer)
      expect(consumer.running()).toEqual(['x1'])
      const stopped = first.stop()
      await passOthers(second, consumer)
      expect(consumer.running()).toEqual(['x1'])
      consumer.end('x1')
      await stopped
      await running(consumer, 'x2')
      await first.start(consumer)
      await passOthers(first, consumer)
      expect(consumer.running()).toEqual(['x2'])
      consumer.end('x2')
      await running(consumer, 'x3')
      consumer.end('x3')
      await completed(first, X, 3)
      expect(consumer.overlaps).toEqual([])
    })

    it('leaves nothing behind when only processes are left that handle any number at a time', async ({
      open,
    }) => {
      const { inbox, consumer } = await withBusy(open, 'x1', 'x2', 'x3')
      const unlimited = await open({ oneAtATime: false })
      await unlimited.start(createConsumer())
      const closed = inbox.close()
      consumer.end('x1')
      await closed
      await completed(unlimited, X, 3)
    })

    it('is not held up by a retry that waits, "not yet", nor a dead notification', async ({ open }) => {
      const inbox = await open({ retryDelayMs: 600_000 })
      const consumer = createGatedConsumer()
      await put(inbox, X, 'x1', 'x2', 'x3', 'x4')
      await inbox.start(consumer)
      for (const [name, error] of [
        ['x1', new Error('down')],
        ['x2', new RetryAfterError('no order yet', { afterMs: 3_600_000 })],
        ['x3', new NonRetriableError('not our order')],
      ] as const) {
        await running(consumer, name)
        consumer.end(name, error)
      }
      await running(consumer, 'x4')
      const waiting = await waitFor(async () => {
        const entries = await inbox.list({ subject: X, state: 'waiting' })
        return entries.length === 2 ? entries : undefined
      })
      expect(waiting).toMatchObject([{ attempts: 1 }, { attempts: 0 }])
      expect((await inbox.list({ subject: X, state: 'dead' })).map(nameOf)).toEqual(['x3'])
      for (const { id } of waiting) await inbox.replay(id)
      await passOthers(inbox, consumer)
      expect(consumer.running()).toEqual(['x4'])
      await endAll(consumer, () => completed(inbox, X, 3))
      expect(consumer.overlaps).toEqual([])
      expect(consumer.deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
    })

    it('holds for retries that become due meanwhile', async ({ open }) => {
      const { inbox, consumer } = await withBusy(open, 'x1', 'x2', 'x3')
      consumer.end('x1', new Error('down'))
      // On a slow machine, x1 is due before the inbox looks for the next one.
      const [next] = await waitFor(() => (consumer.running().length > 0 ? consumer.running() : undefined))
      await waitFor(async () => {
        const waiting = await inbox.list({ subject: X, state: 'waiting' })
        return waiting.every(({ dueAt }) => Number(dueAt) < Date.now())
      })
      await passOthers(inbox, consumer)
      expect(consumer.running()).toEqual([next])
      consumer.end(next ?? '', new Error('down'))
      await endAll(consumer, () => completed(inbox, X, 3))
      expect(consumer.overlaps).toEqual([])
      expect(started(consumer)).toHaveLength(5)
    })

    it('holds for replays of completed, dead and waiting notifications', async ({ open }) => {
      const { inbox, consumer } = await withBusy(open, 'good', 'dead', 'busy', 'x4')
      consumer.end('good')
      await running(consumer, 'dead')
      consumer.end('dead', new NonRetriableError('not our order'))
      await running(consumer, 'busy')
      for (const entry of await inbox.list({ subject: X })) {
        if (nameOf(entry) === 'busy')
          await expect(inbox.replay(entry.id)).rejects.toMatchObject({ code: 'entry_active' })
        else if (nameOf(entry) !== 'dead') await inbox.replay(entry.id)
      }
      expect(await inbox.replayAll({ state: 'dead' })).toBe(1)
      await passOthers(inbox, consumer)
      expect(consumer.running()).toEqual(['busy'])
      await settled(inbox, { waiting: 3, active: 1, completed: 16 })
      consumer.end('busy')
      await endAll(consumer, () => completed(inbox, X, 4))
      expect(consumer.overlaps).toEqual([])
      expect(started(consumer)).toEqual(['busy', 'dead', 'dead', 'good', 'good', 'x4'])
    })

    it('shows what has to wait as due, and goes on after it was deleted, pruned or moved away', async ({
      open,
    }) => {
      const { inbox, consumer } = await withBusy(open, 'x1', 'x2', 'x3', 'x4', 'x5')
      await settled(inbox, { waiting: 4, active: 1, completed: 8 })
      const waiting = await inbox.list({ state: 'waiting' })
      expect(waiting.map(nameOf)).toEqual(['x2', 'x3', 'x4', 'x5'])
      expect(await inbox.list({ subject: X, state: 'waiting' })).toEqual(waiting)
      for (const entry of waiting) {
        expect(entry).toMatchObject({ attempts: 0, error: null, finishedAt: null })
        // The clock of the engine may differ by a little.
        expect(Number(entry.dueAt)).toBeGreaterThan(Number(entry.receivedAt) - 1_000)
        expect(Number(entry.dueAt)).toBeLessThan(Date.now() + 1_000)
        expect(await inbox.get(entry.id)).toEqual(entry)
      }
      const idOf = async (name: string) =>
        (await inbox.list({ subject: X })).find((entry) => nameOf(entry) === name)?.id ?? ''
      await inbox.delete(await idOf('x2'))
      expect(await engineOf(inbox).remove([await idOf('x3'), await idOf('x1')])).toBe(1)
      expect(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(8)
      expect(await inbox.counts()).toEqual({ waiting: 2, active: 1, completed: 0, dead: 0 })
      consumer.end('x1')
      await running(consumer, 'x4')
      await passOthers(inbox, consumer)
      await inbox.delete(await idOf('x5'))
      expect(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(9)
      consumer.end('x4')
      await completed(inbox, X, 1)
      await put(inbox, X, 'x6')
      await running(consumer, 'x6')
      consumer.end('x6')
      await completed(inbox, X, 2)
      expect(started(consumer)).toEqual(['x1', 'x4', 'x6'])
    })

    it('goes on after stop(), whether that waits for the handler or cuts it off', async ({ open }) => {
      const { inbox, consumer } = await withBusy(open, 'x1', 'x2', 'x3')
      const stopped = inbox.stop()
      consumer.end('x1')
      await stopped
      expect(await inbox.counts()).toMatchObject({ waiting: 2, active: 0 })
      expect(consumer.running()).toEqual([])
      await inbox.close()

      const impatient = await open({ stopTimeoutMs: 50 })
      await impatient.start(consumer)
      await running(consumer, 'x2')
      await passOthers(impatient, consumer)
      await impatient.stop()
      expect(await impatient.counts()).toMatchObject({ waiting: 2, active: 0 })
      await impatient.start(consumer)
      await endAll(consumer, () => completed(impatient, X, 3))
      expect(consumer.overlaps).toEqual([])
      expect(started(consumer)).toEqual(['x1', 'x2', 'x2', 'x3'])
    })

    it('completes hundreds of a subject beside hundreds of others', async ({ open }) => {
      const pair = [await open({ concurrency: 50 }), await open({ concurrency: 50 })]
      const busy = new Set<string>()
      const overlaps: string[] = []
      const failed = new Set<string>()
      const consumer = createConsumer(async (delivery) => {
        const { subject, attempt } = delivery
        if (subject === null) return
        if (busy.has(subject)) overlaps.push(subject)
        busy.add(subject)
        await nextTurn()
        busy.delete(subject)
        if (attempt > 1 || !nameOf(delivery).endsWith('7')) return
        failed.add(nameOf(delivery))
        throw new Error('down')
      })
      const produce = async (inbox: Inbox, from: string) => {
        for (let index = 0; index < 50; index++) {
          await inbox.put(createAbout(X, `hot ${from} ${index}`))
          await inbox.put(createAbout(`payment:${from}${index}`, `cold ${from} ${index}`))
          // Some are alone, and some are few.
          await inbox.put(createAbout(`account:${index % 20}`, `few ${from} ${index}`))
        }
      }
      const [here, there] = pair as [Inbox, Inbox]
      const puts = Promise.all([produce(here, 'a'), produce(there, 'b')])
      await Promise.all(pair.map((inbox) => inbox.start(consumer)))
      await puts
      await settled(here, { completed: 300 })
      expect(overlaps).toEqual([])
      expect(failed.size).toBe(30)
      expect(consumer.deliveries).toHaveLength(330)
    })
  })
}

async function put(inbox: Inbox, subject: string, ...names: string[]): Promise<void> {
  for (const name of names) await inbox.put(createAbout(subject, name))
}

/** Waits until so many entries of a subject are completed. */
async function completed(inbox: Inbox, subject: string, count: number): Promise<void> {
  await waitFor(async () => (await inbox.list({ subject, state: 'completed' })).length === count)
}

/** What was started, sorted, except what `passOthers` put. */
function started(consumer: GatedConsumer): string[] {
  return consumer.started.filter((name) => !name.startsWith('other')).sort()
}
