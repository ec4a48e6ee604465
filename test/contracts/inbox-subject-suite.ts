import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { ListOptions } from '../../src/inbox/inbox.ts'
import { type InboxDelivery, parse } from '../../src/index.ts'
import { createEntry } from './create-entry.ts'
import { createGatedConsumer } from './gated-consumer.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { readByPages } from './inbox-page-suite.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** 200 characters, some of which SQL, LIKE, globs and Redis treat specially. */
export const ODD = `payment:'";--%_*?[a]\\{b}:💶é\n\u200b$1 `.padEnd(199, 'x').concat(' ')

/** What entries are about, and how they are found by it. */
export function describeSubjects(it: InboxTest): void {
  describe('a subject', () => {
    it('finds its entries in any state, in the order of arrival, page by page', async ({ open }) => {
      const inbox = await open({ retryDelayMs: 600_000, oneAtATime: false })
      const names = ['dead 1', 'good 1', 'later 1', 'held 1', 'dead 2', 'good 2']
      for (const [index, name] of names.entries()) {
        const receivedAt = new Date(Date.now() - 1_000 + index)
        for (const subject of ['payment:1', 'payment:11', null]) {
          await inbox.put({ ...createAbout(subject, `${name} ${subject}`), receivedAt })
        }
      }
      const gate = Promise.withResolvers<void>()
      const consumer = createConsumer(endAsNamed(gate.promise))
      await inbox.start(consumer)
      await settled(inbox, { dead: 6, completed: 6, waiting: 3, active: 3 })

      const all = names.map((name) => `${name} payment:1`)
      const find = async (options: Omit<ListOptions, 'subject'>) =>
        (await inbox.list({ subject: 'payment:1', ...options })).map(nameOf)
      expect(await find({})).toEqual(all)
      for (const [state, name] of [
        ['dead', 'dead'],
        ['completed', 'good'],
        ['waiting', 'later'],
        ['active', 'held'],
      ] as const) {
        const expected = all.filter((each) => each.startsWith(name))
        expect(await find({ state })).toEqual(expected)
        const iterated = await Array.fromAsync(inbox.entries({ subject: 'payment:1', state }), nameOf)
        expect(iterated).toEqual(expected)
        expect(await find({ state, limit: 1 })).toEqual(expected.slice(0, 1))
      }
      expect(await Array.fromAsync(inbox.entries({ subject: 'payment:1' }), nameOf)).toEqual(all)
      expect(await readByPages(inbox, { subject: 'payment:1', limit: 4 }, nameOf)).toEqual([
        all.slice(0, 4),
        all.slice(4),
        [],
      ])
      expect(await inbox.list({ subject: 'payment:2' })).toEqual([])
      expect(await inbox.list({ subject: 'null' })).toEqual([])
      await expect(find({ after: 'nothing' })).rejects.toMatchObject({ code: 'entry_not_found' })
      gate.resolve()
    })

    it('finds more entries than a page has, while they change their states', async ({ open }) => {
      const inbox = await open({ concurrency: 50, oneAtATime: false })
      for (let index = 0; index < 130; index++) await inbox.put(createAbout('payment:1', `${index}`))
      await inbox.start(createConsumer())
      const seen = await Array.fromAsync(inbox.entries({ subject: 'payment:1' }), nameOf)
      expect(new Set(seen).size).toBe(130)
      await settled(inbox, { completed: 130 })
      const names = await Array.fromAsync(inbox.entries({ subject: 'payment:1' }), nameOf)
      expect(names).toEqual(Array.from({ length: 130 }, (_, index) => `${index}`))
    })

    it('may have any 200 characters, and is compared exactly', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      const subjects = [ODD, ODD.slice(0, -1), ODD.toUpperCase(), 'payment:%', 'payment:*', '{a}', 'a}:{b']
      expect(ODD).toHaveLength(200)
      for (const [index, subject] of subjects.entries()) {
        await inbox.put(createAbout(subject, `${index}`))
        await inbox.put(createAbout(subject, `${index} again`))
      }
      await inbox.start(consumer)
      await waitFor(() => consumer.running().length === subjects.length)
      expect(consumer.overlaps).toEqual([])
      for (const [index, subject] of subjects.entries()) {
        const found = await inbox.list({ subject })
        expect(found.map(nameOf)).toEqual([`${index}`, `${index} again`])
        expect(found[0]?.subject).toBe(subject)
        expect((await inbox.get(found[1]?.id ?? ''))?.subject).toBe(subject)
      }
      for (const name of consumer.running()) consumer.end(name)
      await waitFor(() => consumer.running().length === subjects.length)
      for (const name of consumer.running()) consumer.end(name)
      await settled(inbox, { completed: 2 * subjects.length })
      expect(consumer.deliveries.map(({ subject }) => subject).sort()).toEqual(
        [...subjects, ...subjects].sort(),
      )
    })

    it('finds an entry until it is deleted or pruned', async ({ open }) => {
      const inbox = await open()
      const found = async () => {
        const entries = await inbox.list({ subject: 'payment:1' })
        return entries.map((entry) => `${nameOf(entry)} ${entry.state}`)
      }
      for (const name of ['dead', 'good', 'good too']) await inbox.put(createAbout('payment:1', name))
      expect(await found()).toEqual(['dead waiting', 'good waiting', 'good too waiting'])
      await inbox.start(createConsumer(endAsNamed()))
      await settled(inbox, { dead: 1, completed: 2 })
      expect(await found()).toEqual(['dead dead', 'good completed', 'good too completed'])
      await inbox.stop()
      await inbox.replayAll({ state: 'dead' })
      const [, good] = await inbox.list({ subject: 'payment:1' })
      await inbox.replay(good?.id ?? '')
      expect(await found()).toEqual(['dead waiting', 'good waiting', 'good too completed'])
      await inbox.delete(good?.id ?? '')
      expect(await found()).toEqual(['dead waiting', 'good too completed'])
      await inbox.start(createConsumer(endAsNamed()))
      await settled(inbox, { dead: 1, completed: 1 })
      const olderThan = new Date(Date.now() + 60_000)
      expect(await inbox.prune({ olderThan })).toBe(1)
      expect(await found()).toEqual(['dead dead'])
      expect(await inbox.prune({ olderThan, state: 'dead' })).toBe(1)
      expect(await found()).toEqual([])
      expect(await inbox.list({ subject: 'payment:1', state: 'completed' })).toEqual([])
      await inbox.put(createAbout('payment:1', 'new'))
      await settled(inbox, { completed: 1 })
      expect(await found()).toEqual(['new completed'])
    })

    it('finds entries that came from another inbox, until they leave for one', async ({ open }) => {
      const inbox = await open()
      const entries = (['waiting', 'completed', 'dead'] as const).map((state, index) =>
        createEntry(String(index), state, createAbout('payment:1', state), {
          receivedAt: new Date(Date.UTC(2026, 0, 2) + index),
        }),
      )
      await inbox.put(createAbout('payment:2', 'here'))
      await engineOf(inbox).import(entries)
      await engineOf(inbox).import(entries)
      expect((await inbox.list({ subject: 'payment:1' })).map(nameOf)).toEqual([
        'waiting',
        'completed',
        'dead',
      ])
      const [dead] = await inbox.list({ subject: 'payment:1', state: 'dead' })
      expect(dead).toMatchObject({ subject: 'payment:1', source: 'service' })
      const ids = (await inbox.list({ subject: 'payment:1' })).map(({ id }) => id)
      expect(await engineOf(inbox).remove(ids)).toBe(3)
      expect(await inbox.list({ subject: 'payment:1' })).toEqual([])
      expect((await inbox.list({ subject: 'payment:2' })).map(nameOf)).toEqual(['here'])
    })
  })
}

/** A handler that ends as the notification's name says. */
function endAsNamed(held: Promise<void> = Promise.resolve()) {
  return (delivery: InboxDelivery): unknown => {
    const name = nameOf(delivery)
    // This error is final.
    if (name.startsWith('dead')) parse('no JSON')
    if (name.startsWith('later')) throw new Error('down')
    return name.startsWith('held') ? held : undefined
  }
}
