import { describe, expect } from 'vitest'
import type { InboxDelivery } from '../../src/index.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { readByPages } from './inbox-page-suite.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** How entries are listed, replayed and pruned. */
export function describeRecovery(it: InboxTest): void {
  describe('recovery', () => {
    it('replays a dead entry once if several calls replay all at the same time', async ({ open }) => {
      const [inbox, other] = [await open({ maxAttempts: 1 }), await open()]
      for (let index = 0; index < 120; index++) {
        const kind = index % 3 === 0 ? 'INVOICE_STATUS_UPDATED' : 'INBOUND_PAYMENT_STATUS_UPDATED'
        await inbox.put(createSigned(index, kind))
      }
      await inbox.start(createConsumer(() => Promise.reject(new Error('down'))))
      await settled(inbox, { dead: 120 })
      await inbox.stop()
      const consumer = createConsumer()
      await inbox.start(consumer)
      const replayed = await Promise.all([
        inbox.replayAll({ state: 'dead' }),
        other.replayAll({ kind: 'INVOICE_STATUS_UPDATED' }),
        other.replayAll({ state: 'dead' }),
      ])
      expect(replayed.reduce((sum, count) => sum + count)).toBe(120)
      await settled(inbox, { completed: 120 })
      expect(consumer.deliveries).toHaveLength(120)
      expect(consumer.deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
    })

    it('resets the attempts and the error of a retry that is due', async ({ open }) => {
      const inbox = await open({ concurrency: 1 })
      const { promise: gate, resolve } = Promise.withResolvers<void>()
      const consumer = createConsumer(({ rawBody }) => {
        if (Buffer.from(rawBody).includes('blocks')) return gate
        if (consumer.attemptsOf(failing.signature).length === 1) throw new Error('down')
      })
      const failing = createSigned('fails')
      await inbox.put(failing)
      await inbox.put(createSigned('blocks'))
      await inbox.start(consumer)
      const entry = await waitFor(async () => {
        const [active] = await inbox.list({ state: 'active' })
        const [waiting] = await inbox.list({ state: 'waiting' })
        const isDue = waiting?.dueAt !== null && Number(waiting?.dueAt) <= Date.now()
        return active?.signature !== failing.signature && waiting?.attempts === 1 && isDue
          ? waiting
          : undefined
      })
      await inbox.replay(entry?.id ?? '')
      expect(await inbox.get(entry?.id ?? '')).toMatchObject({ state: 'waiting', attempts: 0, error: null })
      resolve()
      await settled(inbox, { completed: 2 })
      expect(consumer.attemptsOf(failing.signature)).toEqual([1, 1])
    })

    it('replays an entry that keeps changing its state, or says that it is active', async ({ open }) => {
      const inbox = await open({ retryDelayMs: 1, maxRetryDelayMs: 5, maxAttempts: 1_000 })
      const others = [await open(), await open()]
      await inbox.put(createSigned(1))
      const [entry] = await inbox.list({ state: 'waiting' })
      await inbox.start(
        createConsumer(({ attempt }) => attempt % 2 === 1 && Promise.reject(new Error('down'))),
      )
      const outcomes = await Promise.all(
        others.map(async (other) => {
          const codes = new Set<string>()
          for (let count = 0; count < 100; count++) {
            await other.replay(entry?.id ?? '').then(
              () => codes.add('replayed'),
              (error) => codes.add(error.code),
            )
          }
          return codes
        }),
      )
      for (const codes of outcomes) {
        for (const code of codes) expect(['replayed', 'entry_active']).toContain(code)
      }
      await settled(inbox, { completed: 1 })
    })

    it('neither replays nor deletes an active or missing entry', async ({ open }) => {
      const inbox = await open()
      const { promise, resolve } = Promise.withResolvers<void>()
      const consumer = createConsumer(() => promise)
      await inbox.put(createSigned(1))
      await inbox.start(consumer)
      await waitFor(() => consumer.deliveries.length === 1)
      const [active] = await inbox.list({ state: 'active' })
      expect(active?.id).toBe(consumer.deliveries[0]?.id)
      await expect(inbox.replay(active?.id ?? '')).rejects.toMatchObject({
        code: 'entry_active',
        status: 409,
      })
      await expect(inbox.delete(active?.id ?? '')).rejects.toMatchObject({ code: 'entry_active' })
      for (const id of ['0', '-1', '1e3', 'no such', '0'.repeat(300), "' or 1=1 --", crypto.randomUUID()]) {
        expect(await inbox.get(id)).toBeUndefined()
        await expect(inbox.replay(id)).rejects.toMatchObject({ code: 'entry_not_found', status: 404 })
        await expect(inbox.delete(id)).rejects.toMatchObject({ code: 'entry_not_found' })
      }
      resolve()
      await settled(inbox, { completed: 1 })
    })

    it('lists pages, oldest entry first', async ({ open }) => {
      const inbox = await open()
      const sent = Array.from({ length: 25 }, (_, index) => createSigned(index))
      for (const notification of sent) await inbox.put(notification)
      const pages = await readByPages(inbox, { state: 'waiting', limit: 10 }, ({ signature }) => signature)
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5, 0])
      expect(pages.flat()).toEqual(sent.map(({ signature }) => signature))
      expect(await inbox.list({ state: 'dead' })).toEqual([])
      await expect(inbox.list({ state: 'dead', after: 'no such' })).rejects.toMatchObject({
        code: 'entry_not_found',
      })
    })

    it('deletes an entry in any other state', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1 })
      for (const id of ['good', 'bad']) await inbox.put(createSigned(id))
      await inbox.start(createConsumer(failIfBad))
      await settled(inbox, { completed: 1, dead: 1 })
      await inbox.stop()
      await inbox.put(createSigned('waiting'))
      for await (const { id } of inbox.entries()) {
        await inbox.delete(id)
        expect(await inbox.get(id)).toBeUndefined()
        await expect(inbox.delete(id)).rejects.toMatchObject({ code: 'entry_not_found' })
      }
      await settled(inbox, {})
      await inbox.put(createSigned('twice'))
      const [twice] = await inbox.list({ state: 'waiting' })
      const both = await Promise.allSettled([inbox.delete(twice?.id ?? ''), inbox.delete(twice?.id ?? '')])
      const reasons = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
      expect(['', 'entry_not_found']).toContain(reasons.join())
    })

    it('prunes completed entries, dead ones on request, and nothing else', async ({ open }) => {
      const inbox = await open({ maxAttempts: 1, retryDelayMs: 600_000 })
      for (const id of [1, 2, 'bad 1', 'bad 2']) await inbox.put(createSigned(id))
      await inbox.start(createConsumer(failIfBad))
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
  })
}

function failIfBad({ rawBody }: InboxDelivery): void {
  if (Buffer.from(rawBody).includes('bad')) throw new Error('down')
}
