import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { type InboxDelivery, parse } from '../../src/index.ts'
import { createEntry } from './create-entry.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const keyOf = ({ idempotencyKey }: InboxDelivery) => idempotencyKey

/** Which runs of the handlers have the same idempotency key. */
export function describeIdempotency(it: InboxTest): void {
  describe('an idempotency key', () => {
    async function only(inbox: Inbox) {
      const [entry] = await inbox.list()
      return entry ?? expect.fail('no entry')
    }

    it('is the same for every attempt, and after the replay of a dead or waiting entry', async ({ open }) => {
      const inbox = await open({ maxAttempts: 3 })
      const consumer = createConsumer(() => Promise.reject(new Error('down')))
      await inbox.put(createSigned(1))
      const { id, idempotencyKey } = await only(inbox)
      await inbox.replay(id)
      await inbox.start(consumer)
      await settled(inbox, { dead: 1 })
      await inbox.replay(id)
      await waitFor(() => consumer.deliveries.length === 6)
      await settled(inbox, { dead: 1 })
      await inbox.replayAll({ state: 'dead' })
      await waitFor(() => consumer.deliveries.length === 9)
      await settled(inbox, { dead: 1 })
      expect(consumer.deliveries.map(keyOf)).toEqual(Array(9).fill(idempotencyKey))
      expect((await only(inbox)).idempotencyKey).toBe(idempotencyKey)
    })

    it('is new for each replay of a completed entry, and then the same for its attempts', async ({
      open,
    }) => {
      const inbox = await open({ maxAttempts: 3 })
      let isDown = false
      const consumer = createConsumer(() => (isDown ? parse('no JSON') : undefined))
      await inbox.put(createSigned(1))
      const { id, idempotencyKey: key } = await only(inbox)
      await inbox.start(consumer)
      await settled(inbox, { completed: 1 })
      const replay = async (state: 'completed' | 'dead') => {
        const before = consumer.deliveries.length
        await inbox.replay(id)
        await waitFor(() => consumer.deliveries.length === before + 1)
        await settled(inbox, { [state]: 1 })
        expect((await only(inbox)).idempotencyKey).toBe(consumer.deliveries.at(-1)?.idempotencyKey)
        return consumer.deliveries.at(-1)?.idempotencyKey
      }
      expect(consumer.deliveries.map(keyOf)).toEqual([key])
      expect(await replay('completed')).toBe(`${key}:1`)
      isDown = true
      expect(await replay('dead')).toBe(`${key}:2`)
      expect(await replay('dead')).toBe(`${key}:2`)
      isDown = false
      expect(await replay('completed')).toBe(`${key}:2`)
      expect(await replay('completed')).toBe(`${key}:3`)
      expect(consumer.deliveries.map(({ attempt }) => attempt)).toEqual(Array(6).fill(1))
      await inbox.stop()
      await inbox.replay(id)
      await inbox.replay(id)
      expect((await only(inbox)).idempotencyKey).toBe(`${key}:4`)
    })

    it('is the same after the replay of an entry that no handler took', async ({ open }) => {
      const inbox = await open()
      let outcome: string | undefined = 'unhandled'
      const consumer = createConsumer(() => outcome)
      await inbox.put(createSigned(1))
      const { id, idempotencyKey: key } = await only(inbox)
      await inbox.start(consumer)
      await settled(inbox, { completed: 1 })
      for (outcome of ['unhandled', undefined, 'unhandled', undefined]) {
        const before = consumer.deliveries.length
        await inbox.replay(id)
        await waitFor(() => consumer.deliveries.length === before + 1)
        await settled(inbox, { completed: 1 })
      }
      expect(consumer.deliveries.map(keyOf)).toEqual([key, key, key, `${key}:1`, `${key}:1`])
      expect((await only(inbox)).idempotencyKey).toBe(`${key}:1`)
    })

    it('comes along from another inbox', async ({ open }) => {
      const inbox = await open()
      const consumer = createConsumer()
      const entries = (['waiting', 'completed', 'dead'] as const).map((state, index) =>
        createEntry(String(index), state, createSigned(index)),
      )
      const toKeys = (...repeats: number[]) => entries.map(({ id }, index) => `${id}:${repeats[index]}`)
      const keys = toKeys(2, 2, 2)
      await engineOf(inbox).import(
        entries.map((entry, index) => ({ ...entry, idempotencyKey: keys[index] ?? '' })),
      )
      const imported = await Array.fromAsync(inbox.entries(), ({ idempotencyKey }) => idempotencyKey)
      expect(imported.sort()).toEqual(keys)
      for await (const entry of inbox.entries()) await inbox.replay(entry.id)
      await inbox.start(consumer)
      await settled(inbox, { completed: 3 })
      expect(consumer.deliveries.map(keyOf).sort()).toEqual(toKeys(2, 3, 2))
    })
  })
}
