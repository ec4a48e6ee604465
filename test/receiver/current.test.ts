import { describe, expect, it, vi } from 'vitest'
import { createReceiver, type ReceiverInbox } from '../../src/index.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { createDirectInbox, createDirectReceiver } from '../effects/direct-inbox.ts'
import { clients } from '../fixture-cases.ts'
import { signed } from './requests.ts'

const clientId = clients.default

describe('the current option', () => {
  it('is read in each attempt, with its number, for the handlers of that attempt', async () => {
    const { receiver, attempt } = createDirectReceiver({
      current: async ({ type }, { attempt }) => `${type} ${attempt}`,
    })
    const seen: string[] = []
    receiver.onAny((_event, { current }) => {
      seen.push(current)
      throw new Error('down')
    })
    await expect(attempt()).rejects.toThrow('down')
    await expect(attempt('1', { attempt: 2 })).rejects.toThrow('down')
    expect(seen).toEqual(['INBOUND_PAYMENT_STATUS_UPDATED 1', 'INBOUND_PAYMENT_STATUS_UPDATED 2'])
  })

  it('is read before the transaction begins, once for all its runs', async () => {
    const steps: unknown[] = []
    const { receiver, attempt } = createDirectReceiver({
      current: () => {
        steps.push('read')
        return { status: 'Complete' }
      },
      async transaction(run) {
        steps.push('begin')
        await run(1, () => true)
        return await run(2, () => true)
      },
    })
    receiver.onAny((_event, { current, tx }) => steps.push([tx, current.status]))
    await attempt()
    expect(steps).toEqual(['read', 'begin', [1, 'Complete'], [2, 'Complete']])
  })

  it('is not read for what has no handler', async () => {
    const current = vi.fn()
    const { receiver, attempt } = createDirectReceiver({ current })
    receiver.on('INBOUND_PAYMENT_STATUS_UPDATED', () => {})
    await attempt('1', signedFrom(Buffer.from('{"type":"NEW_KIND","data":"{}"}')))
    expect(current).not.toHaveBeenCalled()
  })

  it('fails the attempt if it rejects, and no handler runs', async () => {
    const failure = new Error('no response')
    const { receiver, attempt, logged } = createDirectReceiver({ current: () => Promise.reject(failure) })
    const handler = vi.fn()
    receiver.onAny(handler)
    await expect(attempt()).rejects.toBe(failure)
    expect(handler).not.toHaveBeenCalled()
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      'payhook: Attempt 1 at handling the notification failed.',
      expect.objectContaining({
        code: 'handler_failed',
        error: expect.objectContaining({ message: 'no response' }),
      }),
    )
  })

  it('has a signal that is aborted when its time is over, after which no handler runs', async () => {
    const { receiver, attempt } = createDirectReceiver({
      current: (_event, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      handlerTimeoutMs: 20,
    })
    const handler = vi.fn()
    receiver.onAny(handler)
    await expect(attempt()).rejects.toThrow('longer than 20 ms')
    expect(handler).not.toHaveBeenCalled()
  })

  it('has a signal that is aborted when stop() no longer waits', async () => {
    const stopped = new AbortController()
    const { receiver, attempt, logged } = createDirectReceiver({
      current(_event, { signal }) {
        stopped.abort(new Error('stopped'))
        return signal.aborted
      },
    })
    const handler = vi.fn()
    receiver.onAny(handler)
    await expect(attempt('1', { signal: stopped.signal })).rejects.toThrow('stopped')
    expect(handler).not.toHaveBeenCalled()
    expect(logged).not.toHaveBeenCalled()
  })

  it('is absent from the context without the option', async () => {
    const { receiver, attempt } = createDirectReceiver()
    const seen: unknown[] = []
    receiver.onAny((_event, context) => seen.push('current' in context))
    await attempt()
    expect(seen).toEqual([false])
  })

  it.each<[string, ReceiverInbox | undefined]>([
    ['an inbox', undefined],
    ['oneAtATime', { ...createDirectInbox().inbox, oneAtATime: false }],
  ])('needs %s', async (_, inbox) => {
    const receiver = createReceiver({ clientId, inbox, current: () => 1 })
    receiver.onAny(() => {})
    await expect(receiver.start()).rejects.toThrow(
      new TypeError(
        '"current" option needs an "inbox" with oneAtATime: true. Without it, what was read first may be written last.',
      ),
    )
  })

  it('has every notification fail without an inbox', async () => {
    const onError = vi.fn()
    const receiver = createReceiver({ clientId, callbackToken: false, current: () => 1 })
    const handler = vi.fn()
    receiver.onAny(handler).onError(onError)
    expect(await receiver.receive(signed('{"type":"NEW_KIND","data":"{}"}'))).toMatchObject({ status: 500 })
    expect(handler).not.toHaveBeenCalled()
    expect(onError.mock.calls).toMatchObject([
      [{ code: 'receiver_failed', cause: expect.any(TypeError) }, undefined],
    ])
  })
})
