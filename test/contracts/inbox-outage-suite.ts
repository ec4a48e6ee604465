import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { createReceiver } from '../../src/index.ts'
import type { EngineUnderTest } from './engine-under-test.ts'
import { hmac } from './hmac.ts'
import { FAST, type InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** What survives a crash of a process, and an outage of the engine. */
export function describeOutages(it: InboxTest, engine: EngineUnderTest): void {
  describe.concurrent('a crash of a process', () => {
    it('loses no acknowledged notification', async ({ open, child }) => {
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
      // What was stored without an acknowledgement is delivered, too, and may come first.
      await waitFor(async () => {
        const { waiting, active } = await inbox.counts()
        return waiting + active === 0
      })
      const handled = new Set(consumer.deliveries.map(({ signature }) => signature))
      expect([...acknowledged].filter((signature) => !handled.has(signature))).toEqual([])
      // Each was stored once. On a busy machine a lock may expire, before or after the handler was called.
      expect(new Set(consumer.deliveries.map(({ id }) => id)).size).toBe(handled.size)
    })

    it('counts as a failed attempt, and makes a notification dead after the last one', async ({
      open,
      child,
    }) => {
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
      await settled(inbox, { dead: 1 })
      expect(consumer.deliveries).toEqual([])
      const [dead] = await inbox.list({ state: 'dead' })
      await waitFor(() => consumer.deaths.length === 1)
      expect(dead).toMatchObject({ attempts: 2, error: expect.stringMatching(/\w/) })
    })

    it('is not assumed of a slow handler, which keeps its notification', async ({ open }) => {
      const options = { ...FAST, stopTimeoutMs: 60_000 }
      const inbox = await open(options)
      const slow = createConsumer(() => delay(engine.leaseMs * 1.5 + 1_000))
      await inbox.put(createSigned(1))
      await inbox.start(slow)
      await waitFor(() => slow.deliveries.length === 1)
      const other = createConsumer()
      await (await open()).start(other)
      await settled(inbox, { completed: 1 })
      expect(slow.deliveries).toHaveLength(1)
      expect(other.deliveries).toEqual([])
    })
  })

  describe('an outage of the engine', () => {
    it('makes receivers respond 503; receivers and workers recover afterwards', async ({ store, open }) => {
      const inbox = await open()
      const receiver = createReceiver({ clientId: 'payhook-demo-client', inbox, inboxTimeoutMs: 4_000 })
      const handled: string[] = []
      receiver.onAny((_, { subject }) => void handled.push(String(subject)))
      const errors: string[] = []
      receiver.onError(({ code }) => void errors.push(code))
      await receiver.start()
      const status = async (id: number) => (await receiver.receive(requestOf(id))).status
      await waitFor(async () => (await status(1)) === 200)

      await store.interrupt()
      expect(await Promise.all([status(2), status(3)])).toEqual([503, 503])
      expect(errors).toContain('inbox_unavailable')

      await store.restore()
      await waitFor(async () => (await status(4)) === 200)
      await waitFor(async () => (await status(5)) === 200)
      // What got a 503 may have been stored nevertheless.
      await waitFor(() => [1, 4, 5].every((id) => handled.includes(`payment:${id}`)))
      await waitFor(async () => (await inbox.counts()).waiting === 0)
      expect(new Set(handled).size).toBe(handled.length)
      await receiver.stop()
    })

    it('does not prevent an inbox from being opened and started', async ({ store }) => {
      await store.interrupt()
      const opened = await store.open().catch((error: Error) => error)
      if (opened instanceof Error) {
        expect(opened).toMatchObject({ code: 'inbox_unavailable' })
        return
      }
      const consumer = createConsumer()
      await opened.start(consumer)
      await expect(opened.put(createSigned(1))).rejects.toThrow()
      await store.restore()
      await waitFor(() => opened.put(createSigned(2)).catch(() => undefined))
      await waitFor(() => consumer.attemptsOf(createSigned(2).signature).length === 1)
    })
  })
}

function requestOf(id: number) {
  const { rawBody: body, clientId } = createSigned(id)
  return { method: 'POST', url: '/', headers: { 'access-signature': hmac(body, clientId) }, body }
}
