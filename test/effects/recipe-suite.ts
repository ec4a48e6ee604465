import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Handler, ReceiverOptions, TransactionOption, WebhookEvent } from '../../src/index.ts'
import { createDirectReceiver } from './direct-inbox.ts'

/** A recipe with the real library, and its database with two empty tables: receipts and effects. */
export interface OpenedRecipe<Tx = unknown> {
  readonly transaction: TransactionOption<Tx>
  /** Inserts into the table `effects`, whose `name` is unique. */
  readonly write: (tx: Tx, name: string) => unknown
  /** The keys of the receipts and the names of the effects, read through another connection. */
  readonly committed: () => Promise<{ receipts: string[]; effects: string[] }>
  /** Empties both tables. */
  readonly clear: () => unknown
  /** Ends the connections of the library to a server. */
  readonly interrupt?: () => Promise<unknown>
  readonly close: () => Promise<unknown>
}

/** A library, connected to a database. The handlers write with what the recipe gives them as `context.tx`. */
export type Library<Tx> = Pick<OpenedRecipe<Tx>, 'transaction' | 'write'> & {
  readonly disconnect: () => unknown
}

/** A function, so that the type of `tx` is inferred from the transaction, as in `createReceiver`. */
export function connected<Tx>(
  transaction: TransactionOption<Tx>,
  write: (tx: Tx, name: string) => unknown,
  disconnect: () => unknown,
): Library<Tx> {
  return { transaction, write, disconnect }
}

/**
 * What must hold with every library. An attempt that is made again stands for a process that died after the
 * commit.
 */
export function describeRecipe<Tx>(
  library: string,
  kind: 'server' | 'file',
  open: () => Promise<OpenedRecipe<Tx>>,
): void {
  describe(`the recipe for ${library}`, () => {
    let recipe: OpenedRecipe<Tx>
    beforeAll(async () => {
      recipe = await open()
    })
    beforeEach(async () => void (await recipe.clear()))
    afterAll(() => recipe.close())

    /** Starts a receiver with a handler, and returns what makes an attempt. */
    function start(
      handler: Handler<WebhookEvent, Tx>,
      options: Pick<ReceiverOptions, 'idempotencyKey'> = {},
    ) {
      const { receiver, attempt } = createDirectReceiver({ ...options, transaction: recipe.transaction })
      receiver.onAny(handler)
      return attempt
    }

    it('commits the effect and the receipt, and skips the second attempt', async () => {
      const attempt = start((_event, { tx, attempt }) => recipe.write(tx, `of attempt ${attempt}`))
      await attempt()
      await attempt('1', { attempt: 2 })
      expect(await recipe.committed()).toEqual({ receipts: ['key-of-1'], effects: ['of attempt 1'] })
    })

    it('has one effect of two notifications of a fact, and one of their replays', async () => {
      const attempt = start((_event, { tx, entryId }) => recipe.write(tx, `of ${entryId}`), {
        idempotencyKey: () => 'payment:1:Complete',
      })
      await attempt('1')
      await attempt('2')
      for (const id of ['3', '4']) await attempt(id, { idempotencyKey: `key-of-${id}:1` })
      expect(await recipe.committed()).toEqual({
        receipts: ['payment:1:Complete', 'payment:1:Complete:1'],
        effects: ['of 1', 'of 3'],
      })
    })

    it('rolls back if a handler fails, and tries again', async () => {
      const failure = new Error('out of stock')
      const attempt = start(async (_event, { tx, attempt }) => {
        await recipe.write(tx, `of attempt ${attempt}`)
        if (attempt === 1) throw failure
      })
      await expect(attempt()).rejects.toBe(failure)
      expect(await recipe.committed()).toEqual({ receipts: [], effects: [] })
      await attempt('1', { attempt: 2 })
      expect(await recipe.committed()).toEqual({ receipts: ['key-of-1'], effects: ['of attempt 2'] })
    })

    it('has one effect of two attempts at the same time', async () => {
      let count = 0
      const attempt = start(async (_event, { tx }) => {
        count += 1
        await recipe.write(tx, `of handler ${count}`)
      })
      await Promise.all([attempt(), attempt()])
      expect(await recipe.committed()).toEqual({ receipts: ['key-of-1'], effects: ['of handler 1'] })
    })

    it('lets the second of two attempts do what the first one failed to do', async () => {
      let count = 0
      const attempt = start(async (_event, { tx }) => {
        count += 1
        const own = count
        await recipe.write(tx, `of handler ${own}`)
        if (own === 1) throw new Error('out of stock')
      })
      const results = await Promise.allSettled([attempt(), attempt()])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await recipe.committed()).toEqual({ receipts: ['key-of-1'], effects: ['of handler 2'] })
    })

    it('keeps the transactions of different notifications apart', async () => {
      const ids = Array.from({ length: 10 }, (_, index) => String(index))
      const attempt = start(async (_event, { tx, entryId }) => {
        await recipe.write(tx, `first of ${entryId}`)
        await new Promise(setImmediate)
        if (Number(entryId) % 2 === 1) throw new Error('odd')
        await recipe.write(tx, `second of ${entryId}`)
      })
      await Promise.allSettled(ids.map((id) => attempt(id)))
      const even = ids.filter((id) => Number(id) % 2 === 0)
      expect(await recipe.committed()).toEqual({
        receipts: even.map((id) => `key-of-${id}`),
        effects: [...even.map((id) => `first of ${id}`), ...even.map((id) => `second of ${id}`)],
      })
    })

    // Of a file, there is no connection to lose.
    if (kind === 'server') {
      it('survives the loss of the connection in a handler, and tries again', async () => {
        const attempt = start(async (_event, { tx, attempt }) => {
          await recipe.write(tx, `of attempt ${attempt}`)
          if (attempt === 1) await recipe.interrupt?.()
        })
        await expect(attempt()).rejects.toThrow()
        await attempt('1', { attempt: 2 })
        expect(await recipe.committed()).toEqual({ receipts: ['key-of-1'], effects: ['of attempt 2'] })
      })
    }

    it('has all effects of a handler that ignores the error of a statement, or none', async () => {
      const attempt = start(async (_event, { tx }) => {
        await recipe.write(tx, 'unique')
        const again = async () => await recipe.write(tx, 'unique')
        await again().catch(() => {})
      })
      const [result] = await Promise.allSettled([attempt()])
      const all = { receipts: ['key-of-1'], effects: ['unique'] }
      const none = { receipts: [], effects: [] }
      expect(await recipe.committed()).toEqual(result.status === 'fulfilled' ? all : none)
    })
  })
}
