import { describe, expect } from 'vitest'
import { createReceiver } from '../../src/index.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { settled } from './settled.ts'
import { signedFrom } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const clientId = 'payhook-demo-client'
const logger = { warn() {}, error() {} }

/** What a receiver decides, with its real consumer. */
export function describeReceiver(it: InboxTest): void {
  describe('a receiver', () => {
    it('keeps a known kind that does not fit as dead, and handles it after an update', async ({ open }) => {
      const inbox = await open()
      const data = JSON.stringify({ id: 48121, status: 'Complete', amount: 'much' })
      const unfit = signedFrom(Buffer.from(JSON.stringify({ type: INBOUND, data })))
      await inbox.put(unfit)
      await inbox.put(signedFrom(Buffer.from('{"type":"NEW_KIND","data":"{}"}')))
      const receiver = createReceiver({ clientId, inbox, logger })
      const dead: string[] = []
      receiver.on(INBOUND, () => expect.fail('handled')).onDead(({ id }) => void dead.push(id))
      await receiver.start()
      await settled(inbox, { dead: 1, completed: 1 })
      await waitFor(() => dead.length === 1)
      const [entry] = await inbox.list({ state: 'dead' })
      expect(entry).toMatchObject({
        id: dead[0],
        attempts: 1,
        subject: 'payment:48121',
        error: expect.stringMatching(/^PayloadError: .*: "amount" must be an amount/),
      })
      expect(Buffer.from(entry?.rawBody ?? [])).toEqual(unfit.rawBody)
      await receiver.stop()

      const updated = createReceiver({ clientId, inbox, logger })
      const handled: unknown[] = []
      updated.on('UNRECOGNIZED', ({ kind, data }) => void handled.push([kind, data]))
      await updated.start()
      await inbox.replay(dead[0] as string)
      await settled(inbox, { completed: 2 })
      expect(handled).toEqual([[INBOUND, { id: 48121, status: 'Complete', amount: 'much' }]])
    })
  })
}
