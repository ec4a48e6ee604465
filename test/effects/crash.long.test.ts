import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSqliteInbox, type SqliteInboxOptions } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import type { Inbox } from '../../src/index.ts'
import { createReceiver } from '../../src/index.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createPostgres } from './recipe-databases.ts'
import { createTransaction } from './recipes/pg.ts'
import { createPool } from './recipes/pool.ts'

await describeWithService('PostgreSQL', POSTGRES, () => {
  let path: string
  let inbox: Inbox
  let database: Awaited<ReturnType<typeof createPostgres>>
  beforeEach(async () => {
    path = join(temporaryFolder(), 'inbox.db')
    inbox = createSqliteInbox({ path })
    database = await createPostgres()
  })
  afterEach(async () => {
    await inbox.close()
    await database.drop()
  })

  it('has an effect once if the process is killed after the commit, before the inbox knows of it', async () => {
    function startWorker(...mode: 'die'[]) {
      const process = new URL('./crash-process.ts', import.meta.url)
      const worker = fork(process, [path, database.url, ...mode], {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      })
      return { worker, gone: once(worker, 'exit') }
    }
    await inbox.put(createSigned('1'))
    expect(await startWorker('die').gone).toEqual([null, 'SIGKILL'])
    const first = await database.committed()
    expect(first.effects).toEqual(['of attempt 1'])

    const { worker, gone } = startWorker()
    const entry = await waitFor(async () => (await inbox.list({ state: 'completed' }))[0])
    expect(entry).toMatchObject({ attempts: 2, idempotencyKey: first.receipts[0] })
    expect(await database.committed()).toEqual(first)
    worker.kill()
    await gone
  })

  it('has an effect once if stop() cuts the attempt off, and it commits later', async () => {
    const pool = createPool(database.url)
    const released = Promise.withResolvers<void>()
    const committed = Promise.withResolvers<unknown>()
    const transaction = createTransaction(pool)
    const handling = vi.fn()
    async function start(options: Partial<SqliteInboxOptions>) {
      const worker = createSqliteInbox({ path, ...options })
      const receiver = createReceiver({
        clientId: 'a',
        inbox: worker,
        logger: { warn() {}, error() {} },
        transaction(run) {
          const ran = transaction(run)
          committed.resolve(ran)
          return ran
        },
      })
      receiver.onAny(async (_event, { tx, attempt }) => {
        await tx.query('insert into effects values ($1)', [`of attempt ${attempt}`])
        handling()
        await released.promise
      })
      await receiver.start()
      return worker
    }
    await inbox.put(createSigned('1'))
    const first = await start({ stopTimeoutMs: 1 })
    await waitFor(() => handling.mock.calls.length === 1)
    await first.close()
    expect((await database.committed()).effects).toEqual([])

    // The claim of the second attempt waits for the first one.
    const second = await start({})
    await waitFor(async () => (await inbox.counts()).active === 1)
    released.resolve()
    await committed.promise
    await waitFor(async () => (await inbox.counts()).completed === 1)
    expect((await database.committed()).effects).toEqual(['of attempt 1'])
    expect(handling).toHaveBeenCalledOnce()
    await second.close()
    await pool.end()
  })
})
