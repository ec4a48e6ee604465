import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresInbox, type PostgresInbox } from '../../../adapters/inbox/postgres/postgres-inbox.ts'
import { createReceiver } from '../../../src/index.ts'
import { describeMissing } from '../../contracts/missing.ts'
import { createPostgresServer, hasPostgresServer } from '../../contracts/postgres-server.ts'
import { settled } from '../../contracts/settled.ts'
import { createAbout } from '../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../contracts/tcp-proxy.ts'
import { waitFor } from '../../contracts/wait-for.ts'

const TOTAL = 300
const AT_ONCE = 10
const clientId = 'payhook-demo-client'

/** An application with two workers, which enters each payment into a table of the inbox's database. */
async function createApplication(port: number) {
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`
  const pool = new Pool({ connectionString })
  pool.on('error', () => {})
  await pool.query('create table ledger (payment text)')
  let handled = 0
  const open = async (): Promise<PostgresInbox> => {
    const inbox = createPostgresInbox({
      connectionString,
      oneAtATime: true,
      retryDelayMs: 10,
      maxAttempts: 100,
    })
    onTestFinished(() => inbox.close())
    const logger = { warn() {}, error() {} }
    const receiver = createReceiver({
      clientId,
      callbackToken: false,
      inbox,
      logger,
      transaction: inbox.transaction,
    })
    receiver.onAny(async (_event, { subject, tx }) => {
      await tx.query('insert into ledger values ($1)', [subject])
      handled += 1
    })
    await receiver.start()
    return inbox
  }
  const inboxes = [await open(), await open()]
  onTestFinished(() => pool.end())
  return {
    inboxes,
    handled: () => handled,
    ledger: async () => (await pool.query('select payment from ledger')).rows.map(({ payment }) => payment),
    /** Stores notifications, each again until that is acknowledged, as the service would. */
    async receive(): Promise<void> {
      for (let first = 0; first < TOTAL; first += AT_ONCE) {
        const puts = Array.from({ length: AT_ONCE }, (_, index) => {
          const notification = createAbout(`payment:${first + index}`, `${first + index}`)
          return waitFor(() => inboxes[index % 2]?.put(notification).catch(() => undefined))
        })
        await Promise.all(puts)
      }
    },
  }
}

async function expectEachOnce({ inboxes: [inbox], ledger }: Awaited<ReturnType<typeof createApplication>>) {
  await settled(inbox as PostgresInbox, { completed: TOTAL })
  const expected = Array.from({ length: TOTAL }, (_, index) => `payment:${index}`)
  expect((await ledger()).toSorted()).toEqual(expected.toSorted())
}

const name = 'what PostgreSQL has acknowledged'
if (!hasPostgresServer) {
  describeMissing(name, 'There is no initdb. "apt-get install postgresql libpq-dev" installs it.')
}
describe.runIf(hasPostgresServer)(name, () => {
  it('is handled once, however often the server crashes', async () => {
    await using server = await createPostgresServer()
    await server.start()
    const application = await createApplication(server.port)
    const received = application.receive()
    for (const share of [0.2, 0.4, 0.6]) {
      await waitFor(() => application.handled() > share * TOTAL)
      await server.crash()
      await server.start()
    }
    await received
    await expectEachOnce(application)
  })

  it('is handled once, though another server takes over', async () => {
    await using primary = await createPostgresServer()
    await primary.start()
    await using standby = await primary.createStandby()
    await standby.start()
    await primary.crash()
    await primary.start({ synchronous_standby_names: '*' })
    const target = { host: '127.0.0.1', port: primary.port }
    const proxy = await createTcpProxy(target)
    onTestFinished(() => proxy.close())
    const application = await createApplication(proxy.port)
    const received = application.receive()
    await waitFor(() => application.handled() > TOTAL / 3)
    await primary.crash()
    await proxy.cut()
    standby.promote()
    target.port = standby.port
    await proxy.mend()
    await received
    await expectEachOnce(application)
  })
})
