import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, it } from 'vitest'
import type { PostgresLeases } from '../../../../adapters/inbox/postgres/leases.ts'
import { STATE } from '../../../../adapters/inbox/postgres/schema.ts'
import { RetryAfterError } from '../../../../src/errors.ts'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import type { Settlement } from '../../../../src/inbox/lease-store.ts'
import { describeLeaseStore, type LeasesUnderTest } from '../../../contracts/lease-store-suite.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createAbout, createSigned, nameOf } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString } from './database.ts'
import { useLeases } from './use-leases.ts'

await describeWithService('leases in PostgreSQL', POSTGRES, () => {
  const { schema, query, open, openStore, connect, lease } = useLeases()

  /** Until a statement waits for a lock. */
  async function waitForLock(): Promise<void> {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1`
    await waitFor(async () => (await query(waiting, [`%${schema}%`])).length > 0)
  }

  it('are not ended by the late result of an attempt whose entry was completed, and then replayed', async () => {
    const inbox = open()
    await inbox.put({ ...createSigned(1), subject: null })
    const store = await openStore()
    const first = await lease(store)
    // As a claim does, whose commit the worker does not know of yet.
    await query(`update ${schema}.work set state = ${STATE.completed}, finished_at = now()`)
    await inbox.replay(first.id)
    const second = await lease(store)
    const active = { state: 'active', idempotencyKey: `${first.id}:1` }
    await store.settleAndLease([{ lease: first, to: 'retry', error: 'late', delayMs: 0, crashes: 0 }], 0)
    expect(await inbox.get(first.id)).toMatchObject(active)
    await store.look()
    expect(await store.settleAndLease([], 1)).toEqual([])
    expect(await inbox.get(first.id)).toMatchObject(active)
    expect(await store.nextDueAt()).toBeUndefined()
    await store.settleAndLease([{ lease: second, to: 'dead', error: 'down' }], 0)
    expect(await inbox.get(first.id)).toMatchObject({ state: 'dead', error: 'down' })
    await store.close()
  })

  it('begin though whoever was to wake them was killed', async () => {
    const inbox = open()
    for (const name of ['first', 'second']) await inbox.put(createAbout('payment:1', name))
    const store = await openStore()
    const first = await lease(store)
    const parked = `select id from ${schema}.work where state = ${STATE.parked}`
    const second = await waitFor(async () => {
      expect(await store.settleAndLease([], 1)).toEqual([])
      return (await query(parked))[0]
    })
    const killed = await connect()
    await killed.query('begin')
    await killed.query(`select from ${schema}.work where id = $1 for update`, [second.id])
    const settling = store.settleAndLease([{ lease: first, to: 'completed' }], 0)
    await waitForLock()
    await killed.end()
    await settling
    expect(nameOf(await lease(store))).toBe('second')
    await store.close()
  })

  it('are not taken during a pause, though a heartbeat has waited for the pause', async () => {
    const pool = new pg.Pool({ connectionString, max: 1 })
    const inbox = open({ pool })
    await inbox.put(createSigned(1))
    await query(`insert into ${schema}.worker (id) values (1)`)
    await pool.query('begin')
    await inbox.pause('repair')
    const beat = query(`select from ${schema}.beat(1, true)`)
    await waitForLock()
    await pool.query('commit')
    await beat
    expect(await query(`select is_paused from ${schema}.worker`)).toEqual([{ is_paused: true }])
    await inbox.close()
    await pool.end()
  })

  it('are never shared by two workers, though the schema was dropped or restored meanwhile', async () => {
    const before = await openStore()
    const { workerId } = before
    await query(`drop schema ${schema} cascade`)
    const after = await openStore()
    expect(after.workerId).not.toBe(workerId)
    await before.close()
    await after.close()
  })

  it('abort the signals of a process that was taken for dead, which then goes on', async () => {
    const inbox = open()
    const consumer = createConsumer(({ attempt, signal }) =>
      attempt > 1
        ? undefined
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 1)
    await query(`delete from ${schema}.worker`)
    await settled(inbox, { completed: 1 })
    expect(consumer.deliveries[0]?.signal.reason).toMatchObject({ message: /took this one for dead/ })
    expect(consumer.deliveries[1]?.signal.aborted).toBe(false)
  })

  it('end although the transaction of another one, which failed, is still open', async () => {
    const inbox = open()
    const client = await connect()
    const consumer = createConsumer(async ({ attempt, idempotencyKey }) => {
      if (consumer.deliveries.length > 1) return
      await client.query('begin')
      await inbox.claim((text) => client.query(text))(idempotencyKey)
      throw new Error(`the connection fell silent in attempt ${attempt}`)
    })
    await inbox.start(consumer)
    await inbox.put(createSigned(1))
    await waitFor(() => consumer.deliveries.length === 1)
    await inbox.put(createSigned(2))
    await settled(inbox, { active: 1, completed: 1 })
    await client.query('rollback')
    await settled(inbox, { completed: 2 })
    expect(consumer.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 2])
  })

  it.each([
    ['arrays', [['new']]],
    ['names of its own', [{ Claimed: 'new' }]],
    ['a list of results', [[{ claimed: 'new' }]]],
    ['rows and metadata', [[{ claimed: 'new' }], { rowCount: 1 }]],
    ['one row', { claimed: 'new' }],
  ])('are not completed by a claim whose query resolves to %s', async (_name, result) => {
    const claim = open().claim(async () => result)
    const message = expect.stringMatching(/must resolve to rows/)
    await expect(claim(randomUUID())).rejects.toMatchObject({ name: 'TypeError', message })
  })

  it('store their results once the entry is no longer locked', async () => {
    const inbox = open()
    const store = await openStore()
    const client = await connect()
    for (const id of [1, 2]) await inbox.put(createSigned(id))
    const [first, second] = [await lease(store), await lease(store)]
    await client.query('begin')
    await client.query(`select from ${schema}.work where id = $1 for update`, [first.id])
    const results: Settlement[] = [first, second].map((lease) => ({ lease, to: 'dead', error: lease.id }))
    await store.settleAndLease(results, 1)
    expect(await inbox.counts()).toMatchObject({ active: 1, dead: 1 })
    expect(await store.nextDueAt()).toBeLessThan(Date.now() + 1_000)
    await store.settleAndLease([], 1)
    expect(await inbox.get(first.id)).toMatchObject({ state: 'active' })
    await client.query('rollback')
    await store.look()
    expect(await inbox.get(first.id)).toMatchObject({ state: 'dead', attempts: 1, error: first.id })
    expect(await store.nextDueAt()).toBeUndefined()
    await store.close()
  })

  it('are counted once, however often their entry changes its state', async () => {
    const inbox = open()
    await inbox.put(createSigned('flips'))
    await inbox.start(createConsumer(() => Promise.reject(new RetryAfterError('not yet', { afterMs: 1 }))))
    const found = new Set<number>()
    for (let round = 0; round < 1_500; round++) {
      const counts = await Promise.all([inbox.counts(), inbox.counts(), inbox.counts()])
      for (const { waiting, active } of counts) found.add(waiting + active)
    }
    expect([...found]).toEqual([1])
  })

  it('survive a crash of PostgreSQL, since it commits them to the disk', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    await query(`create table ${schema}.commits (mode text)`)
    await query(`create function ${schema}.note_commit() returns trigger language plpgsql as
      $$ begin insert into ${schema}.commits values (current_setting('synchronous_commit')); return new; end $$`)
    await query(`create trigger note_commit before update on ${schema}.work
      for each row execute function ${schema}.note_commit()`)
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1 })
    const modes = (await query(`select mode from ${schema}.commits`)).map(({ mode }) => mode)
    expect(modes).toEqual(['on', 'on'])
  })

  it('do not scan past a backlog of a busy key, which is parked without its bodies', async () => {
    const inbox = open({ oneAtATime: true, concurrency: 4 })
    await Promise.all(Array.from({ length: 1_200 }, (_, id) => inbox.put(createAbout('payment:1', `${id}`))))
    await Promise.all(
      Array.from({ length: 20 }, (_, id) => inbox.put(createAbout(`payment:1${id}`, `other ${id}`))),
    )
    const gate = Promise.withResolvers<void>()
    await inbox.start(createConsumer(({ subject }) => (subject === 'payment:1' ? gate.promise : undefined)))
    await settled(inbox, { active: 1, completed: 20, waiting: 1_199 })
    const parked = await waitFor(async () => {
      const [row] = await query(`select count(*)::int from ${schema}.work where state = ${STATE.parked}`)
      return Number(row?.count) >= 1_199 ? row?.count : undefined
    })
    expect(parked).toBe(1_199)
    const [oldest] = await inbox.list({ state: 'waiting' })
    await inbox.delete(oldest?.id ?? '')
    gate.resolve()
    await settled(inbox, { completed: 1_219 })
  })

  async function createUnderTest(): Promise<LeasesUnderTest> {
    const { waiting, parked, active, suspect } = STATE
    const forgotten = `select id::text from ${schema}.work parked where state = ${parked} and not exists (
      select from ${schema}.work other where other.key = parked.key and state in (${active}, ${waiting}))`
    const busy = `select key from ${schema}.work where state = ${active} and key is not null
      group by key having count(*) > 1`
    return {
      entries: engineOf(open()),
      openStore,
      presumeDead: (store) =>
        query(`delete from ${schema}.worker where id = ${(store as PostgresLeases).workerId}`),
      makeSuspect: (id) =>
        query(`update ${schema}.work set state = ${suspect}, crashes = 2 where id = $1`, [id]),
      findBroken: async (isOver) => [
        ...(await query(forgotten)),
        ...(await query(busy)),
        ...(isOver ? await query(`select * from ${schema}.busy`) : []),
      ],
      pass() {},
    }
  }

  describeLeaseStore(createUnderTest, { seeds: [1, 2], rounds: 60, atOnce: 3 })
})
