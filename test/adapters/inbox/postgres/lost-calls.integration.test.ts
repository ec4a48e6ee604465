import pg from 'pg'
import { expect, it } from 'vitest'
import { sessionLock } from '../../../../adapters/inbox/postgres/functions.ts'
import { STATE } from '../../../../adapters/inbox/postgres/schema.ts'
import type { Lease } from '../../../../src/inbox/lease-store.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createAbout, createSigned, nameOf } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString } from './database.ts'
import { useLeases } from './use-leases.ts'

await describeWithService('a worker of PostgreSQL', POSTGRES, () => {
  const { schema, query, open, openStore, connect, lease, claim, loseCall } = useLeases()

  it('listens though a session that it lost still holds its lock', async () => {
    const pool = new pg.Pool({ connectionString, max: 1 })
    const inbox = open({ pool })
    await inbox.put(createSigned(1))
    const [own] = (await pool.query('select pg_backend_pid() as pid')).rows
    const lost = await connect()
    await query(`alter table ${schema}.worker alter column id set default 1`)
    await lost.query(`select pg_advisory_lock_shared(${sessionLock(`"${schema}"`, '1')})`)
    await inbox.start(createConsumer())
    // A session beats once it listens.
    await waitFor(async () => {
      const text = 'select 1 from pg_stat_activity where pid <> $1 and position($2 in query) > 0'
      return (await query(text, [own.pid, `"${schema}".beat(`])).length > 0
    })
    await settled(inbox, { completed: 1 })
    await inbox.close()
    await pool.end()
  })

  it('has the lock of its session though another worker looks at it just then', async () => {
    const inbox = open()
    await inbox.counts()
    await query(`alter table ${schema}.worker alter column id set default 1`)
    const lock = sessionLock(`"${schema}"`, '1')
    const other = await connect()
    // As `beat` and `recover` do.
    await other.query(`begin; select pg_try_advisory_xact_lock(${lock})`)
    await inbox.start(createConsumer())
    const asked = `select 1 from pg_stat_activity where position($1 in query) > 0
      and (position('.beat(' in query) > 0 or wait_event_type = 'Lock')`
    await waitFor(async () => (await query(asked, [`"${schema}"`])).length > 0)
    await other.query('commit')
    const held = `select 1 from pg_locks where locktype = 'advisory' and granted
      and (classid::bigint << 32) + objid::bigint = ${lock}`
    expect(await query(held)).toHaveLength(1)
  })

  it('wakes nothing while the entry of a result is locked, and asks ever less often', async () => {
    const inbox = open()
    const store = await openStore()
    for (const name of ['first', 'second']) await inbox.put(createAbout('payment:1', name))
    const first = await lease(store)
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
    for (let call = 0; call < 5; call++) await store.settleAndLease([], 1)
    const asked = Date.now()
    await store.settleAndLease([], 1)
    expect(await store.nextDueAt()).toBeGreaterThanOrEqual(asked + 1_000)
    expect(await parked()).toEqual(before)
    await client.query('rollback')
    await store.look()
    expect((await inbox.get(first.id))?.state).toBe('completed')
    await lease(store)
    await store.close()
  })

  it('returns what a lost response gave it, without an attempt, while others are completed and not settled', async () => {
    const inbox = open()
    const store = await openStore()
    for (const name of ['claimed', 'lost']) await inbox.put(createAbout(`payment:${name}`, name))
    const claimed = await lease(store)
    await claim(store, claimed)
    await loseCall(store, (ask) => ask(), [], 1)
    expect(await inbox.list({ state: 'active' })).toHaveLength(1)
    const returned = await lease(store)
    expect([nameOf(returned), returned.attempt]).toEqual(['lost', 1])
    await store.settleAndLease([{ lease: claimed, to: 'completed' }], 0)
    await store.close()
  })

  it('does not end an attempt with the result of the one before, which came late', async () => {
    const inbox = open()
    const store = await openStore()
    await inbox.put(createSigned(1))
    const first = await lease(store)
    const retry = { lease: first, to: 'retry', error: 'down', delayMs: 0, crashes: 0 } as const
    let late = async (): Promise<unknown> => undefined
    const keep = async (ask: typeof late) => {
      late = ask
    }
    await loseCall(store, keep, [retry], 0)
    const [second] = (await store.settleAndLease([retry], 1)) as [Lease]
    expect(second).toMatchObject({ attempt: 2 })
    await late()
    expect(await inbox.get(first.id)).toMatchObject({ state: 'active', attempts: 2 })
    await store.settleAndLease([{ lease: second, to: 'completed' }], 0)
    expect(await inbox.get(first.id)).toMatchObject({ state: 'completed', attempts: 2 })
    await store.close()
  })
})
