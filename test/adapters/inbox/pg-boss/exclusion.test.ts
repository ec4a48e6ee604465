import { afterEach, expect, it } from 'vitest'
import { PgBossConnection } from '../../../../adapters/inbox/pg-boss/connection.ts'
import { PgBossLeases } from '../../../../adapters/inbox/pg-boss/leases.ts'
import { PARKED_PRIORITIES } from '../../../../adapters/inbox/pg-boss/priorities.ts'
import { JobTable } from '../../../../adapters/inbox/pg-boss/table.ts'
import { INBOX_OPTIONS } from '../../../../src/inbox/inbox-options.ts'
import type { Lease, LeaseStore } from '../../../../src/inbox/lease-store.ts'
import { checkOptions } from '../../../../src/option-checks.ts'
import { settled } from '../../../contracts/inbox-fixtures.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { createAbout, nameOf } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

await describeWithService('one at a time in pg-boss', POSTGRES, () => {
  const { schema, query, open } = useDatabase()
  const connections: PgBossConnection[] = []

  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })

  function queuesOf(queue: string) {
    return { schema, queue, deadQueue: `${queue}_dead`, create: true }
  }

  async function connect(queue: string): Promise<{ connection: PgBossConnection; store: LeaseStore }> {
    const options = checkOptions('test', { oneAtATime: true }, INBOX_OPTIONS)
    const connection = new PgBossConnection(connectionString, queuesOf(queue), options)
    connections.push(connection)
    const store = new PgBossLeases(connection, options)
    await store.open()
    return { connection, store }
  }

  async function countParked(queue: string): Promise<number> {
    const rows = await query(
      `select id from ${schema}.job where name = $1 and state = 'created' and priority between $2 and $3`,
      [queue, PARKED_PRIORITIES.from, PARKED_PRIORITIES.to],
    )
    return rows.length
  }

  it('holds if several workers lease at the same moment', async () => {
    const queue = 'strict'
    const inbox = open({ queueName: queue, oneAtATime: true })
    const total = 240
    const puts = Array.from({ length: total }, (_, id) =>
      inbox.put(createAbout(`payment:${id % 6}`, `${id}`)),
    )
    await Promise.all(puts)
    const held = new Set<string | null>()
    const overlaps: Lease[] = []
    let completed = 0

    async function work(): Promise<void> {
      const { store } = await connect(queue)
      for (let leases: Lease[] = []; completed < total; ) {
        // As another worker may lease as soon as the transaction has ended.
        for (const { subject } of leases) held.delete(subject)
        const ended = leases.map((lease) => ({ lease, to: 'completed' as const }))
        leases = await store.settleAndLease(ended, 5)
        completed += ended.length
        for (const lease of leases) {
          if (held.has(lease.subject)) overlaps.push(lease)
          held.add(lease.subject)
        }
      }
      await store.close()
    }

    await Promise.all(Array.from({ length: 4 }, work))
    expect(overlaps).toEqual([])
    await settled(inbox, { completed: total })
  })

  it('goes on after the active job was cancelled with tools of pg-boss', async () => {
    const queue = 'cancelled'
    const inbox = open({ queueName: queue, oneAtATime: true })
    for (const id of [1, 2, 3]) await inbox.put(createAbout('payment:1', `${id}`))
    const { connection, store } = await connect(queue)
    const [first] = await store.settleAndLease([], 10)
    expect(await countParked(queue)).toBe(2)
    const boss = (await connection.ready()) as Awaited<ReturnType<typeof connection.ready>> & {
      cancel(queue: string, id: string): Promise<unknown>
    }
    await boss.cancel(queue, first?.id ?? '')
    expect(await store.settleAndLease([], 10)).toEqual([])
    const [second] = await waitFor(async () => {
      await store.recover()
      const leases = await store.settleAndLease([], 10)
      return leases.length === 1 ? leases : undefined
    })
    expect(second && nameOf(second)).toBe('2')
    expect(await countParked(queue)).toBe(1)
    await store.close()
  })

  it('parks a backlog, so that a fetch does not pass it', async () => {
    const queue = 'backlog'
    const inbox = open({ queueName: queue, oneAtATime: true, concurrency: 4 })
    const hot = Array.from({ length: 200 }, (_, id) => inbox.put(createAbout('payment:1', `${id}`)))
    const others = Array.from({ length: 20 }, (_, id) =>
      inbox.put(createAbout(`payment:1${id}`, `other ${id}`)),
    )
    await Promise.all([...hot, ...others])
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(({ subject }) => (subject === 'payment:1' ? gate.promise : undefined))
    await inbox.start(consumer)
    await settled(inbox, { active: 1, completed: 20, waiting: 199 })
    expect(await countParked(queue)).toBe(199)
    const [oldest] = await inbox.list({ state: 'waiting' })
    await inbox.delete(oldest?.id ?? '')
    gate.resolve()
    await settled(inbox, { completed: 219 })
  })

  it('handles what is parked after it was turned off', async () => {
    const inbox = open({ queueName: 'mixed', oneAtATime: false })
    for (const id of [1, 2]) await inbox.put(createAbout('payment:1', `${id}`))
    const { store } = await connect('mixed')
    expect(await store.settleAndLease([], 10)).toHaveLength(1)
    await inbox.start(createConsumer())
    expect(await countParked('mixed')).toBe(1)
    await store.close()
    await query(`update ${schema}.job set heartbeat_on = now() - interval '1 minute' where name = 'mixed'`)
    await settled(inbox, { completed: 2 })
  })

  it('finds the entries about a subject by its own index', async () => {
    const queue = 'found'
    const inbox = open({ queueName: queue, oneAtATime: true })
    await inbox.put(createAbout('payment:1', '1'))
    await query(
      `insert into ${schema}.job (name, id, state, group_id, completed_on)
       select name, gen_random_uuid(), 'completed', 'payment:' || n % 5000, now()
       from ${schema}.job, generate_series(2, 50000) n where name = $1`,
      [queue],
    )
    await query(`analyze ${schema}.job_common`)
    const table = new JobTable(queuesOf(queue))
    const explain = {
      executeSql: async (text: string, values?: unknown[]) => ({
        rows: await query(`explain ${text}`, values),
      }),
    }
    for (const state of [undefined, 'completed', 'waiting', 'dead', 'active'] as const) {
      const first = '00000000-0000-0000-0000-000000000000'
      const plan = JSON.stringify(await table.pageAbout(explain, 'payment:1', state, first, 100))
      expect(plan).not.toContain('Seq Scan')
      if (state === undefined || state === 'completed') expect(plan).toContain('job_common_left_id_idx')
    }
    expect(await inbox.list({ subject: 'payment:1' })).toHaveLength(10)
  })
})
