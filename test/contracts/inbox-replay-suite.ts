import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox, InboxEntry, ReplayFilter } from '../../src/inbox/inbox.ts'
import type { InboxEngine } from '../../src/inbox/inbox-engine.ts'
import { replayAll } from '../../src/inbox/replay-all.ts'
import { createEntry } from './create-entry.ts'
import { healthOf } from './health-of.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const HOUR = 3_600_000
const KINDS = ['INBOUND_PAYMENT_STATUS_UPDATED', 'INVOICE_STATUS_UPDATED']
const ERRORS = ['Error: connect ECONNREFUSED 10.0.0.1:5432', 'Error: 50% _ off', null]

/** How entries that a filter matches are replayed. */
export function describeReplay(it: InboxTest): void {
  describe('replayAll()', () => {
    it('replays what the filter matches, and nothing else', async ({ open }) => {
      const inbox = await open()
      const entries = Array.from({ length: 24 }, (_, index) => toEntry(index))
      await engineOf(inbox).import(entries)
      const stored = await readAll(inbox)
      expect(stored).toHaveLength(entries.length)
      await fc.assert(
        fc.asyncProperty(filters(stored), async (filter) => {
          expect(await inbox.replayAll(filter, { dryRun: true })).toBe(matching(stored, filter).length)
        }),
        { numRuns: 40 },
      )
      expect(await readAll(inbox)).toEqual(stored)

      for (const filter of fc.sample(filters(stored), 5)) {
        const before = await readAll(inbox)
        const replayed = matching(before, filter).map(({ id }) => id)
        expect(await inbox.replayAll(filter)).toBe(replayed.length)
        const after = new Map((await readAll(inbox)).map((entry) => [entry.id, entry]))
        for (const entry of before) {
          if (!replayed.includes(entry.id)) expect(after.get(entry.id)).toEqual(entry)
          else expect(after.get(entry.id)).toMatchObject({ state: 'waiting', attempts: 0, error: null })
        }
      }
    })

    it('spreads when they are due, over more than a day', async ({ open }) => {
      const inbox = await open({ maxRetryDelayMs: 1_000 })
      await engineOf(inbox).import(Array.from({ length: 95 }, (_, index) => toDead(index)))
      expect(await inbox.replayAll({ state: 'dead' }, { perSecond: 0.001 })).toBe(95)
      const consumer = createConsumer()
      await inbox.start(consumer)
      // Also after a worker has seen them.
      await inbox.put(createSigned('new'))
      await waitFor(() => consumer.attemptsOf(createSigned('new').signature).length === 1)
      // They are not late.
      await waitFor(async () => (await healthOf(inbox)).waiting.oldestAgeMs === null)
      const spread = await byDueAt(inbox)
      const times = spread.map(({ dueAt }) => Number(dueAt))
      expect(times.slice(1).map((time, index) => time - Number(times[index]))).toEqual(
        Array(times.length - 1).fill(1_100_000),
      )
      // On a slow machine, the first one is due by now.
      expect(times.length).toBeGreaterThanOrEqual(94)
      expect(Number(times.at(-1)) - Date.now()).toBeLessThan(60_000 + 94 * 1_100_000)
      const { id, receivedAt } = spread[50] as InboxEntry
      await inbox.replay(id)
      await waitFor(() => consumer.deliveries.some((delivery) => delivery.id === id))

      // What waits may be replayed again.
      expect(await inbox.replayAll({ state: 'waiting', since: receivedAt })).toBeGreaterThanOrEqual(90)
      await settled(inbox, { completed: 96 })
      expect(consumer.deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
      expect(consumer.deliveries).toHaveLength(96)
    })

    it('handles each of them once, not before it is due', async ({ open }) => {
      const inbox = await open()
      await engineOf(inbox).import(Array.from({ length: 30 }, (_, index) => toDead(index)))
      const dueAt = new Map<string, number>()
      const early: string[] = []
      const consumer = createConsumer(({ id }) => {
        if (Date.now() < Number(dueAt.get(id))) early.push(id)
      })
      expect(await inbox.replayAll({ state: 'dead' }, { perSecond: 20 })).toBe(30)
      for (const entry of await byDueAt(inbox)) dueAt.set(entry.id, Number(entry.dueAt))
      expect(dueAt.size).toBe(30)
      const other = await open()
      await Promise.all([inbox.start(consumer), other.start(consumer)])
      await settled(inbox, { completed: 30 })
      expect(early).toEqual([])
      expect(new Set(consumer.deliveries.map(({ id }) => id)).size).toBe(30)
      expect(consumer.deliveries).toHaveLength(30)
    })

    it('replays an entry once, even if it fails again at once', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1, concurrency: 100 })
      await engineOf(inbox).import(Array.from({ length: 300 }, (_, index) => toDead(index)))
      const consumer = createConsumer(() => {
        throw new Error('connect ECONNREFUSED')
      })
      await inbox.start(consumer)
      const engine = engineOf(inbox)
      // What was replayed fails again before the next page is read.
      const list: InboxEngine['list'] = async (...page) => {
        await settled(inbox, { dead: 300 })
        return await engine.list(...page)
      }
      const error = 'ECONNREFUSED'
      expect(await replayAll({ ...engine, list }, { error })).toBe(100)
      await settled(inbox, { dead: 300 })
      expect(consumer.deliveries).toHaveLength(100)
      expect(await inbox.replayAll({ error })).toBe(100)
      await settled(inbox, { dead: 300 })
    })

    it('replays an entry, unless another call prunes it', async ({ open }) => {
      const inbox = await open()
      await engineOf(inbox).import(Array.from({ length: 300 }, (_, index) => toDead(index)))
      const ids = await Array.fromAsync(inbox.entries(), ({ id }) => id)
      const pruning = inbox.prune({ state: 'dead', olderThan: new Date(Date.now() + HOUR) })
      const replays = await Promise.allSettled(ids.map((id) => inbox.replay(id)))
      const replayed = replays.filter(({ status }) => status === 'fulfilled').length
      expect((await pruning) + replayed).toBe(300)
      expect(await inbox.counts()).toMatchObject({ waiting: replayed, dead: 0 })
    })
  })
}

