import pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { Database } from '../../../../adapters/inbox/postgres/database.ts'
import { PostgresLeases } from '../../../../adapters/inbox/postgres/leases.ts'
import { STATE } from '../../../../adapters/inbox/postgres/schema.ts'
import type { Lease } from '../../../../src/inbox/lease-store.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createAbout, createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

await describeWithService('a worker of PostgreSQL', POSTGRES, () => {
  const { schema, query, open } = useDatabase(true)
  const clients: pg.Client[] = []
  const databases: Database[] = []

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()))
    await Promise.all(databases.splice(0).map((database) => database.close()))
  })

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString })
    clients.push(client)
    await client.connect()
    return client
  }

  async function openStore(): Promise<{ store: PostgresLeases; database: Database }> {
    const database = new Database({ connectionString, schema, create: true, max: 4 })
    databases.push(database)
    const options = { keepCompleted: true, oneAtATime: true, tidy: async () => {}, onDue: () => {} }
    const store = new PostgresLeases(database, options)
    await store.open()
    return { store, database }
  }

  const take = (store: PostgresLeases): Promise<Lease> =>
    waitFor(async () => (await store.settleAndLease([], 1))[0])

  it('listens though a session that it lost still holds its lock', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    const lost = await connect()
    const [row] = await query(`insert into ${schema}.worker default values returning id`)
    await lost.query(
      `select pg_advisory_lock(('${schema}.worker'::regclass::oid::bigint << 32) + ${Number(row?.id) + 1})`,
    )
    await inbox.start(createConsumer())
    await waitFor(async () => {
      const text = `select 1 from pg_stat_activity where query like 'listen%"payhook ' || $1 || '"%'`
      return (await query(text, [schema.replaceAll('"', '')])).length > 0
    })
    await settled(inbox, { completed: 1 })
  })

  it('wakes nothing while the entry of a result is locked', async () => {
    const inbox = open()
    const { store } = await openStore()
    for (const name of ['first', 'second']) await inbox.put(createAbout('payment:1', name))
    const first = await take(store)
    const parked = async () =>
      await query(`select xmin::text from ${schema}.work where state = ${STATE.parked}`)
    await waitFor(async () => {
      await store.settleAndLease([], 1)
      return (await parked()).length > 0
    })
    const before = await parked()
    const client = await connect()
    await client.query('begin')
    await client.query(`select from ${schema}.work where id = $1 for update`, [first.id])
    await store.settleAndLease([{ lease: first, to: 'completed' }], 1)
    for (let call = 0; call < 3; call++) await store.settleAndLease([], 1)
    expect(await parked()).toEqual(before)
    await client.query('rollback')
    await store.look()
    expect((await inbox.get(first.id))?.state).toBe('completed')
    await take(store)
    await store.close()
  })

  it('returns what a lost response gave it, although others are completed and not settled', async () => {
    const inbox = open()
    const { store, database } = await openStore()
    for (const id of [1, 2]) await inbox.put({ ...createSigned(id), subject: null })
    const claimed = await take(store)
    await inbox.claim((text) => database.query(text.replace('null', String(store.workerId))))(
      claimed.idempotencyKey,
    )
    const ask = database.query
    const lose = async (...call: Parameters<typeof ask>) => {
      await ask(...call)
      throw new Error('lost')
    }
    Object.assign(database, { query: lose })
    await expect(store.settleAndLease([], 1)).rejects.toThrow('lost')
    Object.assign(database, { query: ask })
    expect(await take(store)).toMatchObject({ attempt: 1 })
    await store.settleAndLease([{ lease: claimed, to: 'completed' }], 0)
    await store.close()
  })

  it('does not end an attempt with the result of the one before, which came late', async () => {
    const inbox = open()
    const { store, database } = await openStore()
    await inbox.put(createSigned(1))
    const first = await take(store)
    const retry = { lease: first, to: 'retry', error: 'down', dueAt: 0, crashes: 0 } as const
    const ask = database.query
    let late = async () => {}
    Object.assign(database, {
      query: async (...call: Parameters<typeof ask>) => {
        late = async () => void (await ask(...call))
        throw new Error('late')
      },
    })
    await expect(store.settleAndLease([retry], 0)).rejects.toThrow('late')
    Object.assign(database, { query: ask })
    const [second] = await store.settleAndLease([retry], 1)
    expect(second).toMatchObject({ attempt: 2 })
    await late()
    expect(await inbox.get(first.id)).toMatchObject({ state: 'active', attempts: 2 })
    await store.settleAndLease([{ lease: second as Lease, to: 'completed' }], 0)
    expect(await inbox.get(first.id)).toMatchObject({ state: 'completed', attempts: 2 })
    await store.close()
  })
})
