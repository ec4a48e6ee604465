import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import { createEntry } from './create-entry.ts'
import { healthOf } from './health-of.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned, signedFrom } from './signed-notification.ts'

const NOT_JSON = Buffer.from([0xff, 0x00, 0x0a])

const entry = (number: string, state: InboxState, changes?: Partial<InboxEntry>) =>
  createEntry(number, state, createSigned(number), changes)

const HOUR = 3_600_000
const LATER = new Date(Date.now() + HOUR)

const ENTRIES: readonly InboxEntry[] = [
  entry('1', 'waiting'),
  // The same body, which arrived twice and means it.
  entry('2', 'waiting', createSigned('1')),
  entry('3', 'waiting', { attempts: 7, dueAt: LATER, error: 'Error: down' }),
  entry('4', 'completed', { attempts: 3 }),
  entry('5', 'dead', { attempts: 20, error: 'Error: no such payment' }),
  entry('6', 'dead', { ...signedFrom(NOT_JSON), kind: null, error: 'PayloadError: not UTF-8' }),
]

/** Entries that come from another inbox, and leave for one. */
export function describeImports(it: InboxTest): void {
  describe('imports', () => {
    it('keeps state, exact bytes, attempts and arrival of what it imports', async ({ open }) => {
      const inbox = await open()
      await engineOf(inbox).import(ENTRIES)
      expect(await inbox.counts()).toEqual({ waiting: 3, active: 0, completed: 1, dead: 2 })
      for (const state of ['waiting', 'completed', 'dead'] as const) {
        const found = (await inbox.list({ state })).map(comparable).sort()
        expect(found).toEqual(
          ENTRIES.filter((each) => each.state === state)
            .map(comparable)
            .sort(),
        )
      }
      const dead = await inbox.list({ state: 'dead' })
      expect(dead.map(({ error }) => error).sort()).toEqual([
        'Error: no such payment',
        'PayloadError: not UTF-8',
      ])
      const delayed = (await inbox.list({ state: 'waiting' })).find(({ attempts }) => attempts === 7)
      expect(delayed?.error).toBe('Error: down')
      expect(Math.abs(Number(delayed?.dueAt) - Number(LATER))).toBeLessThan(5_000)
    })

    it('keeps when it is due, and why, what a replay has spread or a handler has deferred', async ({
      open,
    }) => {
      const inbox = await open()
      const spread = entry('1', 'waiting', { dueAt: new Date(Date.now() + 30 * HOUR) })
      const deferred = entry('2', 'waiting', { dueAt: LATER, error: 'RetryAfterError: no order yet' })
      await engineOf(inbox).import([spread, deferred])
      const consumer = createConsumer()
      await inbox.start(consumer)
      await inbox.put(createSigned('3'))
      await settled(inbox, { waiting: 2, completed: 1 })
      await inbox.stop()
      for (const { signature, dueAt, error } of [spread, deferred]) {
        const waiting = await inbox.list({ state: 'waiting' })
        const found = waiting.find((one) => one.signature === signature)
        expect(found).toMatchObject({ attempts: 0, error })
        expect(Math.abs(Number(found?.dueAt) - Number(dueAt))).toBeLessThan(5_000)
        await inbox.replay(String(found?.id))
        expect(await inbox.get(String(found?.id))).toMatchObject({ attempts: 0, error: null })
      }
      expect((await healthOf(inbox)).waiting).toMatchObject({ count: 2 })
      await inbox.start(consumer)
      await settled(inbox, { completed: 3 })
      expect(consumer.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    })

    it('imports the same entries once, also after a part of them', async ({ open }) => {
      const inbox = await open()
      await engineOf(inbox).import(ENTRIES.slice(0, 5))
      await engineOf(inbox).import(ENTRIES)
      await engineOf(inbox).import(ENTRIES)
      expect(await inbox.counts()).toEqual({ waiting: 3, active: 0, completed: 1, dead: 2 })
    })

    it('goes on counting the attempts of what it imported', async ({ open }) => {
      const inbox = await open()
      const { promise: begun, resolve: begin } = Promise.withResolvers<number>()
      await engineOf(inbox).import([entry('3', 'waiting', { attempts: 7, error: 'Error: down' })])
      await inbox.start(createConsumer(({ attempt }) => begin(attempt)))
      expect(await begun).toBe(8)
      await settled(inbox, { completed: 1 })
    })
  })
}

function comparable({ signature, clientId, receivedAt, rawBody, attempts, kind }: InboxEntry): string {
  return [signature, clientId, +receivedAt, Buffer.from(rawBody).toString('hex'), attempts, kind].join(' ')
}
