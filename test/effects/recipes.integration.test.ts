import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import type { PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresInbox, type PostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import {
  createReceiver,
  type ReceiverOptions,
  RetryAfterError,
  type TransactionOption,
  type WebhookContext,
} from '../../src/index.ts'
import { dropSchema } from '../adapters/inbox/postgres/schemas.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { settled } from '../contracts/settled.ts'
import { createAbout } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createDirectReceiver } from './direct-inbox.ts'
import { describeClaims, describePostgresRecipes } from './postgres-recipes.ts'
import { createPostgres, createSqlite } from './recipe-databases.ts'
import { describeRecipe, type Library } from './recipe-suite.ts'
import * as forBetterSqlite3 from './recipes/better-sqlite3.ts'
import * as forDrizzle from './recipes/drizzle.ts'
import * as forNodeSqlite from './recipes/node-sqlite.ts'
import { createPool } from './recipes/pool.ts'

/** With what libraries read as parameters. */
const FACT = `payment's "1"? :Complete $1 \\ €`

await describeWithService('a claim of the inbox', POSTGRES, () => {
  /** What must hold with every library. */
  function describeLibrary<Tx>(
    name: string,
    connect: (url: string, inbox: PostgresInbox) => Promise<Library<Tx>>,
  ): void {
    async function withWorker(
      handle: (context: WebhookContext<Tx>, write: (name: string) => Promise<unknown>) => Promise<unknown>,
      use: (inbox: PostgresInbox, opened: Awaited<ReturnType<typeof createPostgres>>) => Promise<void>,
      given: Pick<ReceiverOptions, 'idempotencyKey'> = {},
    ): Promise<void> {
      const opened = await createPostgres()
      const schema = `${opened.schema}_i`
      const options = { connectionString: opened.url, schema, retryDelayMs: 10, oneAtATime: true }
      const inbox = createPostgresInbox(options)
      const { transaction, write, disconnect } = await connect(opened.url, inbox)
      const logger = { warn() {}, error() {} }
      const receiver = createReceiver({ clientId: 'a', inbox, logger, transaction, ...given })
      receiver.onAny(
        async (_event, context) =>
          void (await handle(context, async (effect) => await write(context.tx, effect))),
      )
      try {
        await inbox.put(createAbout('payment:1', 'x1'))
        await inbox.put(createAbout('payment:1', 'x2'))
        await receiver.start()
        await use(inbox, opened)
      } finally {
        await inbox.close()
        await disconnect()
        await opened.drop()
        await dropSchema(schema)
      }
    }

    describe.concurrent(`with ${name}`, () => {
      it('completes each entry with what its handlers write, after a failure or "not yet", too', () => {
        const begun = new Set<unknown>()
        return withWorker(
          async ({ attempt, entryId }, write) => {
            await write(`${entryId} ${attempt}`)
            if (begun.has(entryId)) return
            begun.add(entryId)
            // "Not yet" is no attempt.
            throw begun.size === 1
              ? new Error('out of stock')
              : new RetryAfterError('no order yet', { afterMs: 10 })
          },
          async (inbox, { committed }) => {
            await settled(inbox, { completed: 2 })
            const [failed, deferred] = [...begun]
            expect((await committed()).effects).toEqual([`${failed} 2`, `${deferred} 1`].sort())
          },
        )
      })

      it('has one effect of two notifications of a fact, and one of their replays', () => {
        let fact = FACT
        return withWorker(
          ({ idempotencyKey }, write) => write(String(idempotencyKey)),
          async (inbox, { committed }) => {
            await settled(inbox, { completed: 2 })
            expect((await committed()).effects).toEqual([FACT])
            await inbox.replayAll({ state: 'completed' })
            await waitFor(async () => (await committed()).effects.length === 2)
            await settled(inbox, { completed: 2 })
            expect((await committed()).effects.toSorted()).toEqual([FACT, `${FACT}:1`])
            // A notification of it comes after the replays that found it.
            fact = 'found'
            await inbox.replayAll({ state: 'completed' })
            await waitFor(async () => (await committed()).effects.length === 3)
            await inbox.put(createAbout('payment:1', 'x3'))
            await settled(inbox, { completed: 3 })
            expect((await committed()).effects.toSorted()).toEqual(['found:2', FACT, `${FACT}:1`])
          },
          { idempotencyKey: () => fact },
        )
      })

      it('rolls back if a handler ignores the error of a statement', () =>
        withWorker(
          async ({ attempt, entryId }, write) => {
            await write(`${entryId} ${attempt}`)
            if (attempt === 1) await write(`${entryId} ${attempt}`).catch(() => {})
          },
          async (inbox, { committed }) => {
            await settled(inbox, { completed: 2 })
            const ids = (await inbox.list({ state: 'completed' })).map(({ id }) => id)
            expect((await committed()).effects).toEqual(ids.map((id) => `${id} 2`).sort())
          },
        ))
    })
  }

  describeClaims(describeLibrary)

  /** The tables of the recipes, and beside them a schema with inboxes, which are closed after the test. */
  async function openBoth() {
    const { schema, committed, drop } = await createPostgres()
    onTestFinished(async () => {
      await dropSchema(`${schema}_i`)
      await drop()
    })
    const options = { connectionString: POSTGRES.href, schema: `${schema}_i`, retryDelayMs: 10 }
    function open(concurrency?: number): PostgresInbox {
      const inbox = createPostgresInbox({ ...options, concurrency })
      onTestFinished(() => inbox.close())
      return inbox
    }
    return { schema, committed, open }
  }

  it('waits for the transaction of another notification of the same fact', async () => {
    const { schema, committed, open } = await openBoth()
    const inbox = open()
    const logger = { warn() {}, error() {} }
    const idempotencyKey = () => FACT
    const options = { clientId: 'a', inbox, logger, idempotencyKey, transaction: inbox.transaction }
    const receiver = createReceiver(options)
    receiver.onAny(async (_event, { tx, subject }) => {
      await waitFor(async () => (await inbox.counts()).active === 2)
      await tx.query(`insert into ${schema}.effects values ($1)`, [subject])
      if (subject === 'payment:1') throw new Error('out of stock')
    })
    await inbox.put(createAbout('payment:1', 'x'))
    await inbox.put(createAbout('payment:2', 'y'))
    await receiver.start()
    await settled(inbox, { completed: 2 })
    expect((await committed()).effects).toEqual(['payment:2'])
  })

  /** Handles a notification in the transaction of the inbox, until an attempt completes it. */
  async function handleInTransaction(
    handle: (tx: PoolClient, attempt: number, inbox: PostgresInbox) => Promise<unknown>,
  ) {
    const { schema, committed, open } = await openBoth()
    const inbox = open()
    const errors: string[] = []
    const options = { clientId: 'a', inbox, logger: { warn() {}, error() {} } }
    const receiver = createReceiver({ ...options, transaction: inbox.transaction })
    receiver.onError(({ cause }) => void errors.push(String(cause)))
    receiver.onAny(async (_event, { tx, attempt }) => {
      await tx.query(`insert into ${schema}.effects values ($1)`, [`attempt ${attempt}`])
      await handle(tx, attempt, inbox)
    })
    await inbox.put(createAbout('payment:1', 'x'))
    await receiver.start()
    await settled(inbox, { completed: 1 })
    return { error: errors[0], effects: (await committed()).effects }
  }

  it.each(['rollback', 'rollback; begin'])(
    'fails the attempt of a handler that ends the transaction (%s)',
    async (text) => {
      const handled = await handleInTransaction(
        async (tx, attempt) => attempt === 1 && (await tx.query(text)),
      )
      expect(handled).toEqual({
        error: 'Error: A handler ended the transaction.',
        effects: ['attempt 2'],
      })
    },
  )

  it('keeps the connection that a handler releases', async () => {
    const handled = await handleInTransaction(async (tx, attempt, inbox) => {
      tx.release()
      // Takes a connection of the pool.
      await inbox.counts()
      if (attempt === 1) throw new Error('out of stock')
    })
    expect(handled).toEqual({ error: 'Error: out of stock', effects: ['attempt 2'] })
  })

  it('rejects if the lease was lost: what the handlers wrote is rolled back, or never written', async () => {
    const { schema, committed, open } = await openBoth()
    // What hangs leaves it no room for another one.
    const [frozen, live] = [open(1), open()]
    const thawed = Promise.withResolvers<void>()
    const errors: unknown[] = []
    const logger = { warn() {}, error() {} }
    const start = async (inbox: PostgresInbox, before: () => Promise<void>) => {
      const receiver = createReceiver({
        clientId: 'a',
        inbox,
        logger,
        async transaction(run) {
          await before()
          try {
            return await inbox.transaction(run)
          } catch (error) {
            errors.push(String(error))
            throw error
          }
        },
      })
      receiver.onAny((_event, { tx, subject, attempt }) =>
        tx.query(`insert into ${schema}.effects values ($1)`, [`${subject} ${attempt}`]),
      )
      await receiver.start()
    }
    await frozen.put(createAbout('payment:1', 'x'))
    await start(frozen, () => thawed.promise)
    const pool = createPool(POSTGRES.href)
    await waitFor(async () => (await frozen.counts()).active === 1)
    await pool.query(`delete from ${schema}_i.worker`)
    await start(live, async () => {})
    await settled(live, { completed: 1 })
    thawed.resolve()
    await waitFor(() => errors.length > 0)
    expect(errors).toEqual([expect.stringContaining('took over the notification')])
    await frozen.put(createAbout('payment:2', 'y'))
    await settled(live, { completed: 2 })
    expect((await committed()).effects).toEqual(['payment:1 2', 'payment:2 1'])
    await pool.end()
  })
})

