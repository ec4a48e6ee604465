import { afterEach, expect, it } from 'vitest'
import { PgBossConnection } from '../../../../adapters/inbox/pg-boss/connection.ts'
import { PgBossLeases } from '../../../../adapters/inbox/pg-boss/leases.ts'
import { INBOX_OPTIONS } from '../../../../src/inbox/inbox-options.ts'
import type { Lease, LeaseStore } from '../../../../src/inbox/lease-store.ts'
import { checkOptions } from '../../../../src/option-checks.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

await describeWithService('leases of pg-boss', POSTGRES, () => {
  const { schema, query, open } = useDatabase()
  const connections: PgBossConnection[] = []

  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })

  /** The lease store of a worker. */
  async function openStore(queue: string): Promise<LeaseStore> {
    const location = { schema, queue, deadQueue: `${queue}_dead`, create: true }
    const options = checkOptions('test', {}, INBOX_OPTIONS)
    const connection = new PgBossConnection(connectionString, location, options)
    connections.push(connection)
    const store = new PgBossLeases(connection, options)
    await store.open()
    return store
  }

  async function lease(store: LeaseStore): Promise<Lease> {
    return await waitFor(async () => (await store.settleAndLease([], 1))[0])
  }

  /** As if the worker that holds the jobs had been frozen a minute ago. */
  async function freeze(store: LeaseStore, queue: string): Promise<void> {
    await store.close()
    await query(`update ${schema}.job set heartbeat_on = now() - interval '1 minute' where name = $1`, [
      queue,
    ])
  }

  it('end only with the result that was given under them', async () => {
    const queue = 'fenced'
    const inbox = open({ queueName: queue })
    await inbox.put(createSigned(1))
    const [frozen, live] = await Promise.all([openStore(queue), openStore(queue)])
    const stale = await lease(frozen)
    await freeze(frozen, queue)
    const endLate = async () => {
      await frozen.settleAndLease([{ lease: stale, to: 'completed' }], 0)
      await frozen.settleAndLease([{ lease: stale, to: 'dead', error: 'late' }], 0)
      await frozen.settleAndLease([{ lease: stale, to: 'retry', error: 'late', dueAt: 0, crashes: 0 }], 0)
      await frozen.settleAndLease([{ lease: stale, to: 'return', cutOffs: 1 }], 0)
    }
    const get = async () => await inbox.get(stale.id)

    const recovered = await waitFor(async () => (await live.recover())[0])
    await live.settleAndLease([{ lease: recovered, to: 'retry', error: 'ended', dueAt: 0, crashes: 1 }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'waiting', attempts: 1, error: 'ended' })
    const second = await lease(live)
    await endLate()
    expect(await get()).toMatchObject({ state: 'active', attempts: 2, error: 'ended' })
    await live.settleAndLease([{ lease: second, to: 'completed' }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'completed', attempts: 2 })

    await inbox.replay(stale.id)
    const replayed = await lease(live)
    await endLate()
    expect(await get()).toMatchObject({ state: 'active', attempts: 1, error: null })
    await live.settleAndLease([{ lease: replayed, to: 'dead', error: 'down' }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'dead', attempts: 1, error: 'down' })
    await live.close()
  })

  it('survive a crash of PostgreSQL, since it commits them to the disk', async () => {
    const inbox = open({ queueName: 'durable' })
    await inbox.put(createSigned(1))
    await query(`create table ${schema}.commits (mode text)`)
    await query(`create function ${schema}.note_commit() returns trigger language plpgsql as
      $$ begin insert into ${schema}.commits values (current_setting('synchronous_commit')); return new; end $$`)
    await query(`create trigger note_commit before update on ${schema}.job_common
      for each row execute function ${schema}.note_commit()`)
    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.counts()).completed === 1)
    const modes = (await query(`select mode from ${schema}.commits`)).map(({ mode }) => mode)
    expect(modes).toEqual(['on', 'on'])
  })

  it('pass over retries that wait long, and find them when they are due', async () => {
    const queue = 'delayed'
    const inbox = open({ queueName: queue, retryDelayMs: 3_600_000 })
    let failing = true
    const consumer = createConsumer(() => {
      if (failing) throw new Error('down')
    })
    for (const id of [1, 2]) await inbox.put(createSigned(id))
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.counts()).waiting === 2 && consumer.deliveries.length === 2)
    failing = false
    const waiting = await query(`select priority, start_after from ${schema}.job where name = $1`, [queue])
    for (const { priority } of waiting) expect(priority).toBeLessThan(-200_000_000)
    await inbox.put(createSigned(3))
    await waitFor(() => consumer.deliveries.length === 3)
    // As if the first had been due an hour ago.
    await query(
      `update ${schema}.job set priority = priority + 7200, start_after = start_after - interval '2 hours'
       where name = $1 and data->>'signature' = $2`,
      [queue, createSigned(1).signature],
    )
    await waitFor(async () => (await inbox.counts()).completed === 2)
    expect(consumer.attemptsOf(createSigned(1).signature)).toEqual([1, 2])
    expect(await inbox.counts()).toMatchObject({ waiting: 1 })
  })
})
