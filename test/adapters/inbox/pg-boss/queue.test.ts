import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createPgBossInbox,
  type PgBossInboxOptions,
} from '../../../../adapters/inbox/pg-boss/pg-boss-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

const schema = `payhook_test_${randomUUID().replaceAll('-', '')}`
const connectionString = POSTGRES.href

describe('options of the pg-boss inbox', () => {
  it.each([
    [{}, /exactly one of "connectionString" and "boss"/],
    [{ connectionString, boss: new PgBoss(connectionString) }, /exactly one/],
    [{ connectionString: '' }, /"connectionString"/],
    [{ boss: {} }, /"boss"/],
    [{ connectionString, schema: 'a; drop' }, /"schema"/],
    [{ connectionString, queueName: "it's" }, /"queueName"/],
    [{ connectionString, queueName: 'a_dead' }, /must not end in "_dead"/],
    [{ connectionString, queue: 'x' }, /"queue" is not an option/],
    [{ connectionString, maxAttempts: 0 }, /"maxAttempts"/],
    [
      { boss: new PgBoss({ db: { executeSql: async () => ({ rows: [] }) } }) },
      /whose "db" has beginTransaction/,
    ],
  ])('reject %o', (options, message) => {
    const create = () => createPgBossInbox(options as PgBossInboxOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

await describeWithService('pg-boss in particular', POSTGRES, () => {
  const inboxes: Inbox[] = []
  let client: pg.Client

  beforeAll(async () => {
    client = new pg.Client({ connectionString })
    await client.connect()
  })
  afterEach(async () => {
    await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
  })
  afterAll(async () => {
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })

  function open(options: Partial<PgBossInboxOptions> = {}): Inbox {
    const own = options.boss === undefined ? { connectionString } : {}
    const inbox = createPgBossInbox({ ...own, schema, queueName: `q-${randomUUID()}`, ...options })
    inboxes.push(inbox)
    return inbox
  }

  it('stores concurrent puts in few transactions', async () => {
    const inbox = open()
    await inbox.put(createSigned(0))
    const ids = new Set(
      await Promise.all(
        Array.from({ length: 1_200 }, async (_, index) => inbox.put(createSigned(`batch ${index}`))),
      ),
    )
    expect(ids).toEqual(new Set(['stored']))
    const { rows } = await client.query(
      `select count(distinct created_on)::int as transactions from ${schema}.job where data->>'signature' = any($1)`,
      [Array.from({ length: 1_200 }, (_, index) => createSigned(`batch ${index}`).signature)],
    )
    expect(rows[0].transactions).toBeLessThanOrEqual(6)
  })

  it('stores nothing of a transaction that timed out', async () => {
    const inbox = open({ queueName: 'given-up' })
    await inbox.put(createSigned('known'))
    await client.query('begin')
    await client.query(
      `insert into ${schema}.payhook_recent_delivery values ('given-up', decode($1, 'hex'), now())`,
      [createSigned('locked').signature],
    )
    const puts = ['locked', 'a', 'b', 'c'].map((id) => inbox.put(createSigned(id)))
    const given = await Promise.allSettled(puts)
    expect(given.map(({ status }) => status)).toContain('rejected')
    await client.query('rollback')
    const stored = given.filter((put) => put.status === 'fulfilled').length
    for (const [index, id] of ['locked', 'a', 'b', 'c'].entries()) {
      const again = await waitFor(() => inbox.put(createSigned(id)).catch(() => undefined))
      expect(again).toBe(given[index]?.status === 'fulfilled' ? 'duplicate' : 'stored')
    }
    expect(stored).toBeLessThan(4)
    expect((await inbox.counts()).waiting).toBe(5)
  })

  it('does not remember a delivery that pg-boss did not store', async () => {
    const boss = new PgBoss({ connectionString, schema, schedule: false, max: 3 })
    boss.on('error', () => {})
    await boss.start()
    let failures = 5
    const insert = async (...args: Parameters<PgBoss['insert']>) => {
      if (failures-- > 0) throw new Error('no room')
      return await boss.insert(...args)
    }
    const failing = new Proxy(boss, {
      get(target, name) {
        if (name === 'insert') return insert
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const inbox = open({ boss: failing, queueName: 'failing' })
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ cause: { message: 'no room' } })
    }
    expect(await inbox.put(createSigned(1))).toBe('stored')
    expect(await inbox.counts()).toMatchObject({ waiting: 1 })
    await inbox.close()
    await boss.stop({ graceful: false })
  })

  it('rejects a put if its queue was deleted, then creates the queue again', async () => {
    const inbox = open({ queueName: 'deleted' })
    await inbox.put(createSigned(1))
    const boss = new PgBoss({ connectionString, schema, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    await boss.deleteQueue('deleted')
    await boss.stop({ graceful: false })
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    expect(await inbox.put(createSigned(2))).toBe('stored')
  })

  it('stores all pending puts on close()', async () => {
    const inbox = open({ queueName: 'closing' })
    await inbox.put(createSigned(0))
    const puts = Array.from({ length: 100 }, (_, id) => inbox.put(createSigned(id + 1)))
    await inbox.close()
    expect(await Promise.all(puts)).toEqual(Array(100).fill('stored'))
    expect(await open({ queueName: 'closing' }).counts()).toMatchObject({ waiting: 101 })
  })

  it('rejects an invalid notification and stores the others', async () => {
    const inbox = open()
    const invalid = [{ receivedAt: new Date(Number.NaN) }, { clientId: 'a\0b' }, { clientId: 'a\ud800' }]
    const bad = invalid.map((changes) => inbox.put({ ...createSigned(1), ...changes }))
    const good = inbox.put(createSigned(2))
    for (const put of bad) await expect(put).rejects.toThrow(TypeError)
    expect(await good).toBe('stored')
  })

  it('deletes deliveries that have left the window', async () => {
    const queueName = 'forgetful'
    const inbox = open({ dedupeSeconds: 1, queueName })
    const isKnown = async () => {
      const { rows } = await client.query(
        `select 1 from ${schema}.payhook_recent_delivery where queue = $1 and signature = decode($2, 'hex')`,
        [queueName, createSigned('old').signature],
      )
      return rows.length > 0
    }
    await inbox.put(createSigned('old'))
    expect(await isKnown()).toBe(true)
    await waitFor(async () => {
      await inbox.put(createSigned(randomUUID()))
      return !(await isKnown())
    })
  })

  it("uses the user's PgBoss, and leaves it running", async () => {
    const boss = new PgBoss({ connectionString, schema, schedule: false })
    const errors: unknown[] = []
    boss.on('error', (error) => errors.push(error))
    const inbox = open({ boss })
    await expect(inbox.put(createSigned(1))).rejects.toThrow()
    await boss.start()
    const consumer = createConsumer()
    await inbox.start(consumer)
    expect(await inbox.put(createSigned(1))).toBe('stored')
    expect(await inbox.put(createSigned(1))).toBe('duplicate')
    await waitFor(() => consumer.deliveries.length === 1)
    await inbox.close()
    expect(boss.getWipData()).toEqual([])
    expect(boss.listenerCount('error')).toBe(1)
    await boss.createQueue('still-running')
    await boss.stop({ graceful: false })
    expect(errors).toEqual([])
  })

  it('returns a notification that stop() cut off, although its handler never ends', async () => {
    const queueName = 'left-behind'
    const inbox = open({ queueName, stopTimeoutMs: 1 })
    const deaf = createConsumer(() => new Promise(() => {}))
    await inbox.put(createSigned(1))
    await inbox.start(deaf)
    await waitFor(() => deaf.deliveries.length === 1)
    await inbox.close()
    const other = open({ queueName })
    expect(await other.counts()).toMatchObject({ waiting: 1, active: 0 })
    const consumer = createConsumer()
    await other.start(consumer)
    await waitFor(() => consumer.attemptsOf(createSigned(1).signature).length === 1)
    expect(consumer.deliveries[0]?.attempt).toBe(1)
  })

  it('reports a dead notification after all processes crashed', async () => {
    const queueName = 'unseen'
    const inbox = open({ queueName, maxAttempts: 1 })
    await inbox.put(createSigned(1))
    // As if a worker had leased it and crashed a minute ago.
    await client.query(
      `update ${schema}.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute'
       where name = $1`,
      [queueName],
    )
    const consumer = createConsumer()
    await inbox.start(consumer)
    await waitFor(() => consumer.deaths.length === 1)
    const [dead] = await inbox.list({ state: 'dead' })
    expect(consumer.deaths[0]).toMatchObject({
      id: dead?.id,
      attempts: 1,
      error: 'Error: The process ended while it handled the notification.',
      signature: createSigned(1).signature,
    })
    expect(consumer.deliveries).toEqual([])
  })

  it('keeps the id of a dead and replayed entry', async () => {
    const inbox = open({ maxAttempts: 1 })
    const consumer = createConsumer(() => {
      if (consumer.deliveries.length < 3) throw new Error('down')
    })
    await inbox.put(createSigned(1))
    const [entry] = await inbox.list({ state: 'waiting' })
    await inbox.start(consumer)
    for (const deaths of [1, 2]) {
      await waitFor(() => consumer.deaths.length === deaths)
      expect(await inbox.get(entry?.id ?? '')).toMatchObject({ state: 'dead', attempts: 1 })
      await inbox.replay(entry?.id ?? '')
    }
    await waitFor(async () => (await inbox.get(entry?.id ?? ''))?.state === 'completed')
    expect(new Set(consumer.deliveries.map(({ id }) => id))).toEqual(new Set([entry?.id]))
  })

  it('rejects the schema of a newer pg-boss', async () => {
    await open().put(createSigned(1))
    await client.query(`update ${schema}.version set version = version + 1`)
    const inbox = open()
    await expect(inbox.counts()).rejects.toMatchObject({ code: 'inbox_too_new' })
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_too_new' })
    await client.query(`update ${schema}.version set version = version - 1`)
    expect(await inbox.put(createSigned(1))).toBe('stored')
  })

  it('rejects within the time limit if the server does not respond, and recovers', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const through = new URL(connectionString)
    through.host = `127.0.0.1:${proxy.port}`
    const inbox = open({ connectionString: through.href })
    await inbox.put(createSigned(1))
    // A put may still open a new connection, which works.
    const error = await waitFor(() => {
      proxy.silence()
      return inbox.put(createSigned(randomUUID())).then(
        () => undefined,
        (error: unknown) => error,
      )
    })
    expect(error).toMatchObject({ cause: { message: expect.stringContaining('longer than 3000 ms') } })
    await waitFor(async () => await inbox.put(createSigned(3)).catch(() => false))
    await inbox.close()
    await proxy.close()
  })
})
