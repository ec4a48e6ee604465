import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { expect, it } from 'vitest'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import { createEntry } from '../../../contracts/create-entry.ts'
import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'
import { pgBoss } from './under-test.ts'

const MANY = 20_000

await describeWithService('pg-boss', POSTGRES, () => describeInbox(pgBoss, [INBOX_THEMES.health]))

await describeWithService('health of pg-boss', POSTGRES, () => {
  const { schema, query, open } = useDatabase()

  /** How many pages of 8 kB a query reads, once PostgreSQL no longer reads its catalog to plan it. */
  async function pagesOf(text: string): Promise<number> {
    let least = Infinity
    for (let call = 1; call <= 12; call++) {
      const plan = JSON.stringify(await query(`explain (analyze, buffers, format json) ${text}`))
      const [, hit, read] = /"Shared Hit Blocks":(\d+),"Shared Read Blocks":(\d+)/.exec(plan) ?? []
      least = Math.min(least, Number(hit) + Number(read))
    }
    return least
  }

  it('reads neither completed entries nor whole tables, nor does an idle worker', async () => {
    const queueName = 'kept'
    await open({ queueName }).put(createSigned(1))
    await query(
      `insert into ${schema}.job (name, id, state, group_id, completed_on)
       select name, gen_random_uuid(), 'completed', 'payment:' || n, now()
       from ${schema}.job, generate_series(1, ${MANY}) n where name = $1`,
      [queueName],
    )
    await query(
      `insert into ${schema}.payhook_recent_delivery
       select '${queueName}', decode(md5(n::text), 'hex'), now() from generate_series(1, ${MANY}) n`,
    )
    const health = `select * from ${schema}.payhook_health('${queueName}', '${queueName}_dead')`
    expect(await pagesOf(health)).toBeLessThan(30)
    const look = `select * from ${schema}.payhook_look('${queueName}', -200000000, '{}', interval '12s')`
    expect(await pagesOf(look)).toBeLessThan(30)
    expect(await pagesOf(`select count(*) from ${schema}.job`)).toBeGreaterThan(200)
  })

  it('does not stay behind in PostgreSQL while the table is locked', async () => {
    const inbox = open({ queueName: 'locked' })
    expect((await inbox.health()).status).toBe('pass')
    const locking = new pg.Client({ connectionString })
    await locking.connect()
    await locking.query(`begin; lock table ${schema}.job_common in access exclusive mode`)
    expect((await inbox.health()).status).toBe('fail')
    const waiting = `select 1 from pg_stat_activity where query like '%${schema}.payhook_health%'
      and pid <> pg_backend_pid() and state = 'active'`
    await waitFor(async () => (await query(waiting)).length === 0)
    await locking.query('rollback')
    await locking.end()
    expect((await inbox.health()).status).toBe('pass')
  })

  it('passes soon after the server is back, even if it lost its connections', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const through = new URL(connectionString)
    through.host = `127.0.0.1:${proxy.port}`
    const inbox = open({ connectionString: through.href })
    const passes = async () => (await inbox.health()).status === 'pass'
    await passes()
    // Leaves one connection in the pool.
    await proxy.cut()
    await proxy.mend()
    await waitFor(passes)
    proxy.silence()
    expect((await inbox.health()).status).toBe('fail')
    // A query gives up on its connection after 30 seconds.
    await waitFor(passes, 15_000)
    await inbox.close()
    await proxy.close()
  })

  it("is known without create, and with the user's PgBoss", async () => {
    const queueName = 'existing'
    await open({ queueName }).put(createSigned(1))
    const { lastStoredAt } = await open({ queueName }).health()
    expect(await open({ queueName, create: false }).health()).toMatchObject({
      status: 'pass',
      waiting: { count: 1 },
      lastStoredAt,
    })
    expect((await open({ queueName: 'mistyped', create: false }).health()).status).toBe('fail')
    const boss = new PgBoss({ connectionString, schema, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    expect(await open({ queueName, boss }).health()).toMatchObject({ waiting: { count: 1 }, lastStoredAt })
    await boss.stop({ graceful: false })
  })

  it('does not take what came from another inbox as newly stored', async () => {
    const inbox = open()
    const entries = [createEntry('1', 'waiting', createSigned(1))]
    await engineOf(inbox).import(entries)
    expect(await inbox.health()).toMatchObject({ waiting: { count: 1 }, lastStoredAt: null })
  })

  it.each([0, 1])('keeps only the last of the times, with dedupeSeconds: %d', async (dedupeSeconds) => {
    const queueName = `times-${dedupeSeconds}`
    const inbox = open({ queueName, dedupeSeconds })
    let puts = 0
    await waitFor(async () => {
      await inbox.put(createSigned(`${queueName} ${++puts}`))
      const times = await query(`select 1 from ${schema}.payhook_last_stored where queue = '${queueName}'`)
      return times.length < puts
    })
    await inbox.close()
    const before = Date.now() - 60_000
    expect((await open({ queueName }).health()).lastStoredAt?.getTime()).toBeGreaterThan(before)
  })

  it('is read while an idle worker begins no transaction', async () => {
    const boss = new PgBoss({ connectionString, schema, schedule: false, supervise: false })
    boss.on('error', () => {})
    await boss.start()
    const db = boss.getDb() as Required<ReturnType<PgBoss['getDb']>>
    const [begin, run] = [db.beginTransaction.bind(db), db.executeSql.bind(db)]
    const statements: string[] = []
    db.beginTransaction = () => {
      statements.push('begin')
      return begin()
    }
    db.executeSql = (text, values) => {
      statements.push(text)
      return run(text, values)
    }
    const inbox = open({ boss })
    await inbox.start(createConsumer())
    // The first look is followed by a fetch.
    await waitFor(() => statements.filter((text) => text.includes('payhook_look')).length > 1)
    const idle = statements.length
    await waitFor(() => statements.length >= idle + 4)
    expect((await inbox.health()).status).toBe('pass')
    const others = statements.slice(idle).filter((text) => !/payhook_(look|health)/.test(text))
    expect(others).toEqual([])
    await inbox.close()
    await boss.stop({ graceful: false })
  })
})
