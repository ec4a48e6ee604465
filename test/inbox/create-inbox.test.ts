import { describe, expect, it, vi } from 'vitest'
import { createInbox, engineOf } from '../../src/inbox/create-inbox.ts'
import type { InboxEntry, InboxState } from '../../src/inbox/inbox.ts'
import type { ReplayState } from '../../src/inbox/inbox-engine.ts'
import { InboxError, type InboxNotification } from '../../src/index.ts'
import { fakeEngine } from '../contracts/fake-engine.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { createSigned, signedFrom } from '../contracts/signed-notification.ts'

const valid = createSigned(1)
const id = '019b7ca4-b8ee-7000-8000-000000000001'
const BYTES = '"rawBody" must be a Uint8Array: the exact bytes that arrived'
const TEXT = 'must be null, or 1 to 200 characters without NUL and lone surrogates'
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

describe('put', () => {
  /** What the engine stores. */
  async function stored(notification: Partial<InboxNotification>): Promise<unknown> {
    const put = vi.fn(async () => 'stored' as const)
    expect(await createInbox(fakeEngine({ put })).put(notification as InboxNotification)).toBe('stored')
    expect(put).toHaveBeenCalledOnce()
    return put.mock.lastCall
  }

  it.each<Partial<InboxNotification>>([
    {},
    { subject: null },
    { source: 'reconcile' },
    { traceparent },
    { concurrencyKey: 'payee:7' },
    { concurrencyKey: null },
    { id },
  ])('stores %o as it is', async (fields) => {
    expect(await stored({ ...valid, ...fields })).toStrictEqual([{ ...valid, ...fields }])
  })

  it('reads the subject from the body if none is given', async () => {
    const { subject: _, ...given } = signedFrom(
      Buffer.from('{"type":"OUTBOUND_PAYMENT_STATUS_UPDATED","data":{"id":9223372036854775807}}'),
    )
    expect(await stored(given)).toMatchObject([{ subject: 'payment:9223372036854775807' }])
  })

  it('leaves out a key that is the subject', async () => {
    expect(await stored({ ...valid, concurrencyKey: valid.subject })).toStrictEqual([valid])
  })

  it.each<[Partial<Record<keyof InboxNotification, unknown>>, string]>([
    [{ signature: 5 }, '"signature" must be 64 lowercase hex digits'],
    [{ signature: [valid.signature] }, '"signature" must be 64 lowercase hex digits'],
    [{ signature: `${valid.signature}0` }, '"signature" must be 64 lowercase hex digits'],
    [{ signature: `0${valid.signature}` }, '"signature" must be 64 lowercase hex digits'],
    [{ clientId: 5 }, '"clientId" must be a string without NUL characters and lone surrogates'],
    [{ clientId: 'a\0' }, '"clientId" must be a string without NUL characters and lone surrogates'],
    [{ clientId: '\ud800' }, '"clientId" must be a string without NUL characters and lone surrogates'],
    [{ receivedAt: 5 }, '"receivedAt" must be a valid Date'],
    [{ receivedAt: new Date(Number.NaN) }, '"receivedAt" must be a valid Date'],
    [{ rawBody: 'text' }, BYTES],
    [{ rawBody: new DataView(new ArrayBuffer(1)) }, BYTES],
    [{ rawBody: Object.create(Uint8Array.prototype), subject: null }, BYTES],
    [{ subject: '' }, `"subject" ${TEXT}`],
    [{ concurrencyKey: 'a\0' }, `"concurrencyKey" ${TEXT}`],
    [{ id: '17' }, '"id" must be a UUID of version 7 in lower case'],
    [{ id: id.toUpperCase() }, '"id" must be a UUID of version 7 in lower case'],
    [{ id: id.replace('-7', '-4') }, '"id" must be a UUID of version 7 in lower case'],
    [{ source: 'x' }, "\"source\" must be 'service' or 'reconcile'"],
    [{ traceparent: 'x' }, '"traceparent" must be a W3C trace context, such as 00-<32 hex>-<16 hex>-01'],
  ])('rejects %o', async (fields, message) => {
    const inbox = createInbox(fakeEngine({}))
    await expect(inbox.put({ ...valid, ...fields } as never)).rejects.toThrow(new TypeError(message))
  })
})

