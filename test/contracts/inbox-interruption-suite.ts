import { once } from 'node:events'
import { describe, expect } from 'vitest'
import type { InboxChild } from './inbox-child.ts'
import { FAST, type InboxTest } from './inbox-fixtures.ts'
import { createConsumer } from './recording-consumer.ts'
import { settled } from './settled.ts'
import { createSigned } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** Attempts that repeatedly end with a crash or with `stop()`. */
export function describeInterruptions(it: InboxTest): void {
  describe.concurrent('a notification', () => {
    it('ends up dead, alone, if it crashes its process on every attempt', async ({ open, child }) => {
      const options = { ...FAST, maxAttempts: 5 }
      const inbox = await open(options)
      const poison = createSigned('poison')
      await inbox.put(poison)
      for (let id = 0; id < 30; id++) await inbox.put(createSigned(id))

      const workers: InboxChild[] = []
      let isOver = false
      async function supervise(): Promise<void> {
        while (!isOver) {
          const worker = child({ role: 'worker', handler: 'poison', options })
          workers.push(worker)
          await worker.ended()
        }
      }
      const supervised = supervise()
      await settled(inbox, { completed: 30, dead: 1 }).finally(() => {
        isOver = true
      })
      await workers.at(-1)?.kill()
      await supervised

      expect(await inbox.list({ state: 'dead' })).toMatchObject([
        { signature: poison.signature, attempts: 5, error: expect.stringMatching(/\w/) },
      ])
      const deaths = workers.map(inHand).filter((ids) => ids.includes(poison.signature))
      expect(deaths).toHaveLength(5)
      for (const alone of deaths.slice(2)) expect(alone).toEqual([poison.signature])
    })

    it('delays no others if stop() has to cut it off every time', async ({ open }) => {
      const inbox = await open()
      for (let id = 0; id < 10; id++) await inbox.put(createSigned(`stuck ${id}`))
      for (let id = 0; id < 20; id++) await inbox.put(createSigned(id))

      let running = 0
      const consumer = createConsumer(async ({ rawBody, signal }) => {
        if (!Buffer.from(rawBody).includes('stuck')) return
        running += 1
        await once(signal, 'abort')
        running -= 1
        throw signal.reason
      })
      for (let deploys = 1; deploys <= 4; deploys++) {
        const deployed = await open({ stopTimeoutMs: 50, maxAttempts: 1 })
        await deployed.start(consumer)
        await waitFor(() => running === 10)
        await deployed.close()
        if (deploys === 2) await settled(inbox, { completed: 20, waiting: 10 })
      }

      expect(await inbox.list({ state: 'waiting' })).toMatchObject(
        Array(10).fill({ attempts: 0, error: null }),
      )
      expect([consumer.failures, consumer.deaths]).toEqual([[], []])
    })
  })
}

/** The notifications that a process was handling when it ended. */
function inHand({ messages }: InboxChild): string[] {
  const ids = messages.flatMap((message) => ('handling' in message ? [message.handling] : []))
  return ids.filter((id) => !messages.some((message) => 'handled' in message && message.handled === id))
}
