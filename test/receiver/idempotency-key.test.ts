import { describe, expect, it } from 'vitest'
import type { ReceiverOptions } from '../../src/index.ts'
import { createDirectReceiver } from '../effects/direct-inbox.ts'

/** A receiver with the option and receipts in memory, and the keys of what it handled. */
function create(idempotencyKey: ReceiverOptions['idempotencyKey']) {
  const receipts = new Set<string>()
  const handled: unknown[] = []
  const { receiver, attempt, logged } = createDirectReceiver({
    idempotencyKey,
    transaction: (run) => run(1, (key) => !receipts.has(key) && receipts.add(key).has(key)),
  })
  receiver.onAny((_event, context) => handled.push(context.idempotencyKey))
  return { attempt, handled, logged }
}

describe('the idempotencyKey option', () => {
  it('names the fact, so that a second notification of it is completed without its handlers', async () => {
    const { attempt, handled, logged } = create((event) => `${event.type}:Complete`)
    await attempt('1')
    await attempt('2')
    const key = 'INBOUND_PAYMENT_STATUS_UPDATED:Complete'
    expect(handled).toEqual([key])
    const fields = { code: 'fact_handled', entryId: '2', subject: 'payment:2', idempotencyKey: key }
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining('have already run for another one'), expect.objectContaining(fields)],
    ])
  })

  it('is given the context, with the key of the entry', async () => {
    const { attempt, handled } = create(
      (_event, { idempotencyKey, subject, current }) => `${subject} ${idempotencyKey} ${current}`,
    )
    await attempt()
    expect(handled).toEqual(['payment:1 key-of-1 undefined'])
  })

  it('is given what is true now, also without a transaction', async () => {
    const { receiver, attempt } = createDirectReceiver({
      current: async () => 'Complete',
      idempotencyKey: (_event, { current }) => `payment:1:${current}`,
    })
    const seen: unknown[] = []
    receiver.onAny((_event, { current, idempotencyKey }) => seen.push(current, idempotencyKey))
    await attempt()
    expect(seen).toEqual(['Complete', 'payment:1:Complete'])
  })

  it('leaves the key of the entry with null', async () => {
    const { attempt, handled } = create(() => null)
    await attempt('1')
    await attempt('2')
    await attempt('2', { attempt: 2 })
    expect(handled).toEqual(['key-of-1', 'key-of-2'])
  })

  it('lets a replay of completed entries repeat a fact, once for all that are about it', async () => {
    const { attempt, handled, logged } = create(() => 'fact')
    for (const id of ['1', '2', '3']) await attempt(id)
    for (const id of ['1', '2', '3']) await attempt(id, { idempotencyKey: `key-of-${id}:1` })
    await attempt('1', { idempotencyKey: 'key-of-1:1', attempt: 2 })
    await attempt('1', { idempotencyKey: 'key-of-1:2' })
    expect(handled).toEqual(['fact', 'fact:1', 'fact:2'])
    expect(logged.mock.calls.at(-1)).toMatchObject([{}, { code: 'fact_handled', idempotencyKey: 'fact:1' }])
  })

  it('does not repeat a fact that a replay was the first to find', async () => {
    let status = 'Sent'
    const { attempt, handled } = create(() => status)
    await attempt('1')
    status = 'Complete'
    await attempt('1', { idempotencyKey: 'key-of-1:1' })
    await attempt('2')
    expect(handled).toEqual(['Sent', 'Complete:1'])
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['a number', () => 7],
    ['a text that no engine can store', () => 'a\0b'],
    // Nobody would abort what it waits for.
    ['a promise', async () => 'a-key'],
    ['a promise that rejects', async () => JSON.parse('no JSON')],
  ])('fails the attempt if it returns %s', async (_, idempotencyKey) => {
    const { attempt, handled, logged } = create(idempotencyKey as () => string)
    await expect(attempt()).rejects.toThrow(
      new TypeError(
        '"idempotencyKey" option must return null, or 1 to 200 characters without NUL and lone surrogates',
      ),
    )
    expect(handled).toEqual([])
    expect(logged).toHaveBeenCalledOnce()
  })

  it('fails the attempt if it throws', async () => {
    const { attempt } = create(() => JSON.parse('no JSON'))
    await expect(attempt()).rejects.toThrow(SyntaxError)
  })
})
