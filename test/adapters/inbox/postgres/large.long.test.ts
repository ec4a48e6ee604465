import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, it } from 'vitest'
import { Database } from '../../../../adapters/inbox/postgres/database.ts'
import { PostgresLeases } from '../../../../adapters/inbox/postgres/leases.ts'
import { STATE } from '../../../../adapters/inbox/postgres/schema.ts'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import type { Lease } from '../../../../src/inbox/lease-store.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createAbout, createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

await describeWithService('a large inbox in PostgreSQL', POSTGRES, () => {
  const { schema, query, open } = useDatabase(true)
  const LATER = new Date(Date.now() + 60_000)

  /** Entries of many subjects, in each state, which nobody can take: their time comes in an hour. */
  async function fill(total: number, states: readonly number[]): Promise<void> {
    const id = `('00000000-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid`
    await query(
      `insert into ${schema}.notification (id, received_at, signature, client_id, subject, body)
       select ${id}, g, sha256(g::text::bytea), 'a', 'payment:' || g % 1000, '{}' from generate_series(1, $1::int) g`,
      [total],
    )
    await query(
      `insert into ${schema}.work (id, state, key, due_at, worker, finished_at)
       select ${id}, ($2::int[])[1 + g % cardinality($2::int[])], 'payment:' || g, now() + interval '1 hour', 0,
         now() - g * interval '1 second' from generate_series(1, $1::int) g`,
      [total, states],
    )
    await query(
      `insert into ${schema}.recent select sha256(g::text::bytea), now() - g * interval '1 second', now()
       from generate_series(1, $1::int) g`,
      [total],
    )
  }

  /** How many rows were read without an index. */
  async function scanned(): Promise<Record<string, unknown>[]> {
    // What a connection did is counted at the latest when it ends.
    await waitFor(async () => {
      const text = `select 1 from pg_stat_activity where query like '%"${schema}"%' and pid <> pg_backend_pid()`
      return (await query(text)).length === 0
    })
    return await query(
      `select relname as name, seq_tup_read::int as rows from pg_stat_user_tables
       where schemaname = $1 and relname in ('notification', 'work', 'recent', 'busy') order by relname`,
      [schema],
    )
  }

  it.each([true, false])('is only read by index, with current statistics: %s', async (isAnalyzed) => {
    const first = open()
    await first.counts()
    const { completed, dead, waiting, suspect } = STATE
    await fill(20_000, [...Array(20).fill(completed), dead, waiting, waiting, waiting, suspect])
    if (isAnalyzed)
      for (const table of ['notification', 'work', 'recent']) await query(`analyze ${schema}.${table}`)
    await first.close()
    const before = await scanned()

    const inbox = open({ oneAtATime: true, keepCompletedSeconds: 3_600 })
    for (const state of ['waiting', 'active', 'dead', 'completed'] as const) {
      const [entry] = await inbox.list({ state, limit: 5 })
      await inbox.list({ state, limit: 5, after: entry?.id ?? '00000000-0000-7000-8000-000000000000' })
      await inbox.list({ state, subject: 'payment:1', limit: 5 })
    }
    const [about] = await inbox.list({ subject: 'payment:2', limit: 5 })
    await inbox.get(about?.id ?? '')
    await Promise.all([inbox.counts(), inbox.health()])
    const [dying] = await inbox.list({ state: 'dead', limit: 1 })
    await inbox.replay(dying?.id ?? '')
    await engineOf(inbox).restart('dead', [{ id: String(dying?.id), dueAt: undefined }], 1)
    await inbox.delete(about?.id ?? '')
    await inbox.put(createSigned(1))
    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 2)
    await inbox.stop()
    expect(await inbox.prune({ state: 'completed', olderThan: LATER })).toBeGreaterThan(1_000)
    await inbox.close()
    expect(await scanned()).toEqual(before)
  })

  it.each(['current', 'missing', 'from when nothing was active'])(
    'is not read to take over and settle leases, with statistics that are %s',
    async (statistics) => {
      const inbox = open()
      await inbox.counts()
      await fill(20_000, [...Array(39).fill(STATE.completed), STATE.waiting])
      if (statistics.startsWith('from')) await query(`analyze ${schema}.work`)
      await query(`update ${schema}.work set state = ${STATE.active} where state = ${STATE.waiting}`)
      if (statistics === 'current') await query(`analyze ${schema}.work`)
      const explained = new URL(connectionString)
      const settings = {
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': 0,
        'auto_explain.log_nested_statements': 'on',
        'auto_explain.log_analyze': 'on',
        client_min_messages: 'log',
      }
      const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
      explained.searchParams.set('options', options.join(' '))
      const pool = new pg.Pool({ connectionString: explained.href })
      const plans: string[] = []
      pool.on('connect', (client) => client.on('notice', ({ message }) => void plans.push(String(message))))
      const database = new Database({ pool, schema, create: false, max: 1 })
      const store = new PostgresLeases(database, true, () => {})
      await store.open()
      const leases: Lease[] = []
      for (let some = await store.recover(); some.length > 0; some = await store.recover())
        leases.push(...some)
      expect(leases).toHaveLength(500)
      await store.settleAndLease(
        leases.map((lease) => ({ lease, to: 'completed' })),
        1,
      )
      await store.close()
      await pool.end()
      expect(await inbox.counts()).toMatchObject({ active: 0 })
      expect(plans.join('\n')).toContain('work_active')
      // No step reads more rows than there are results, and none of them for each result.
      expect(plans.filter((plan) => /actual time=\S+ rows=\d{4}|Removed by.*: \d{3}/.test(plan))).toEqual([])
    },
  )

  it('is not searched for suspects of the same key by each take', async () => {
    const inbox = open({ oneAtATime: true })
    await inbox.counts()
    await fill(5_000, [STATE.suspect])
    await query(`update ${schema}.work set due_at = now()`)
    await Promise.all(Array.from({ length: 20 }, (_, id) => inbox.put(createAbout(`key ${id}`, `${id}`))))
    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length >= 20)
    await inbox.close()
    await scanned()
    const text = `select sum(idx_tup_read)::int as rows from pg_stat_user_indexes
      where schemaname = $1 and indexrelname like 'work_suspect%'`
    expect((await query(text, [schema]))[0]?.rows).toBeLessThan(5_000)
  })

  it('counts completed entries up to 10,000, and estimates more', async () => {
    const inbox = open()
    await inbox.counts()
    await fill(12_000, [STATE.completed])
    await query(`analyze ${schema}.work`)
    const { completed } = await inbox.counts()
    expect(completed).toBeGreaterThan(10_000)
    expect(completed).toBeLessThan(15_000)
    await query(`delete from ${schema}.work where id in (select id from ${schema}.work limit 2000)`)
    expect(await inbox.counts()).toEqual({ waiting: 0, active: 0, dead: 0, completed: 10_000 })
  })

  it('reads no large bodies that wait for a busy key', async () => {
    const storing = open()
    const [number, size] = [40, 512 * 1024]
    for (let id = 0; id < number; id++)
      await storing.put({ ...createAbout('payment:1', `${id}`), rawBody: randomBytes(size) })
    await storing.close()
    const read = async () => {
      await scanned()
      const [row] = await query(
        `select (toast_blks_hit + toast_blks_read)::int as blocks from pg_statio_user_tables
         where schemaname = $1 and relname = 'notification'`,
        [schema],
      )
      return Number(row?.blocks)
    }
    const before = await read()

    const inbox = open({ oneAtATime: true, concurrency: 4, stopTimeoutMs: 1 })
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(({ subject }) => (subject === 'payment:1' ? gate.promise : undefined))
    await inbox.start(consumer)
    for (let id = 0; id < 10; id++) await inbox.put(createAbout(`payment:2${id}`, `other ${id}`))
    await settled(inbox, { active: 1, completed: 10, waiting: number - 1 })
    await inbox.stop()
    await inbox.close()
    gate.resolve()
    const [{ bytes = 0 } = {}] = await query(`select current_setting('block_size')::int as bytes`)
    // One was handled. Each of its pieces is found by an index.
    expect((await read()) - before).toBeLessThan((10 * size) / Number(bytes))
  })
})
