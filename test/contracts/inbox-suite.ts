import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { it as base, describe, expect } from 'vitest'
import type { Inbox, InboxState } from '../../src/inbox/inbox.ts'
import type { InboxOptions } from '../../src/inbox/inbox-options.ts'
import { createReceiver, parse, sign } from '../../src/index.ts'
import type { EngineUnderTest, InboxStore } from './engine-under-test.ts'
import { type InboxChild, type ProcessPlan, startInboxProcess } from './inbox-child.ts'
import { createConsumer } from './recording-consumer.ts'
import { createSigned, signedFrom } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const SLOW_MS = 110_000

const FAST: InboxOptions = { retryDelayMs: 10 }

interface Fixtures {
  readonly store: InboxStore
  /** Opens an inbox on the store. */
  readonly open: (options?: InboxOptions) => Promise<Inbox>
  /** Starts a process with an inbox on the store. */
  readonly child: (plan: Omit<ProcessPlan, 'place'>) => InboxChild
}

/** What every inbox has to do, against its real engine. */
export function describeInbox(engine: EngineUnderTest): void {
  const it = base.extend<Fixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: what vitest asks for
    store: async ({}, use) => {
      const store = await engine.createStore()
      await use(store)
      await store.dispose()
    },
    open: async ({ store }, use) => use((options) => store.open({ ...FAST, ...options })),
    child: async ({ store }, use) => {
      const children: InboxChild[] = []
      await use((plan) => {
        const child = startInboxProcess({ place: store.place, ...plan })
        children.push(child)
        return child
      })
      await Promise.all(children.map((child) => child.kill()))
    },
  })

  describe('storing', () => {
    it('keeps the exact bytes, whatever they are', async ({ open }) => {
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
      for (const { deliveryId, clientId, receivedAt, rawBody } of sent) {
        const delivery = consumer.deliveries.find((one) => one.deliveryId === deliveryId)
        expect(delivery).toMatchObject({ deliveryId, clientId, receivedAt, attempt: 1 })
        expect(Buffer.compare(delivery?.rawBody ?? new Uint8Array(), rawBody)).toBe(0)
      }
    })

    it('outlives the inbox that it was stored with', async ({ open }) => {
      const notification = createSigned(1)
      const first = await open()
      await first.put(notification)
      await first.close()

      const consumer = createConsumer()
      const second = await open()
      await second.start(consumer)
      await settled(second, { completed: 1 })
      expect(consumer.attemptsOf(notification.deliveryId)).toEqual([1])
    })

    it('refuses after close()', async ({ open }) => {
      const inbox = await open()
      await Promise.all([inbox.close(), inbox.close()])
      await inbox.close()
      const calls = await Promise.allSettled([
        inbox.put(createSigned(1)),
        inbox.start(createConsumer()),
        inbox.counts(),
        inbox.list({ state: 'dead' }),
        inbox.get('1'),
        inbox.replay('1'),
        inbox.replayDead(),
        inbox.prune({ olderThan: new Date() }),
      ])
      for (const call of calls) {
        expect(call).toMatchObject({
          reason: { code: 'inbox_unavailable', message: 'The inbox is closed.' },
        })
      }
      await inbox.stop()
    })
  })

  describe('duplicates', () => {
    it('stores one of many that arrive at once', async ({ open }) => {
      const [here, there] = [await open(), await open()]
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? here : there).put(createSigned(7))),
      )
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1)
      expect(await here.counts()).toMatchObject({ waiting: 1 })
    })

    it('stores one of many that arrive in two processes', async ({ open, child }) => {
      const plan = { role: 'receiver', count: 200, inFlight: 20, options: FAST } as const
      const pair = [child(plan), child(plan)]
      await Promise.all(pair.map((one) => one.ended()))
      const answers = pair.flatMap(({ messages }) => messages)
      expect(answers).toHaveLength(400)
      expect(answers.filter((message) => 'put' in message && message.answer === 'stored')).toHaveLength(200)
      expect(await (await open()).counts()).toMatchObject({ waiting: 200 })
    })

    it('are known after they were handled, and by an inbox that was opened later', async ({ open }) => {
      const first = await open()
      await first.put(createSigned(7))
      await first.start(createConsumer())
      await settled(first, { completed: 1 })
      expect(await first.put(createSigned(7))).toBe('duplicate')
      await first.close()
      expect(await (await open()).put(createSigned(7))).toBe('duplicate')
    })

    it('end with the window, which is no time slot', async ({ open }) => {
      const inbox = await open({ dedupeSeconds: 2 })
      const first = await Promise.all(
        [0, 500, 1_000, 1_500].map(async (wait) => {
          await delay(wait)
          const notification = createSigned(`at ${wait}`)
          const before = Date.now()
          expect(await inbox.put(notification)).toBe('stored')
          await delay(1_700)
          expect(await inbox.put(notification)).toBe('duplicate')
          await waitFor(async () => (await inbox.put(notification)) === 'stored')
          return Date.now() - before
        }),
      )
      for (const elapsed of first) expect(elapsed).toBeGreaterThanOrEqual(1_950)
      expect(await inbox.counts()).toMatchObject({ waiting: 8 })
    })

    it('are stored when the window is off, as entries of their own', async ({ open }) => {
      const inbox = await open({ dedupeSeconds: 0 })
      expect(await inbox.put(createSigned(7))).toBe('stored')
      expect(await inbox.put(createSigned(7))).toBe('stored')
      const ids = (await inbox.list({ state: 'waiting' })).map(({ id }) => id)
      expect(new Set(ids).size).toBe(2)
    })
  })

  describe('attempts', () => {
    it('go on until the handler succeeds', async ({ open }) => {
      const inbox = await open()
      const consumer = createConsumer(({ attempt }) => {
        if (attempt < 3) throw new RangeError(`not yet, ${attempt}`)
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      await settled(inbox, { completed: 1 })
      expect(consumer.attemptsOf(notification.deliveryId)).toEqual([1, 2, 3])
      expect(consumer.deaths).toEqual([])
      expect(await inbox.list({ state: 'completed' })).toMatchObject([{ attempts: 3, error: null }])
    })

    it('wait longer and longer, and the entry says for what', async ({ open }) => {
      const wait = Math.max(engine.shortestRetryMs, 200)
      const inbox = await open({ retryDelayMs: wait })
      const times: number[] = []
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(
        createConsumer(() => {
          times.push(Date.now())
          if (times.length < 3) throw new RangeError('the ledger is closed')
        }),
      )
      const [waiting] = await waitFor(async () => {
        const entries = await inbox.list({ state: 'waiting' })
        return times.length === 1 && entries.length === 1 && entries[0]?.attempts === 1 ? entries : undefined
      })
      expect(waiting).toMatchObject({
        attempts: 1,
        error: 'RangeError: the ledger is closed',
        finishedAt: null,
      })
      expect(waiting?.dueAt?.getTime()).toBeGreaterThan((times[0] ?? 0) + wait / 2 - 50)
      await settled(inbox, { completed: 1 })
      const [first = 0, second = 0, third = 0] = times
      expect(second - first).toBeGreaterThanOrEqual(wait / 2 - 20)
      expect(third - second).toBeGreaterThanOrEqual(wait - 20)
    })

    it('end, and the notification is dead, kept and reported', async ({ open }) => {
      const inbox = await open({ maxAttempts: 2 })
      const consumer = createConsumer(() => {
        throw new RangeError('the ledger is closed')
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      await settled(inbox, { dead: 1 })

      const [dead] = await inbox.list({ state: 'dead' })
      expect(dead).toMatchObject({
        deliveryId: notification.deliveryId,
        clientId: notification.clientId,
        receivedAt: notification.receivedAt,
        kind: 'INBOUND_PAYMENT_STATUS_UPDATED',
        state: 'dead',
        attempts: 2,
        error: 'RangeError: the ledger is closed',
        dueAt: null,
        finishedAt: expect.any(Date),
      })
      expect(Buffer.compare(dead?.rawBody ?? new Uint8Array(), notification.rawBody)).toBe(0)
      expect(await inbox.get(dead?.id ?? '')).toEqual(dead)
      await waitFor(() => consumer.deaths.length === 1)
      expect(consumer.deaths[0]).toMatchObject({
        id: dead?.id,
        deliveryId: notification.deliveryId,
        attempts: 2,
        error: 'RangeError: the ledger is closed',
      })
    })

    it('end at once for a body that is no notification', async ({ open }) => {
      const inbox = await open()
      const consumer = createConsumer(({ rawBody }) => parse(rawBody))
      await inbox.put(signedFrom(Buffer.from('{"type":')))
      await inbox.start(consumer)
      await settled(inbox, { dead: 1 })
      const [dead] = await inbox.list({ state: 'dead' })
      expect(dead).toMatchObject({ kind: null, attempts: 1, error: expect.stringContaining('PayloadError') })
      await waitFor(() => consumer.deaths.length === 1)
      expect(consumer.deliveries).toHaveLength(1)
    })

    it('survive whatever a handler throws', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1, dedupeSeconds: 0 })
      const thrown = [
        evil(),
        null,
        Object.create(null),
        'text',
        new Error('x'.repeat(100_000)),
        Symbol('s'),
        '\u0000\ud800',
      ]
      for (const index of thrown.keys()) await inbox.put(createSigned(index))
      let next = 0
      await inbox.start(
        createConsumer(() => {
          throw thrown[next++]
        }),
      )
      await settled(inbox, { dead: thrown.length })
    })
  })

  describe('recovery', () => {
    async function withDead(
      open: Fixtures['open'],
      count: number,
    ): Promise<{ inbox: Inbox; failing: { now: boolean } }> {
      const inbox = await open({ maxAttempts: 1 })
      const failing = { now: true }
      for (let index = 0; index < count; index++) {
        const kind = index % 3 === 0 ? 'INVOICE_STATUS_UPDATED' : 'INBOUND_PAYMENT_STATUS_UPDATED'
        await inbox.put(createSigned(index, kind))
      }
      const consumer = createConsumer(() => {
        if (failing.now) throw new Error('down')
      })
      await inbox.start(consumer)
      await settled(inbox, { dead: count })
      return { inbox, failing }
    }

    it('replays one that is dead, from its first attempt', async ({ open }) => {
      const { inbox, failing } = await withDead(open, 1)
      failing.now = false
      const [dead] = await inbox.list({ state: 'dead' })
      await inbox.replay(dead?.id ?? '')
      await settled(inbox, { completed: 1 })
      const [entry] = await inbox.list({ state: 'completed' })
      expect(entry).toMatchObject({
        id: dead?.id,
        deliveryId: dead?.deliveryId,
        attempts: 1,
        error: null,
        finishedAt: expect.any(Date),
      })
      expect(Buffer.compare(entry?.rawBody ?? new Uint8Array(), dead?.rawBody ?? new Uint8Array())).toBe(0)
    })

    it('replays all of a kind, and all', async ({ open }) => {
      const { inbox, failing } = await withDead(open, 9)
      failing.now = false
      expect(await inbox.replayDead({ kind: 'INVOICE_STATUS_UPDATED' })).toBe(3)
      await settled(inbox, { completed: 3, dead: 6 })
      expect(await inbox.replayDead({ kind: 'ACCOUNT_STATUS_UPDATED' })).toBe(0)
      expect(await inbox.replayDead()).toBe(6)
      await settled(inbox, { completed: 9 })
    })

    it('comes to an end when all that is replayed dies again', async ({ open }) => {
      const { inbox } = await withDead(open, 5)
      expect(await inbox.replayDead()).toBe(5)
      await settled(inbox, { dead: 5 })
    })

    it('comes to every dead one, though older ones die again at once', async ({ open }) => {
      const { inbox, failing } = await withDead(open, 230)
      await inbox.stop()
      failing.now = false
      const handled = new Set<string>()
      const consumer = createConsumer(({ deliveryId }) => {
        handled.add(deliveryId)
        throw new Error('down again')
      })
      await inbox.start(consumer)
      expect(await inbox.replayDead()).toBe(230)
      await waitFor(() => handled.size === 230)
      await settled(inbox, { dead: 230 })
      expect(consumer.deliveries).toHaveLength(230)
    })

    it('replays a dead one once, though two ask for all at once', async ({ open }) => {
      const { inbox, failing } = await withDead(open, 120)
      const other = await open()
      await inbox.stop()
      failing.now = false
      const consumer = createConsumer()
      await inbox.start(consumer)
      const byKind = other.replayDead({ kind: 'INVOICE_STATUS_UPDATED' })
      const replayed = await Promise.all([inbox.replayDead(), byKind, other.replayDead()])
      expect(replayed.reduce((sum, count) => sum + count)).toBe(120)
      await settled(inbox, { completed: 120 })
      expect(consumer.deliveries).toHaveLength(120)
      expect(consumer.deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
    })

    it('replays what is completed, and what waits for its next attempt', async ({ open }) => {
      const inbox = await open({ retryDelayMs: 600_000 })
      const consumer = createConsumer(() => {
        if (consumer.deliveries.length === 1) throw new Error('down')
      })
      const notification = createSigned(1)
      await inbox.put(notification)
      await inbox.start(consumer)
      const [waiting] = await waitFor(async () => {
        const entries = await inbox.list({ state: 'waiting' })
        return entries[0]?.attempts === 1 ? entries : undefined
      })
      await inbox.replay(waiting?.id ?? '')
      await settled(inbox, { completed: 1 })
      const [completed] = await inbox.list({ state: 'completed' })
      await inbox.replay(completed?.id ?? '')
      await waitFor(() => consumer.deliveries.length === 3)
      await settled(inbox, { completed: 1 })
      expect(consumer.attemptsOf(notification.deliveryId)).toEqual([1, 1, 1])
    })

    it('refuses to replay what is being handled, and what is not there', async ({ open }) => {
      const inbox = await open()
      const { promise, resolve } = Promise.withResolvers<void>()
      const consumer = createConsumer(() => promise)
      await inbox.put(createSigned(1))
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 1)
      await expect(inbox.replayDead({ kind: undefined as never })).rejects.toThrow(TypeError)
      await expect(inbox.replayDead({ kind: 5 as never })).rejects.toThrow(TypeError)
      const [active] = await inbox.list({ state: 'active' })
      expect(active?.id).toBe(consumer.deliveries[0]?.id)
      await expect(inbox.replay(active?.id ?? '')).rejects.toMatchObject({
        code: 'entry_active',
        status: 409,
      })
      for (const id of ['0', '-1', '1e3', 'no such', '0'.repeat(300), "' or 1=1 --", crypto.randomUUID()]) {
        expect(await inbox.get(id)).toBeUndefined()
        await expect(inbox.replay(id)).rejects.toMatchObject({ code: 'entry_not_found', status: 404 })
      }
      await expect(inbox.replay('')).rejects.toThrow(TypeError)
      resolve()
      await settled(inbox, { completed: 1 })
    })

    it('lists page after page, oldest first', async ({ open }) => {
      const inbox = await open()
      const sent = Array.from({ length: 25 }, (_, index) => createSigned(index))
      for (const notification of sent) await inbox.put(notification)
      const pages: string[][] = []
      let after: string | undefined
      do {
        const page = await inbox.list({ state: 'waiting', limit: 10, after })
        pages.push(page.map(({ deliveryId }) => deliveryId))
        after = page.at(-1)?.id
      } while (pages.at(-1)?.length === 10)
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
      expect(pages.flat()).toEqual(sent.map(({ deliveryId }) => deliveryId))
      expect(await inbox.list({ state: 'dead' })).toEqual([])
    })

    it('prunes what is completed, the dead when told to, and nothing else', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1, retryDelayMs: 600_000 })
      const consumer = createConsumer(({ rawBody }) => {
        if (Buffer.from(rawBody).includes('bad')) throw new Error('down')
      })
      for (const id of [1, 2, 'bad 1', 'bad 2']) await inbox.put(createSigned(id))
      await inbox.start(consumer)
      await settled(inbox, { completed: 2, dead: 2 })
      await inbox.stop()
      await inbox.put(createSigned(3))

      const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
      expect(await inbox.prune({ olderThan: past })).toBe(0)
      expect(await inbox.prune({ olderThan: future })).toBe(2)
      expect(await inbox.counts()).toEqual({ waiting: 1, active: 0, completed: 0, dead: 2 })
      expect(await inbox.prune({ olderThan: past, state: 'dead' })).toBe(0)
      expect(await inbox.prune({ olderThan: future, state: 'dead' })).toBe(2)
      expect(await inbox.counts()).toEqual({ waiting: 1, active: 0, completed: 0, dead: 0 })
    })

    it('refuses what cannot be meant', async ({ open }) => {
      const inbox = await open()
      const list = (options: unknown) => inbox.list(options as { state: InboxState })
      const prune = (options: unknown) => inbox.prune(options as { olderThan: Date })
      await expect(inbox.list({ state: 'dead', after: 'no such' })).rejects.toMatchObject({
        code: 'entry_not_found',
      })
      await expect(list({ state: 'failed' })).rejects.toThrow(TypeError)
      await expect(list({ state: 'dead', limit: 0 })).rejects.toThrow(TypeError)
      await expect(list({ state: 'dead', page: 2 })).rejects.toThrow(TypeError)
      await expect(prune({ olderThan: 86_400 })).rejects.toThrow(TypeError)
      await expect(prune({ olderThan: new Date(Number.NaN) })).rejects.toThrow(TypeError)
      await expect(prune({ olderThan: new Date(), state: 'waiting' })).rejects.toThrow(TypeError)
    })
  })

  describe('work', () => {
    it('goes on at so many at once, and no more', async ({ open }) => {
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

    it('does not hold up the others behind a slow handler', async ({ open }) => {
      const inbox = await open({ concurrency: 4 })
      const gate = Promise.withResolvers<void>()
      const consumer = createConsumer(({ rawBody }) =>
        Buffer.from(rawBody).includes('slow') ? gate.promise : undefined,
      )
      for (const id of ['slow', ...Array(30).keys()]) await inbox.put(createSigned(id))
      await inbox.start(consumer)
      await settled(inbox, { active: 1, completed: 30 })
      gate.resolve()
      await settled(inbox, { completed: 31 })
    })

    it('is started and stopped any number of times', async ({ open }) => {
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

    it('is handed over to one receiver', async ({ open }) => {
      const inbox = await open()
      const [first, second] = [createConsumer(), createConsumer()]
      await inbox.start(first)
      await expect(inbox.start(second)).rejects.toThrow(TypeError)
      await inbox.stop()
      await inbox.start(second)
      await inbox.put(createSigned(1))
      await settled(inbox, { completed: 1 })
      expect([first.deliveries.length, second.deliveries.length]).toEqual([0, 1])
    })

    it(
      'that was left behind by stop() does not end what was begun since',
      async ({ open }) => {
        const inbox = await open({ stopTimeoutMs: 50 })
        const gates: PromiseWithResolvers<void>[] = []
        const consumer = createConsumer(() => {
          const gate = Promise.withResolvers<void>()
          gates.push(gate)
          return gate.promise
        })
        await inbox.put(createSigned(1))
        await inbox.start(consumer)
        await waitFor(() => gates.length === 1)
        await inbox.stop()
        await inbox.start(consumer)
        await waitFor(() => gates.length === 2, SLOW_MS)
        gates[0]?.reject(new Error('too late'))
        await delay(500)
        expect(consumer.deliveries).toHaveLength(2)
        expect(await inbox.counts()).toMatchObject({ active: 1 })
        gates[1]?.resolve()
        await settled(inbox, { completed: 1 })
      },
      SLOW_MS,
    )

    it('is let finish by stop(), which takes nothing more', async ({ open }) => {
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

    it('is aborted when stop() runs out of patience, and handed over again', async ({ open }) => {
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
      expect(consumer.attemptsOf(notification.deliveryId)).toEqual([engine.returnsAttempts ? 1 : 2])
    })

    it('cannot keep stop() from ending', async ({ open }) => {
      const inbox = await open({ stopTimeoutMs: 50 })
      const deaf = createConsumer(() => new Promise(() => {}))
      await inbox.put(createSigned(1))
      await inbox.start(deaf)
      await waitFor(() => deaf.deliveries.length === 1)
      const before = Date.now()
      await inbox.close()
      expect(Date.now() - before).toBeLessThan(5_000)
    })

    it('is shared by two inboxes, each notification in one of them', async ({ open }) => {
      const pair = [await open({ concurrency: 5 }), await open({ concurrency: 5 })]
      const consumers = pair.map(() => createConsumer(() => delay(2)))
      for (let index = 0; index < 100; index++) await pair[index % 2]?.put(createSigned(index))
      await Promise.all(pair.map((inbox, index) => inbox.start(consumers[index] ?? createConsumer())))
      await settled(pair[0], { completed: 100 })
      const ids = consumers.flatMap(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId))
      expect(ids).toHaveLength(100)
      expect(new Set(ids).size).toBe(100)
    })

    it(
      'is done at least once for each of 10,000, with duplicates, failing handlers and a stop in between',
      async ({ open }) => {
        const pair = [await open({ concurrency: 50 }), await open({ concurrency: 50 })]
        const handled = new Map<string, number>()
        const consumer = createConsumer(({ deliveryId, attempt }) => {
          if (attempt === 1 && Number.parseInt(deliveryId.slice(0, 4), 16) % 20 === 0) throw new Error('down')
          handled.set(deliveryId, (handled.get(deliveryId) ?? 0) + 1)
        })
        await Promise.all(pair.map((inbox) => inbox.start(consumer)))
        let duplicates = 0
        let next = 0
        const produce = async () => {
          while (next < 10_000) {
            const index = next++
            if (index === 5_000) void pair[0]?.stop()
            // Every tenth repeats the one before.
            const id = index % 10 === 9 ? index - 1 : index
            if ((await pair[index % 2]?.put(createSigned(id))) === 'duplicate') duplicates += 1
          }
        }
        await Promise.all(Array.from({ length: 50 }, produce))
        expect(duplicates).toBe(1_000)
        await pair[0]?.start(consumer)
        await settled(pair[0], { completed: 9_000 }, SLOW_MS)
        expect(handled.size).toBe(9_000)
        expect([...handled.values()].every((times) => times === 1)).toBe(true)
      },
      SLOW_MS,
    )
  })

  describe.concurrent('a process that dies', () => {
    it(
      'has lost nothing that it acknowledged before it handled it',
      async ({ open, child }) => {
        const receiver = child({ role: 'receiver', count: 100_000, inFlight: 20 })
        await waitFor(() => receiver.messages.length >= 200)
        await receiver.kill()
        const acknowledged = new Set(
          receiver.messages.flatMap((message) => ('put' in message ? [message.put] : [])),
        )

        const inbox = await open({ concurrency: 50 })
        const consumer = createConsumer()
        await inbox.start(consumer)
        await waitFor(() => consumer.deliveries.length >= acknowledged.size)
        await waitFor(async () => (await inbox.counts()).waiting === 0)
        const handled = new Set(consumer.deliveries.map(({ deliveryId }) => deliveryId))
        expect([...acknowledged].filter((deliveryId) => !handled.has(deliveryId))).toEqual([])
        expect(consumer.deliveries).toHaveLength(handled.size)
      },
      SLOW_MS,
    )

    it(
      'gives back what it was handling, and the attempt counts',
      async ({ open, child }) => {
        const inbox = await open()
        const notification = createSigned(1)
        await inbox.put(notification)
        const worker = child({ role: 'worker', handler: 'hang' })
        await worker.message((message) => 'handling' in message)

        const consumer = createConsumer()
        await inbox.start(consumer)
        await worker.kill()
        const killed = Date.now()
        await waitFor(() => consumer.deliveries.length === 1, SLOW_MS)
        expect(Date.now() - killed).toBeLessThan(engine.leaseMs + 10_000)
        expect(consumer.attemptsOf(notification.deliveryId)).toEqual([2])
        await settled(inbox, { completed: 1 })
      },
      SLOW_MS,
    )

    it(
      'every time it handles one has that one dead in the end',
      async ({ open, child }) => {
        const options = { ...FAST, maxAttempts: 2 }
        const inbox = await open(options)
        await inbox.put(createSigned('poison'))
        for (const attempt of [1, 2]) {
          const worker = child({ role: 'worker', handler: 'crash', options })
          expect(await worker.message((message) => 'handling' in message)).toMatchObject({ attempt })
          await worker.ended()
        }
        const consumer = createConsumer()
        await inbox.start(consumer)
        await settled(inbox, { dead: 1 }, SLOW_MS)
        expect(consumer.deliveries).toEqual([])
        const [dead] = await inbox.list({ state: 'dead' })
        await waitFor(() => consumer.deaths.length === 1)
        expect(dead).toMatchObject({ attempts: 2, error: expect.stringMatching(/\w/) })
      },
      SLOW_MS,
    )

    it(
      'is no process that is slow: what it is handling is not taken from it',
      async ({ open }) => {
        const options = { ...FAST, stopTimeoutMs: 60_000 }
        const inbox = await open(options)
        const slow = createConsumer(() => delay(engine.leaseMs * 1.5 + 1_000))
        await inbox.put(createSigned(1))
        await inbox.start(slow)
        await waitFor(() => slow.deliveries.length === 1)
        const other = createConsumer()
        await (await open()).start(other)
        await settled(inbox, { completed: 1 }, SLOW_MS)
        expect(slow.deliveries).toHaveLength(1)
        expect(other.deliveries).toEqual([])
      },
      SLOW_MS,
    )
  })

  describe('an engine that is gone', () => {
    it(
      'has receivers answer 503, and both receivers and workers go on when it is back',
      async ({ store, open }) => {
        const inbox = await open()
        const receiver = createReceiver({ clientId: 'payhook-demo-client', inbox, inboxTimeoutMs: 4_000 })
        const handled: string[] = []
        receiver.onAny((_, { deliveryId }) => void handled.push(deliveryId))
        const errors: string[] = []
        receiver.onError(({ code }) => void errors.push(code))
        await receiver.start()
        const answer = async (id: number) => (await receiver.receive(requestOf(id))).status
        expect(await answer(1)).toBe(200)

        await store.interrupt()
        const before = Date.now()
        expect(await Promise.all([answer(2), answer(3)])).toEqual([503, 503])
        expect(Date.now() - before).toBeLessThan(6_000)
        expect(errors).toContain('inbox_unavailable')

        await store.restore()
        await waitFor(async () => (await answer(4)) === 200)
        expect(await answer(5)).toBe(200)
        await waitFor(() => handled.length >= 3)
        await waitFor(async () => (await inbox.counts()).waiting === 0)
        for (const id of [1, 4, 5]) expect(handled).toContain(deliveryIdOf(id))
        expect(new Set(handled).size).toBe(handled.length)
        await receiver.stop()
      },
      SLOW_MS,
    )

    it(
      'does not keep an inbox from being opened and started before it is there',
      async ({ store }) => {
        await store.interrupt()
        const opened = await openOrError(store)
        if (opened instanceof Error) {
          expect(opened).toMatchObject({ code: 'inbox_unavailable' })
          return
        }
        const consumer = createConsumer()
        await opened.start(consumer)
        await expect(opened.put(createSigned(1))).rejects.toThrow()
        await store.restore()
        await waitFor(async () =>
          opened.put(createSigned(2)).then(
            () => true,
            () => false,
          ),
        )
        await waitFor(() => consumer.attemptsOf(createSigned(2).deliveryId).length === 1)
      },
      SLOW_MS,
    )
  })
}

/** A value that cannot even be looked at. */
function evil(): unknown {
  const thrown: unknown = new Proxy(
    {},
    {
      get() {
        throw thrown
      },
      getPrototypeOf() {
        throw thrown
      },
    },
  )
  return thrown
}

/** Waits until the inbox holds just this. */
async function settled(
  inbox: Inbox | undefined,
  counts: Partial<Record<InboxState, number>>,
  limitMs = 30_000,
) {
  const expected = { waiting: 0, active: 0, completed: 0, dead: 0, ...counts }
  let last: unknown
  try {
    await waitFor(async () => {
      last = await inbox?.counts()
      return isDeepStrictEqual(last, expected)
    }, limitMs)
  } catch {
    expect(last).toEqual(expected)
  }
}

async function openOrError(store: InboxStore): Promise<Inbox | Error> {
  return await store.open().catch((error) => error)
}

function bodyOf(id: number): string {
  return JSON.stringify({ type: 'INBOUND_PAYMENT_STATUS_UPDATED', data: { id, status: 'Complete' } })
}

function deliveryIdOf(id: number): string {
  return sign({ body: bodyOf(id), clientId: 'payhook-demo-client' })
}

function requestOf(id: number) {
  return {
    method: 'POST',
    url: '/',
    headers: { 'access-signature': deliveryIdOf(id) },
    body: Buffer.from(bodyOf(id)),
  }
}