describe('an inbox', () => {
  it('wraps an error of its engine, but neither one of payhook nor a TypeError', async () => {
    const cause = new Error('down')
    const failing = (error: Error) =>
      createInbox(fakeEngine({ counts: () => Promise.reject(error) })).counts()
    await expect(failing(cause)).rejects.toMatchObject({
      code: 'inbox_unavailable',
      message: 'The inbox engine failed.',
      cause,
    })
    for (const error of [new InboxError('entry_active', 'x'), new TypeError('x')]) {
      await expect(failing(error)).rejects.toBe(error)
    }
  })

  it('closes its engine once, even if that cannot be stopped', async () => {
    const close = vi.fn(async () => {})
    const inbox = createInbox(
      fakeEngine({ start: async () => {}, stop: () => Promise.reject(new Error('down')), close }),
    )
    await inbox.start(createConsumer())
    const closed = inbox.close()
    expect(inbox.close()).toBe(closed)
    await expect(closed).rejects.toThrow('down')
    await expect(inbox[Symbol.asyncDispose]()).rejects.toThrow('down')
    expect(close).toHaveBeenCalledOnce()
    for (const call of [
      inbox.put(valid),
      inbox.start(createConsumer()),
      inbox.counts(),
      inbox.list(),
      inbox.get('1'),
      inbox.replay('1'),
      inbox.prune({ olderThan: new Date() }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'inbox_unavailable', message: 'The inbox is closed.' })
  })

  it('stops an engine that was started, and no other', async () => {
    const stop = vi.fn(async () => {})
    const inbox = createInbox(fakeEngine({ start: async () => {}, stop }))
    await inbox.stop()
    expect(stop).not.toHaveBeenCalled()
    await inbox.start(createConsumer())
    await expect(inbox.start(createConsumer())).rejects.toThrow('Start only one, with the handlers of all')
    await inbox.stop()
    await inbox.stop()
    expect(stop).toHaveBeenCalledOnce()
  })

  it('has an engine if this copy of payhook created it', () => {
    const engine = fakeEngine({})
    expect(engineOf(createInbox(engine))).toBe(engine)
    expect(() => engineOf({} as never)).toThrow(
      new TypeError('The inbox was not created by this copy of payhook'),
    )
  })

  it.each([5, '', undefined, ['1']])('rejects the id %j', async (id) => {
    const error = new TypeError('"id" must be the id of an entry, as list() returns it')
    await expect(createInbox(fakeEngine({})).get(id as never)).rejects.toThrow(error)
  })

  it('reads the entries of a state, or of all', async () => {
    const list = vi.fn(async () => [])
    const inbox = createInbox(fakeEngine({ list }))
    for await (const _ of inbox.entries({ state: 'completed' }));
    expect(list.mock.calls).toEqual([['completed', 100, undefined]])
    for await (const _ of inbox.entries());
    expect(list.mock.calls.slice(1).map(([state]: unknown[]) => state)).toEqual([
      'dead',
      'active',
      'waiting',
      'completed',
    ])
  })

  it.each([
    { state: 'failed' },
    { kind: 'ACCOUNT_STATUS_UPDATED' },
    { subject: '' },
    { subject: 'x'.repeat(201) },
    { subject: '\ud800' },
    { subject: null },
    { limit: 0 },
    { limit: 1_001 },
    { after: '' },
  ])('lists nothing with the options %j', async (options) => {
    const inbox = createInbox(fakeEngine({}))
    await expect(inbox.list(options as never)).rejects.toThrow(TypeError)
    expect(() => inbox.entries(options as never)).toThrow(TypeError)
  })

  it.each([
    {},
    { olderThan: 5 },
    { olderThan: new Date(Number.NaN) },
    { olderThan: new Date(), state: 'waiting' },
  ])('does not prune with the options %o', async (options) => {
    await expect(createInbox(fakeEngine({})).prune(options as never)).rejects.toThrow(TypeError)
  })
})

it.each<[number, InboxState | undefined, string | undefined]>([
  [1, 'dead', undefined],
  [0, 'active', 'entry_active'],
  [0, undefined, 'entry_not_found'],
])('delete() that removes %i of an entry that is %s ends with %s', async (removed, state, code) => {
  const get = async () => state && ({ state } as InboxEntry)
  const deleted = createInbox(fakeEngine({ get, remove: async () => removed })).delete('7')
  if (code === undefined) await deleted
  else await expect(deleted).rejects.toMatchObject({ code })
})

it.each<[(InboxState | undefined)[], string | undefined]>([
  [['dead'], undefined],
  [['completed', 'waiting', 'dead'], undefined],
  [['waiting', 'active', 'active'], 'entry_active'],
  [['waiting', 'completed'], undefined],
  [['completed', undefined], 'entry_not_found'],
])('replay() of an entry that is %j, one after the other, ends with %s', async (states, code) => {
  const left = [...states]
  const get = async () => left[0] && ({ state: left.shift() } as InboxEntry)
  const restart = async (state: ReplayState) => (state === 'dead' ? 1 : 0)
  const replayed = createInbox(fakeEngine({ get, restart })).replay('7')
  if (code === undefined) await replayed
  else await expect(replayed).rejects.toMatchObject({ code })
})

it.each([undefined, '', 'a\0', '\ud800', 'x'.repeat(201), 5])(
  'a pause needs a reason, not %j',
  async (reason) => {
    await expect(createInbox(fakeEngine({})).pause(reason as string)).rejects.toThrow(
      new TypeError('"reason" must be 1 to 200 characters without NUL and lone surrogates'),
    )
  },
)
