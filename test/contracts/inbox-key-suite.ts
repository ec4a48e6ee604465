import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox, InboxEntry } from '../../src/inbox/inbox.ts'
import type { InboxNotification } from '../../src/index.ts'
import { createEntry } from './create-entry.ts'
import { createGatedConsumer, finish, passOthers, running } from './gated-consumer.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createAbout, nameOf } from './signed-notification.ts'

const ID = '019b7ca4-b8ee-7000-8000-00000000000a'

/** What a notification is stored with: a concurrency key that is not its subject, and its lasting id. */
export function describeKeys(it: InboxTest): void {
  describe('a concurrency key', () => {
    it('is exclusive, while the subject finds', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      await inbox.put(about('payment:1', 'one', 'payee:7'))
      await inbox.put(about('payment:2', 'two', 'payee:7'))
      await inbox.put(about('payment:1', 'second key', 'payee:8'))
      await inbox.put(about('payment:1', 'default'))
      await inbox.put(about('payment:3', 'named like it', 'payment:1'))
      await inbox.start(consumer)
      await running(consumer, 'default', 'one', 'second key')
      await passOthers(inbox, consumer)
      await running(consumer, 'default', 'one', 'second key')

      const [waiting, ...more] = await inbox.list({ subject: 'payment:2' })
      expect(more).toEqual([])
      expect(waiting).toMatchObject({ state: 'waiting', subject: 'payment:2', concurrencyKey: 'payee:7' })
      expect(await inbox.get(waiting?.id ?? '')).toEqual(waiting)
      expect(await inbox.list({ subject: 'payee:7' })).toEqual([])
      const ofOne = await inbox.list({ subject: 'payment:1' })
      expect(ofOne.map(nameOf)).toEqual(['one', 'second key', 'default'])
      expect(ofOne[2]).not.toHaveProperty('concurrencyKey')
      expect(consumer.deliveries.find((delivery) => nameOf(delivery) === 'one')).toMatchObject({
        subject: 'payment:1',
        concurrencyKey: 'payee:7',
      })

      consumer.end('default')
      await running(consumer, 'named like it', 'one', 'second key')
      consumer.end('one')
      await running(consumer, 'named like it', 'second key', 'two')
      await finish(inbox, consumer)
    })

    it('may be null, which is no limit', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      for (const name of ['a', 'b']) await inbox.put(about('payment:1', name, null))
      for (const name of ['c', 'd']) await inbox.put(about('payment:1', name))
      await inbox.start(consumer)
      await running(consumer, 'a', 'b', 'c')
      await passOthers(inbox, consumer)
      await running(consumer, 'a', 'b', 'c')
      const entries = await inbox.list({ subject: 'payment:1' })
      expect(entries.map(nameOf)).toEqual(['a', 'b', 'c', 'd'])
      expect(entries[0]).toMatchObject({ concurrencyKey: null })
      consumer.end('c')
      await running(consumer, 'a', 'b', 'd')
      await finish(inbox, consumer)
    })

    it('lets the next one begin when one that waits is deleted', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      for (const number of [1, 2, 3]) await inbox.put(about(`payment:${number}`, `${number}`, 'payee:7'))
      await inbox.start(consumer)
      await running(consumer, '1')
      await passOthers(inbox, consumer)
      const [second] = await inbox.list({ subject: 'payment:2' })
      await inbox.delete(second?.id ?? '')
      consumer.end('1')
      await running(consumer, '3')
      await finish(inbox, consumer)
    })

    it('comes with an entry from another inbox', async ({ open }) => {
      const inbox = await open()
      const consumer = createGatedConsumer()
      const keys = ['payee:7', 'payee:7', null, undefined]
      await engineOf(inbox).import(
        keys.map((key, index) => createEntry(`${index}`, 'waiting', about('payment:1', `${index}`, key))),
      )
      const entries = await inbox.list({ subject: 'payment:1' })
      expect(entries.map(({ concurrencyKey }) => concurrencyKey).sort()).toEqual(keys.toSorted())
      await inbox.start(consumer)
      await passOthers(inbox, consumer)
      expect(consumer.running()).toHaveLength(3)
      await finish(inbox, consumer)
    })
  })

  describe('a lasting id', () => {
    const put = async (inbox: Inbox, name: string, id: string) =>
      await inbox.put({ ...createAbout('payment:1', name), id })

    it('is stored once, whatever the bodies and however many at a time', async ({ open }) => {
      const [first, second] = [await open({ dedupeSeconds: 0 }), await open({ dedupeSeconds: 0 })]
      const results = await Promise.all(
        [first, second, first, second].map((inbox, index) => put(inbox, `${index}`, ID)),
      )
      expect(results.toSorted()).toEqual(['duplicate', 'duplicate', 'duplicate', 'stored'])
      expect(await put(first, 'later', ID)).toBe('duplicate')
      const entries = await first.list()
      expect(entries).toMatchObject([{ idempotencyKey: ID }])
      await first.start(createConsumer())
      await settled(first, { completed: 1 })
      expect(await put(second, 'after it was handled', ID)).toBe('duplicate')
      await second.delete((entries[0] as InboxEntry).id)
      expect(await put(second, 'after it was deleted', ID)).toBe('stored')
    })

    it('is a duplicate if the inbox has given it, and does not make a duplicate new', async ({ open }) => {
      const inbox = await open({ dedupeSeconds: 0 })
      expect(await inbox.put(createAbout('payment:1', 'without'))).toBe('stored')
      const [entry] = await inbox.list()
      expect(await put(inbox, 'with', entry?.idempotencyKey ?? '')).toBe('duplicate')
      expect(await put(inbox, 'with another', ID)).toBe('stored')
      const other = await open()
      await other.put(createAbout('payment:1', 'the same'))
      expect(await put(other, 'the same', ID.replace('a', 'b'))).toBe('duplicate')
      expect(await inbox.counts()).toMatchObject({ waiting: 3 })
    })

    it('that is there already does not make a body known', async ({ open }) => {
      const inbox = await open()
      await put(inbox, 'first', ID)
      expect(await put(inbox, 'second', ID)).toBe('duplicate')
      expect(await inbox.put(createAbout('payment:1', 'second'))).toBe('stored')
    })
  })
}

function about(subject: string, name: string, concurrencyKey?: string | null): InboxNotification {
  return { ...createAbout(subject, name), ...(concurrencyKey !== undefined && { concurrencyKey }) }
}