function toDead(index: number): InboxEntry {
  const error = ERRORS[index % 3] as string | null
  return createEntry(`${index + 1}`, 'dead', createSigned(index, KINDS[index % 2]), { error })
}

/** Entries of each state, kind, error and time. */
function toEntry(index: number): InboxEntry {
  const at = new Date(Date.now() - (index % 4) * HOUR)
  const dead = { ...toDead(index), finishedAt: at }
  if (index % 3 === 0) return dead
  if (index % 3 === 1) return { ...dead, state: 'completed', error: null }
  const dueAt = new Date(Date.now() + (index % 2 ? -1 : 1) * HOUR)
  return { ...dead, state: 'waiting', attempts: 2, finishedAt: null, dueAt }
}

async function readAll(inbox: Inbox): Promise<InboxEntry[]> {
  return await Array.fromAsync(inbox.entries())
}

async function byDueAt(inbox: Inbox): Promise<InboxEntry[]> {
  const waiting = await inbox.list({ state: 'waiting' })
  return waiting.sort((a, b) => Number(a.dueAt) - Number(b.dueAt))
}

/** Filters for what is stored, with at least one field. */
function filters(stored: readonly InboxEntry[]): fc.Arbitrary<ReplayFilter> {
  const times = stored.flatMap(({ finishedAt, receivedAt }) => finishedAt ?? receivedAt)
  return fc
    .record(
      {
        state: fc.constantFrom('dead', 'completed', 'waiting'),
        kind: fc.constantFrom(...KINDS, 'NONE', null),
        subject: fc.constantFrom(...stored.flatMap(({ subject }) => subject ?? [])),
        since: fc.constantFrom(...times),
        until: fc.constantFrom(...times),
        error: fc.constantFrom('ECONNREFUSED', '%', '_ off', 'Error: ', '10.0.0.2'),
      },
      { requiredKeys: [] },
    )
    .filter((filter) => Object.keys(filter).length > 0)
}

/** What a filter means. */
function matching(stored: readonly InboxEntry[], filter: ReplayFilter): InboxEntry[] {
  const { state = 'dead', kind, subject, since, until, error } = filter
  return stored.filter((entry) => {
    const time = Number(entry.finishedAt ?? entry.receivedAt)
    if (entry.state !== state) return false
    if (state === 'waiting' && Number(entry.dueAt) <= Date.now()) return false
    if (kind !== undefined && entry.kind !== kind) return false
    if (subject !== undefined && entry.subject !== subject) return false
    if (error !== undefined && !entry.error?.includes(error)) return false
    return time >= Number(since ?? 0) && time < Number(until ?? Infinity)
  })
}