interface SqliteDatabase {
  prepare(sql: string): { run(name: string): unknown }
  close(): unknown
}

function describeSqlite<Database extends SqliteDatabase>(
  library: string,
  open: (path: string) => Database,
  createTransaction: (db: Database) => TransactionOption<Database>,
): void {
  describeRecipe(library, 'file', async () => {
    const { path, drop, ...database } = createSqlite()
    const db = open(path)
    const close = async () => {
      db.close()
      drop()
    }
    const write = (tx: Database, name: string) => tx.prepare('insert into effects values (?)').run(name)
    return { transaction: createTransaction(db), write, ...database, close }
  })
}

await describeWithService('PostgreSQL', POSTGRES, () => {
  describePostgresRecipes(createPostgres)

  // PgBouncer rejects what begins while it has no server; a rollback may take longer than pg's query_timeout.
  it.each(['begin', 'rollback'])('keeps no connection of Drizzle whose "%s" failed', async (lost) => {
    const { url, committed, drop } = await createPostgres()
    const pool = createPool(url)
    pool.options.max = 1
    let isLost = true
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      const queryOrReject = (...given: [{ text?: string }]) =>
        isLost && given[0].text === lost ? Promise.reject(new Error('lost')) : query(...given)
      Object.assign(client, { query: queryOrReject })
    })
    onTestFinished(async () => {
      await pool.end()
      await drop()
    })
    const { receiver, attempt } = createDirectReceiver({ transaction: forDrizzle.createTransaction(pool) })
    receiver.onAny(async (_event, { tx, entryId }) => {
      await tx.execute(sql`insert into effects values (${entryId})`)
      if (isLost) throw new Error('out of stock')
    })
    await expect(attempt('1')).rejects.toThrow()
    isLost = false
    await attempt('2')
    expect(await committed()).toEqual({ receipts: ['key-of-2'], effects: ['2'] })
  })
})

// Counts are bigints there, too.
describeSqlite(
  'node:sqlite',
  (path) => new DatabaseSync(path, { readBigInts: true }),
  forNodeSqlite.createTransaction,
)
describeSqlite('better-sqlite3', (path) => new Database(path), forBetterSqlite3.createTransaction)

it('has better-sqlite3 sync each commit in WAL mode, too', () => {
  const { path, drop } = createSqlite()
  onTestFinished(drop)
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  forBetterSqlite3.createTransaction(db)
  db.exec('delete from effects')
  const FULL = 2
  expect(db.pragma('synchronous', { simple: true })).toBe(FULL)
  db.close()
})
