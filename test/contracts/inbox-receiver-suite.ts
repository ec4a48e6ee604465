import { describe, expect } from 'vitest'
import { engineOf } from '../../src/inbox/create-inbox.ts'
import type { InboxEntry } from '../../src/inbox/inbox.ts'
import { createReceiver, reconcile } from '../../src/index.ts'
import type { InboxTest } from './inbox-fixtures.ts'
import { settled } from './settled.ts'
import { createAbout, signedFrom } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

const INBOUND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const clientId = 'payhook-demo-client'
const logger = { warn() {}, error() {} }

/** What a receiver decides, with its real consumer. */
export function describeReceiver(it: InboxTest): void {
  describe('a receiver', () => {
    it('needs an inbox with oneAtATime for the current option', async ({ open }) => {
      for (const oneAtATime of [true, false]) {
        const inbox = await open({ oneAtATime })
        expect(inbox.oneAtATime).toBe(oneAtATime)
        const receiver = createReceiver({ clientId, inbox, logger, current: () => 1 }).onAny(() => {})
        if (oneAtATime) await receiver.start()
        else await expect(receiver.start()).rejects.toThrow(TypeError)
      }
    })

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

    it('handles a fact once, until a notification of it is replayed', async ({ open }) => {
      const inbox = await open()
      const receipts = new Set<string>()
      const receiver = createReceiver({
        ...{ clientId, inbox, logger },
        idempotencyKey: (_event, { subject }) => subject,
        transaction: (run) => run(undefined, (key) => !receipts.has(key) && receipts.add(key).has(key)),
      })
      const handled: unknown[] = []
      receiver.onAny((_event, { idempotencyKey }) => handled.push(idempotencyKey))
      await receiver.start()
      for (const name of ['a', 'b']) await inbox.put(createAbout('payment:1', name))
      for (const name of ['c', 'd']) await inbox.put(createAbout(null, name))
      await settled(inbox, { completed: 4 })
      const entries = await Array.fromAsync(inbox.entries())
      const own = entries.flatMap(({ subject, idempotencyKey }) => (subject === null ? idempotencyKey : []))
      expect(handled.toSorted()).toEqual(['payment:1', ...own].toSorted())

      const [{ id, idempotencyKey } = expect.fail('no entry')] = await inbox.list({ subject: 'payment:1' })
      await inbox.replay(id)
      await waitFor(() => handled.length === 4)
      await settled(inbox, { completed: 4 })
      expect(handled.at(-1)).toBe(`${idempotencyKey}:1`)
    })

    it('tries again if what is true now cannot be read', async ({ open }) => {
      const inbox = await open()
      await inbox.put(createAbout('payment:1', 'Complete'))
      const receiver = createReceiver({
        ...{ clientId, inbox, logger },
        current: (_event, { attempt }) => (attempt < 3 ? Promise.reject(new Error('down')) : attempt),
      })
      const seen: number[] = []
      receiver.onAny((_event, { current }) => seen.push(current))
      await receiver.start()
      await settled(inbox, { completed: 1 })
      expect(seen).toEqual([3])
    })

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
