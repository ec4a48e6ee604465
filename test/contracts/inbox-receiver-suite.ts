import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { InboxEntry } from '../../src/inbox/inbox.ts'
import { createReceiver, reconcile } from '../../src/index.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { settled } from './settled.ts'
import { createAbout, signedFrom } from './signed-notification.ts'

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const clientId = 'payhook-demo-client'
const logger = { warn() {}, error() {} }

/** What a receiver decides, with its real consumer. */
export function describeReceiver(it: InboxTest): void {
  describe('a receiver', () => {
    it('hands what is true now to the handlers, however late a notification comes', async ({ open }) => {
      const [one, other] = [await open(), await open()]
      for (const status of ['Complete', 'Deposited', 'Processing', 'Pending', 'Draft'])
        await one.put(createAbout('payment:1', status))
      // The service changes the payment with every look at it, as if time went by between them.
      let version = 0
      const table: number[] = []
      for (const inbox of [one, other]) {
        const receiver = createReceiver({ clientId, inbox, logger, current: async () => ++version })
        receiver.onAny(async (_event, { current }) => {
          await new Promise(setImmediate)
          table.push(current)
        })
        await receiver.start()
      }
      await settled(one, { completed: 5 })
      expect(table).toEqual([1, 2, 3, 4, 5])
    })

    it('notes what it has no handler for, which reconcile then recovers', async ({ open }) => {
      const inbox = await open({ keepCompletedSeconds: 86_400 })
      const receiver = createReceiver({ clientId, inbox, logger })
      receiver.on('ACCOUNT_STATUS_UPDATED', () => {})
      const body = Buffer.from(JSON.stringify({ type: INBOUND, data: '{"id":1,"status":"Sent"}' }))
      await inbox.put({ ...signedFrom(body), receivedAt: new Date(0) })
      await receiver.start()
      await settled(inbox, { completed: 1 })
      const [unhandled] = await inbox.list()
      expect(unhandled?.error).toBe('There was no handler for it.')
      await engineOf(inbox).remove([unhandled?.id ?? ''])
      await engineOf(inbox).import([unhandled as InboxEntry])
      expect(await inbox.list()).toMatchObject([{ state: 'completed', error: unhandled?.error }])

      const statuses: unknown[] = []
      receiver.on(INBOUND, ({ data }) => statuses.push(data.status))
      const list = [{ kind: INBOUND, data: { id: 1, status: 'Sent' } }]
      const run = () => reconcile({ inbox, clientId, list, graceMs: 0 })
      expect(await run()).toEqual({ checked: 1, missed: 1, recovered: 1 })
      await settled(inbox, { completed: 2 })
      expect(statuses).toEqual(['Sent'])
      const entries = await inbox.list({ subject: 'payment:1' })
      expect(entries.find(({ source }) => source === 'reconcile')?.error).toBeNull()
      expect(await run()).toEqual({ checked: 1, missed: 0, recovered: 0 })
    })
  })
}
