import pg from 'pg'
import { expect, it } from 'vitest'
import { createReceiver } from '../../src/index.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { createDirectInbox } from './direct-inbox.ts'
import { createPostgres } from './recipe-databases.ts'
import { createTransaction } from './recipes/pg.ts'

await describeWithService('PostgreSQL', POSTGRES, () => {
  it('fails the attempts that get no connection in time, and commits them later', async () => {
    const database = await createPostgres()
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    await pool.query('select 1')
    const { inbox, attempt } = createDirectInbox()
    const receiver = createReceiver({
      clientId: 'a',
      inbox,
      logger: { warn() {}, error() {} },
      handlerTimeoutMs: 1_000,
      transaction: createTransaction(pool),
    })
    const released = Promise.withResolvers<void>()
    receiver.onAny(async (_event, { tx, entryId }) => {
      if (entryId === '1') await released.promise
      await tx.query('insert into effects values ($1)', [entryId])
    })
    await receiver.start()
    const first = attempt('1')
    await expect(attempt('2')).rejects.toThrow(
      'the pool has fewer connections than the inbox has "concurrency"',
    )
    released.resolve()
    await first
    await attempt('2', { attempt: 2 })
    expect((await database.committed()).effects).toEqual(['1', '2'])
    await pool.end()
    await database.drop()
  })
})
