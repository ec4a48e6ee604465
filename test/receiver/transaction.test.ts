import { describe, expect, it, vi } from 'vitest'
import type { ReceiverOptions, TransactionOption } from '../../src/index.ts'
import { activeTimers } from '../contracts/active-timers.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { throwing } from '../contracts/throwing.ts'
import { createDirectReceiver } from '../effects/direct-inbox.ts'

/** What is committed: receipts, and what the handlers wrote. A transaction is a list of what it writes. */
function createDatabase() {
  const rows: string[] = []
  return {
    rows,
    async transaction<Result>(work: (tx: string[]) => Promise<Result>): Promise<Result> {
      const tx: string[] = []
      const result = await work(tx)
      rows.push(...tx)
      return result
    },
    async claim(tx: string[], key: string): Promise<boolean> {
      if (rows.includes(key)) return false
      tx.push(key)
      return true
    },
  }
}

const create = <Tx>(transaction: TransactionOption<Tx>, options: Partial<ReceiverOptions> = {}) =>
  createDirectReceiver({ ...(options as object), transaction })

describe('the transaction option', () => {
  it('commits what the handlers write, with the key, once', async () => {
    const { rows, transaction, claim } = createDatabase()
    const { receiver, attempt, logged } = create((run) =>
      transaction((tx) => run(tx, (key) => claim(tx, key))),
    )
    receiver.onAny((_event, { tx, idempotencyKey }) => tx.push(`effect of ${idempotencyKey}`))
    await attempt()
    await attempt('1', { attempt: 2 })
    expect(rows).toEqual(['key-of-1', 'effect of key-of-1'])
    const fields = { code: 'already_handled', entryId: '1', subject: 'payment:1', attempt: 2 }
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining('handlers of a notification were skipped'), expect.objectContaining(fields)],
    ])
  })

  it('has the body parsed once, and again only for a run that repeats it', async () => {
    const validate = vi.fn((value: unknown) => ({ value }))
    const kinds = {
      INBOUND_PAYMENT_STATUS_UPDATED: { '~standard': { version: 1, vendor: 'own', validate } },
    } as const
    let runs = 1
    const { receiver, attempt } = create(
      async (run) => {
        for (let left = runs; left > 1; left--) await run(1, () => true)
        return await run(1, () => true)
      },
      { kinds } as never,
    )
    receiver.onAny(() => {})
    await attempt('1')
    expect(validate).toHaveBeenCalledTimes(1)
    runs = 2
    await attempt('2')
    expect(validate).toHaveBeenCalledTimes(3)
  })

  it('may be repeated, with an event and a context of its own for each run', async () => {
    const conflict = new Error('could not serialize access')
    const seen: unknown[] = []
    const { receiver, attempt } = create(async (run) => {
      await expect(run('first', () => true)).rejects.toBe(conflict)
      return await run('second', () => true)
    })
    receiver.onAny((event, context) => {
      seen.push([structuredClone(event), context.tx, context.signal.aborted])
      Object.assign(event, { type: 'changed' })
      if (seen.length === 1) throw conflict
    })
    await attempt()
    const event = expect.objectContaining({ type: 'INBOUND_PAYMENT_STATUS_UPDATED' })
    expect(seen).toEqual([
      [event, 'first', false],
      [event, 'second', false],
    ])
  })

  it('is not called if there is no handler', async () => {
    const transaction = vi.fn()
    const { receiver, attempt } = create(transaction)
    receiver.on('UNRECOGNIZED', () => {})
    await attempt()
    expect(transaction).not.toHaveBeenCalled()
  })

  it('is committed before an unrecognized event is reported', async () => {
    const { rows, transaction, claim } = createDatabase()
    const { receiver, attempt } = create((run) => transaction((tx) => run(tx, (key) => claim(tx, key))))
    const reports: unknown[] = []
    receiver.onAny(() => {}).onError(({ code }) => reports.push(code, [...rows]))
    await attempt('1', signedFrom(Buffer.from('{"type":"NEW","data":"{}"}')))
    expect(reports).toEqual(['event_unrecognized', ['key-of-1']])
  })

  it('has no part in an attempt that stop() cuts off before its handlers run', async () => {
    const stopped = new AbortController()
    const { receiver, attempt, logged } = create((run) => {
      stopped.abort(new Error('stopped'))
      return run(1, () => true)
    })
    const handler = vi.fn()
    receiver.onAny(handler)
    await expect(attempt('1', { signal: stopped.signal })).rejects.toThrow('stopped')
    expect(handler).not.toHaveBeenCalled()
    expect(logged).not.toHaveBeenCalled()
  })

  it('may commit after stop() has cut the attempt off', async () => {
    const { rows, transaction, claim } = createDatabase()
    const stopped = new AbortController()
    const { receiver, attempt } = create((run) => transaction((tx) => run(tx, (key) => claim(tx, key))))
    receiver.onAny((_event, { tx, signal }) => {
      stopped.abort(new Error('stopped'))
      tx.push(`aborted: ${signal.aborted}`)
    })
    await attempt('1', { signal: stopped.signal })
    await attempt()
    expect(rows).toEqual(['key-of-1', 'aborted: true'])
  })
})

/** Options that the types reject, as JavaScript allows them. */
type Mistake = (run: (tx?: unknown, claim?: unknown) => Promise<unknown>) => unknown

const yes = async () => true
const never = new Promise<never>(() => {})

