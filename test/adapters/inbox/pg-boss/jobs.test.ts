import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  createPgBossInbox,
  type PgBossInboxOptions,
} from '../../../../adapters/inbox/pg-boss/pg-boss-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { settled } from '../../../contracts/inbox-fixtures.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { createSigned, signedFrom } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

const schema = `payhook_test_${randomUUID().replaceAll('-', '')}`
const connectionString = POSTGRES.href

await describeWithService('jobs of pg-boss', POSTGRES, () => {
  const inboxes: Inbox[] = []
  let boss: PgBoss
  let client: pg.Client

  beforeAll(async () => {
    client = new pg.Client({ connectionString })
    await client.connect()
    boss = new PgBoss({ connectionString, schema, schedule: false, supervise: false, max: 2 })
    boss.on('error', () => {})
    await boss.start()
  })
  afterEach(async () => {
    await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
  })
  afterAll(async () => {
    await boss.stop({ graceful: false })
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })

  function open(queueName: string, options: Partial<PgBossInboxOptions> = {}): Inbox {
    const inbox = createPgBossInbox({ connectionString, schema, queueName, retryDelayMs: 10, ...options })
    inboxes.push(inbox)
    return inbox
  }

  it('become dead, without delaying others, if another program added them', async () => {
    const inbox = open('foreign', { maxAttempts: 1 })
    await inbox.put(createSigned(1))
    const pasts = [5, {}, { attempts: 'x', crashes: null }, { attempts: 0.5, crashes: 0, cutOffs: 0 }]
    const all = [null, {}, { body: 5, receivedAt: 'never' }, ...pasts.map((past) => ({ past }))]
    for (const data of all) await boss.insert('foreign', [{ data: data as object }])
    const consumer = createConsumer(({ rawBody }) => JSON.parse(Buffer.from(rawBody).toString()))
    await inbox.start(consumer)
    await settled(inbox, { completed: 1, dead: all.length })
    expect(await inbox.list({ state: 'dead' })).toHaveLength(all.length)
  })

  it('count their attempts, and start again after a replay', async () => {
    const inbox = open('counted')
    let failing = true
    const consumer = createConsumer(() => {
      if (failing) throw new Error(`attempt ${consumer.deliveries.length}`)
    })
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await waitFor(() => consumer.deliveries.length === 3)
    await inbox.stop()
    const [entry] = await inbox.list({ state: 'waiting' })
    expect(entry).toMatchObject({ attempts: 3, error: expect.stringMatching(/^Error: attempt 3\n/) })
    failing = false
    await inbox.replay(entry?.id ?? '')
    expect(await inbox.get(entry?.id ?? '')).toMatchObject({ attempts: 0, error: null, state: 'waiting' })
    await inbox.start(consumer)
    await settled(inbox, { completed: 1 })
    expect(consumer.deliveries.at(-1)).toMatchObject({ id: entry?.id, attempt: 1 })
  })

  it('are retried together even if their bodies do not fit into one statement', async () => {
    const inbox = open('large', { concurrency: 20 })
    const bodies = Array.from({ length: 12 }, (_, id) => Buffer.alloc(1024 * 1024, `<${id}>`))
    for (const body of bodies) await inbox.put(signedFrom(body))
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(async ({ attempt }) => {
      if (attempt > 1) return
      if (consumer.deliveries.length === bodies.length) gate.resolve()
      await gate.promise
      throw new Error('down')
    })
    await inbox.start(consumer)
    await settled(inbox, { completed: bodies.length })
  })

  it('keep id, attempts and error if stop() cuts them off, also after a replay', async () => {
    const inbox = open('returned', { maxAttempts: 2, stopTimeoutMs: 1 })
    let goesOn = false
    const consumer = createConsumer(({ attempt }) => {
      if (goesOn && attempt === 2) return new Promise(() => {})
      throw new Error('down')
    })
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await settled(inbox, { dead: 1 })
    const [dead] = await inbox.list({ state: 'dead' })
    goesOn = true
    await inbox.replay(dead?.id ?? '')
    await waitFor(() => consumer.deliveries.length === 4)
    await inbox.stop()
    expect(await inbox.list({ state: 'waiting' })).toMatchObject([
      { id: dead?.id, attempts: 1, error: expect.stringMatching(/^Error: down\n/) },
    ])
    goesOn = false
    await inbox.start(consumer)
    await settled(inbox, { dead: 1 })
    expect(await inbox.list({ state: 'dead' })).toMatchObject([{ id: dead?.id, attempts: 2 }])
    expect(consumer.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2, 2])
  })

  it('have the options of the process that started last', async () => {
    for (const keepCompletedSeconds of [100, 200]) {
      await open('options', { keepCompletedSeconds }).start(createConsumer())
      await waitFor(async () => (await boss.getQueue('options'))?.deleteAfterSeconds === keepCompletedSeconds)
    }
    // A process that does not handle notifications leaves them as they are.
    await open('options').put(createSigned(1))
    expect(await boss.getQueue('options')).toMatchObject({ deleteAfterSeconds: 200 })
  })

  it('are deleted after keepCompletedSeconds', async () => {
    const inbox = open('kept', { keepCompletedSeconds: 60 })
    await inbox.put(createSigned(1))
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1 })
    await inbox.stop()
    // As if they were completed, and the last deletion was, long ago.
    await client.query(
      `update ${schema}.job set completed_on = now() - interval '1 hour' where name = 'kept'`,
    )
    await client.query(`update ${schema}.queue set maintain_on = null where name = 'kept'`)
    await inbox.start(createConsumer())
    await settled(inbox, {})
  })

  it('are pruned in batches', async () => {
    const inbox = open('pruned', { concurrency: 100 })
    await Promise.all(Array.from({ length: 2_300 }, (_, id) => inbox.put(createSigned(`pruned ${id}`))))
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 2_300 })
    await inbox.stop()
    await inbox.put(createSigned('kept'))
    expect(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(2_300)
    expect(await inbox.counts()).toEqual({ waiting: 1, active: 0, completed: 0, dead: 0 })
  })

  it('leave no rows behind when dead entries are pruned', async () => {
    const inbox = open('buried', { maxAttempts: 1 })
    await inbox.put(createSigned(1))
    await inbox.start(createConsumer(() => Promise.reject(new Error('down'))))
    await settled(inbox, { dead: 1 })
    expect(await inbox.prune({ olderThan: new Date(Date.now() + 60_000), state: 'dead' })).toBe(1)
    const { rows } = await client.query(`select 1 from ${schema}.job where name like 'buried%'`)
    expect(rows).toEqual([])
  })

  it('are rejected if the table has an unknown shape', async () => {
    const other = `payhook_test_${randomUUID().slice(0, 8)}`
    const first = open('strange', { schema: other })
    await first.put(createSigned(1))
    try {
      await client.query(`alter table ${other}.job rename column heartbeat_on to seen_on`)
      const inbox = open('strange', { schema: other })
      const rejected = { code: 'inbox_too_new', message: expect.stringContaining('supports pg-boss 12.35') }
      await expect(inbox.put(createSigned(2))).rejects.toMatchObject(rejected)
      await expect(inbox.list({ state: 'waiting' })).rejects.toMatchObject(rejected)
    } finally {
      await client.query(`drop schema ${other} cascade`)
    }
  })

  it('do not keep a script alive that does not close its inbox', async () => {
    const script = `
      import { createPgBossInbox } from '${new URL('../../../../adapters/inbox/pg-boss/pg-boss-inbox.ts', import.meta.url)}'
      const inbox = createPgBossInbox(${JSON.stringify({ connectionString, schema, queueName: 'script' })})
      console.log(await inbox.counts())`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stdout).toContain('waiting: 0')
  })
})