describe('a transaction option with a mistake fails the attempt:', () => {
  it.each<[string, RegExp, Mistake]>([
    ['throws', /^no pool$/, throwing(new Error('no pool'))],
    ['rejects', /^no pool$/, () => Promise.reject(new Error('no pool'))],
    ['returns nothing', /resolved without calling run\. Does it return its promise\?/, () => {}],
    ['begins, and returns nothing', /settled before run did/, (run) => void run(1, yes)],
    ['does not wait for run', /settled before run did/, async (run) => void run(1, yes)],
    [
      'does not wait for run, and rejects',
      /settled before run did/,
      async (run) => {
        void run(1, yes)
        throw new Error('no pool')
      },
    ],
    ['has no claim', /"claim" is missing/, (run) => run(1)],
    ['has a claim that throws', /^no table$/, (run) => run(1, throwing(new Error('no table')))],
    ['has a claim that rejects', /^no table$/, (run) => run(1, () => Promise.reject(new Error('no table')))],
    ['has a claim that gives a count', /boolean, .* but resolved to number$/, (run) => run(1, async () => 1)],
    ['has a claim that gives nothing', /but resolved to undefined$/, (run) => run(1, async () => {})],
    ['has a claim that gives null', /but resolved to null$/, (run) => run(1, async () => null)],
    ['has a claim that hangs', /claim that did not settle within 20 ms/, (run) => run(1, () => never)],
    ['never begins', /did not call run.*"concurrency".* within 20 ms/, () => never],
    [
      'never commits',
      /neither committed nor rolled back within 20 ms/,
      (run) => run(1, yes).then(() => never),
    ],
    [
      'never rolls back',
      /neither committed nor rolled back within 20 ms/,
      (run) => run(1, async () => 1).catch(() => never),
    ],
    ['cannot commit', /^deadlock$/, (run) => run(1, yes).then(throwing(new Error('deadlock')))],
    ['calls run twice at once', /settled before run did/, (run) => Promise.all([run(1, yes), run(2, yes)])],
    ['calls run in run', /called run again before it had settled/, (run) => run(1, () => run(2, yes))],
  ])('%s', async (_, message, mistake) => {
    const { receiver, attempt, logged } = create(mistake as TransactionOption<unknown>, {
      handlerTimeoutMs: 20,
    })
    const handler = vi.fn()
    receiver.onAny(handler)
    const before = activeTimers()
    await expect(attempt()).rejects.toThrow(message)
    expect(logged).toHaveBeenCalledOnce()
    expect(activeTimers()).toBeLessThanOrEqual(before)
  })

  it('says why run failed if its transaction cannot be rolled back', async () => {
    const hangs: Mistake = (run) => run(1, () => never).catch(() => never)
    const { receiver, attempt } = create(hangs as TransactionOption<unknown>, { handlerTimeoutMs: 20 })
    receiver.onAny(() => {})
    await expect(attempt()).rejects.toMatchObject({
      message: /neither committed nor rolled back/,
      cause: { message: /claim that did not settle/ },
    })
  })

  it('forgets a second call of run, which has no effect', async () => {
    const { receiver, attempt } = create((run) => {
      const first = run('first', yes)
      void run('second', yes)
      return first
    })
    const handler = vi.fn()
    receiver.onAny((_event, { tx }) => handler(tx))
    await attempt()
    expect(handler.mock.calls).toEqual([['first']])
  })

  it('resolves although run rejected', async () => {
    const { receiver, attempt } = create(
      (run) => run(1, yes).catch(() => {}) as ReturnType<typeof run<number>>,
    )
    const cause = new Error('out of stock')
    receiver.onAny(() => Promise.reject(cause))
    await expect(attempt()).rejects.toMatchObject({ message: /resolved although run rejected/, cause })
  })

  it('settles while the key is claimed, so that no handler runs', async () => {
    const claimed = Promise.withResolvers<boolean>()
    const { receiver, attempt } = create(((run) => void run(1, () => claimed.promise)) as Mistake as never)
    const handler = vi.fn()
    receiver.onAny(handler)
    const failed = expect(attempt()).rejects.toThrow('settled before run did')
    await new Promise(setImmediate)
    claimed.resolve(true)
    await failed
    expect(handler).not.toHaveBeenCalled()
  })

  it('settles while the handlers run, which are aborted and waited for', async () => {
    const timeout = new Error('transaction timeout')
    const timedOut = Promise.withResolvers<never>()
    const { receiver, attempt } = create((run) => Promise.race([run(1, yes), timedOut.promise]))
    const ended = vi.fn()
    receiver.onAny(async (_event, { signal }) => {
      timedOut.reject(timeout)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise(setImmediate)
      ended(signal.reason.cause)
    })
    await expect(attempt()).rejects.toMatchObject({ message: /settled before run did/, cause: timeout })
    expect(ended).toHaveBeenCalledWith(timeout)
  })

  it('calls run when the attempt has ended', async () => {
    const begun = Promise.withResolvers<void>()
    const rolledBack = vi.fn()
    const { receiver, attempt } = create(
      async (run) => {
        await begun.promise
        return await run(1, yes).finally(rolledBack)
      },
      { handlerTimeoutMs: 20 },
    )
    const handler = vi.fn()
    receiver.onAny(handler)
    await expect(attempt()).rejects.toThrow('did not call run')
    begun.resolve()
    await vi.waitFor(() => expect(rolledBack).toHaveBeenCalled())
    expect(handler).not.toHaveBeenCalled()
  })
})
