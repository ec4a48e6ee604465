import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { loadavg } from 'node:os'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { createPostgresInbox } from '../../../../adapters/inbox/postgres/postgres-inbox.ts'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { createReceiver } from '../../../../src/index.ts'
import { healthOf } from '../../../contracts/health-of.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'
import { withPort } from './under-test.ts'

await describeWithService('connections to PostgreSQL', POSTGRES, () => {
  const { schema, query, open, beating } = useDatabase()

  /** With a role of its own, which is dropped afterwards. */
  async function withRole(
    attributes: string,
    use: (url: string, role: string) => Promise<void>,
  ): Promise<void> {
    const role = `payhook_role_${randomUUID().slice(0, 8)}`
    await query(`create role ${role} login ${attributes}`)
    await query(`grant create on database ${POSTGRES.pathname.slice(1)} to ${role}`)
    const url = new URL(connectionString)
    url.username = role
    try {
      await use(url.href, role)
    } finally {
      await query(`drop owned by ${role} cascade`)
      await query(`drop role ${role}`)
    }
  }

  async function putMany(inbox: Inbox, name: string): Promise<void> {
    for (let round = 0; round < 5; round++) {
      const puts = Array.from({ length: 8 }, (_, id) => inbox.put(createSigned(`${name} ${round} ${id}`)))
      expect(await Promise.all(puts)).toEqual(Array(8).fill('stored'))
    }
  }

  async function storeAndHandle(inbox: Inbox, name: string): Promise<void> {
    const consumer = createConsumer()
    await inbox.start(consumer)
    await putMany(inbox, name)
    await waitFor(() => consumer.deliveries.length === 40)
    expect(consumer.failures).toEqual([])
    await inbox.close()
  }

  it.each([1, 2])('from a pool of %i store and handle notifications, and stay open', async (max) => {
    const pool = new pg.Pool({ connectionString, max })
    await storeAndHandle(open({ pool }), `pool ${max}`)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await waitFor(() => pool.idleCount === pool.totalCount)
    await pool.end()
  })

  it('from a pool that is too small for all handlers are left to store notifications', async () => {
    const pool = new pg.Pool({ connectionString, max: 4 })
    const inbox = open({ pool, concurrency: 4 })
    const release = Promise.withResolvers<void>()
    const options = { inbox, transaction: inbox.transaction, callbackToken: false } as const
    const handler = vi.fn(() => release.promise)
    await createReceiver({ clientId: 'a', ...options })
      .onAny(handler)
      .start()
    try {
      for (const id of [1, 2, 3, 4]) await inbox.put(createSigned(`slow ${id}`))
      await waitFor(async () => (await inbox.counts()).active === 4)
      expect(await inbox.put(createSigned('slow 5'))).toBe('stored')
    } finally {
      release.resolve()
    }
    await waitFor(() => handler.mock.calls.length === 5)
    await inbox.close()
    await pool.end()
  })

  it('that handlers hold which stop() abandons are closed', async () => {
    const pool = new pg.Pool({ connectionString })
    const inbox = open({ pool, stopTimeoutMs: 1 })
    const options = { inbox, transaction: inbox.transaction, callbackToken: false } as const
    const handler = vi.fn(() => new Promise<never>(() => {}))
    const receiver = createReceiver({ clientId: 'a', logger: { warn() {}, error() {} }, ...options })
    await receiver.onAny(handler).start()
    await inbox.put(createSigned('hanging'))
    await waitFor(() => handler.mock.calls.length === 1)
    await inbox.close()
    await waitFor(() => pool.totalCount === pool.idleCount)
    await pool.end()
  })

  it('to a database that cannot store every text are rejected', async () => {
    const url = new URL(connectionString)
    url.pathname = schema
    await query(`create database ${schema} encoding 'LATIN1' locale 'C' template template0`)
    try {
      const inbox = createPostgresInbox({ connectionString: url.href })
      const rejected = { code: 'inbox_misconfigured', message: expect.stringContaining('UTF8') }
      await expect(inbox.put(createSigned('one'))).rejects.toMatchObject(rejected)
      await inbox.close()
    } finally {
      await query(`drop database ${schema} with (force)`)
    }
  })

  it('from a pool that reads all types but text in its own way are read as others', async () => {
    const getTypeParser = (oid: number) => (oid === pg.types.builtins.TEXT ? String : () => 'own')
    // Settings that a role may have.
    const set = '-c array_nulls=off -c bytea_output=escape -c datestyle=German -c search_path=pg_temp'
    const pool = new pg.Pool({ connectionString, types: { getTypeParser } as never, options: set })
    const inbox = open({ pool, schema: `${schema}_o`, keepCompletedSeconds: 60 })
    const handler = vi.fn()
    const options = { inbox, transaction: inbox.transaction, idempotencyKey: () => 'fact' }
    const receiver = createReceiver({ clientId: 'a', logger: { warn() {}, error() {} }, ...options })
    await receiver.onAny(handler).start()
    for (const id of [1, 2]) await inbox.put(createSigned(`own types ${id}`))
    await settled(inbox, { completed: 2 })
    expect(handler).toHaveBeenCalledOnce()
    expect(await healthOf(inbox)).toMatchObject({ status: 'pass', lastStoredAt: expect.any(Date) })
    const [entry] = await inbox.list({ state: 'completed' })
    expect(entry).toMatchObject({
      finishedAt: expect.any(Date),
      rawBody: createSigned('own types 1').rawBody,
    })
    await inbox.replay(String(entry?.id))
    await settled(inbox, { completed: 2 })
    await inbox.close()
    await pool.end()
  })

  it('to a role with a single connection store notifications, and are too few to handle them', () =>
    withRole('connection limit 1', async (url, role) => {
      const inbox = open({ connectionString: url, schema: role })
      await putMany(inbox, 'single')
      await expect(inbox.start(createConsumer())).rejects.toMatchObject({
        code: 'inbox_misconfigured',
        message: 'PostgreSQL allows 1 connection(s); a process that handles notifications needs 2.',
      })
      await inbox.close()
    }))

  it('to a role with two connections handle notifications', () =>
    withRole('connection limit 2', (url, role) =>
      storeAndHandle(open({ connectionString: url, schema: role }), 'two'),
    ))

  it('that PostgreSQL rejects make start() and put() reject', async () => {
    const elsewhere = (change: Partial<URL>) => Object.assign(new URL(connectionString), change).href
    const server = await createRejectingServer('28P01', 'password authentication failed for user "shop"')
    await withRole('', async (url, role) => {
      await query(`revoke create on database ${POSTGRES.pathname.slice(1)} from ${role}`)
      for (const [options, message] of [
        [{ connectionString: withPort(POSTGRES, server.port).href }, 'password'],
        [
          { connectionString: elsewhere({ pathname: '/no_such_database' }) },
          '"no_such_database" does not exist',
        ],
        [{ connectionString: elsewhere({ username: 'no_such_role' }) }, '"no_such_role" does not exist'],
        [{ connectionString: url, schema: role }, 'permission denied'],
        [{ connectionString: 'postgres://app:a#b@one/shop' }, 'percent-encoded'],
        [{ connectionString: 'postgres://one:5433,two:5433/shop' }, 'one host'],
        [{ schema: `${schema}_none`, create: false }, 'There is no inbox in the schema'],
      ] as const) {
        const inbox = open(options)
        const rejected = { code: 'inbox_misconfigured', message: expect.stringContaining(message) }
        await expect(inbox.start(createConsumer())).rejects.toMatchObject(rejected)
        await expect(inbox.put(createSigned(1))).rejects.toMatchObject(rejected)
        expect((await inbox.health()).status).toBe('fail')
      }
    })
    await server.close()
  })

  it('that are read-only make the health fail', () =>
    withRole('', async (url, role) => {
      const writable = open({ connectionString: url, schema: role })
      await writable.put(createSigned(1))
      expect(await healthOf(writable)).toMatchObject({ status: 'pass', waiting: { count: 1 } })
      await query(`alter role ${role} set default_transaction_read_only = on`)
      const readOnly = open({ connectionString: url, schema: role })
      await expect(readOnly.put(createSigned(2))).rejects.toMatchObject({ code: 'inbox_unavailable' })
      expect(await readOnly.health()).toMatchObject({
        status: 'fail',
        problems: [{ message: 'The inbox is not available (25006).' }],
      })
      await Promise.all([writable.close(), readOnly.close()])
    }))

  it('to a server that never responds fail a put as soon as any other', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    server.on('connection', (socket) => socket.on('error', () => {}))
    await once(server, 'listening')
    const silent = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`
    await expect(open({ connectionString: silent }).put(createSigned(1))).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/timeout|did not respond within 3000 ms/) },
    })
    server.close()
  })

  it('to a server that is starting up are tried again', async () => {
    const server = await createRejectingServer('57P03', 'the database system is starting up')
    const inbox = open({ connectionString: withPort(POSTGRES, server.port).href, schema: `${schema}_u` })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    server.accept()
    await waitFor(() => inbox.put(createSigned(2)).catch(() => undefined))
    await waitFor(() => consumer.deliveries.length === 1)
    await inbox.close()
    await server.close()
  })

  it.each(['connectionString', 'pool'])('that end as soon as they open fail a put (%s)', async (name) => {
    const server = await createRejectingServer('57P01', 'unexpected postmaster exit', GREETING)
    const url = withPort(POSTGRES, server.port).href
    const pool = new pg.Pool({ connectionString: url }).on('error', () => {})
    const inbox = open(name === 'pool' ? { pool } : { connectionString: url })
    await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    await inbox.close()
    await pool.end()
    await server.close()
  })

  it('are closed, and its worker deleted, even if a stop() did not wait for them to open', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const stopped = `${schema}_c`
    const pool = new pg.Pool({ connectionString: withPort(POSTGRES, proxy.port).href })
    const inbox = open({ pool, schema: stopped })
    await inbox.counts()
    proxy.hang()
    await inbox.start(createConsumer())
    await inbox.close()
    await query(`create table "${stopped}".changes (kind text)`)
    await query(`create function "${stopped}".note() returns trigger language plpgsql as
      $$ begin insert into "${stopped}".changes values (tg_op); return null; end $$`)
    await query(`create trigger note after insert or delete on "${stopped}".worker
      for each row execute function "${stopped}".note()`)
    await proxy.mend()
    const changes = async () => (await query(`select kind from "${stopped}".changes`)).map(({ kind }) => kind)
    await waitFor(async () => (await changes()).includes('DELETE'), 30_000)
    expect(await changes()).toEqual(['INSERT', 'DELETE'])
    await pool.end()
    await proxy.close()
  })

  it('listen: another process handles what is stored without looking for it', async () => {
    const [receiver, worker] = [open({ schema: `${schema}_b` }), open({ schema: `${schema}_b` })]
    const consumer = createConsumer()
    await worker.start(consumer)
    // A session beats once it listens.
    await beating(`${schema}_b`)
    // One that only looks, 4 times a second at most, has just looked when the next is stored. A busy machine
    // needs more of them until ten are as fast.
    let fast = 0
    for (let id = 0; fast < 10; id++) {
      const before = performance.now()
      await receiver.put(createSigned(`listened ${id}`))
      await waitFor(() => consumer.deliveries.length === id + 1)
      if (performance.now() - before < 125) fast += 1
      expect(id, `${fast} were fast, with a load of ${loadavg()[0]}`).toBeLessThan(300)
    }
    await Promise.all([receiver.close(), worker.close()])
  })

  it('to a server that fell silent let a process end that has closed its inbox', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const own = `${schema}_e`
    const options = { connectionString: withPort(POSTGRES, proxy.port).href, schema: own }
    const script = `
      import { createPostgresInbox } from '${new URL('../../../../adapters/inbox/postgres/postgres-inbox.ts', import.meta.url)}'
      const inbox = createPostgresInbox(${JSON.stringify(options)})
      await inbox.start({ handle: async () => {}, dead: async () => {}, failed() {} })
      process.once('SIGTERM', () => inbox.close())`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    await beating(own)
    proxy.hang()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await proxy.close()
  })

  it('of an idle worker carry one statement a second, and no transaction besides, also after an outage', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const pool = new pg.Pool({ connectionString: withPort(POSTGRES, proxy.port).href })
    pool.on('error', () => {})
    // With no worker of another test, whose leases it would take over.
    const inbox = open({ pool, schema: `${schema}_i` })
    const statements: string[] = []
    const run = pool.query.bind(pool)
    pool.query = ((config: { text: string }) => {
      statements.push(config.text)
      return run(config as never)
    }) as never
    const name = `payhook idle ${randomUUID()}`
    Object.assign(pool.options, { application_name: name })
    const consumer = createConsumer()
    await inbox.start(consumer)
    const lastBeat = async () => {
      const [row] = await query(
        `select max(query_start) as beat from pg_stat_activity where application_name = $1
        and query like '%.beat(%'`,
        [name],
      )
      return Number(row?.beat)
    }
    const nextBeat = async (last: number) =>
      await waitFor(async () => {
        const beat = await lastBeat()
        return beat === last ? undefined : beat
      })
    const expectOneASecond = async () => {
      const sessions = `select 1 from pg_stat_activity join pg_locks using (pid)
        where application_name = $1 and locktype = 'advisory'`
      await waitFor(async () => (await query(sessions, [name])).length > 0)
      const first = await nextBeat(await nextBeat(await lastBeat()))
      statements.length = 0
      expect((await nextBeat(first)) - first).toBeGreaterThan(900)
      expect(statements).toEqual([])
    }
    await expectOneASecond()
    expect(consumer.failures).toEqual([])
    await proxy.cut()
    // Each is a heartbeat that fails.
    await waitFor(() => statements.length >= 6)
    expect(consumer.failures).toHaveLength(1)
    await proxy.mend()
    await expectOneASecond()
    await inbox.close()
    await pool.end()
    await proxy.close()
  })

  it('that listen are opened again after one could not be created, as its certificate was missing', async () => {
    let isMissing = false
    let missed = 0
    const stream = () => {
      if (!isMissing) return new Socket()
      missed += 1
      throw new Error('no such file or directory')
    }
    const pool = new pg.Pool({ connectionString, stream, idleTimeoutMillis: 0 })
    const own = `${schema}_f`
    const inbox = open({ pool, schema: own })
    await inbox.start(createConsumer())
    const sessions = `from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and query like '%"${own}".beat(%'`
    const listening = async () => (await query(`select 1 ${sessions}`)).length > 0
    await waitFor(listening)
    isMissing = true
    await query(`select pg_terminate_backend(pid) ${sessions}`)
    await waitFor(() => missed > 0)
    isMissing = false
    await waitFor(listening)
    await inbox.close()
    await pool.end()
  })

  it('that PostgreSQL ends, all at once, do no harm', async () => {
    const url = new URL(connectionString)
    url.searchParams.set('application_name', 'payhook ended')
    const inbox = open({ connectionString: url.href, schema: `${schema}_h`, oneAtATime: true })
    const consumer = createConsumer()
    await inbox.start(consumer)
    for (let round = 1; round <= 3; round++) {
      await query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payhook'
        and query like '%${schema}_h%'`)
      const puts = Array.from({ length: 20 }, (_, id) =>
        inbox.put(createSigned(`${round} ${id}`)).catch(() => {}),
      )
      await Promise.all(puts)
      await waitFor(() => inbox.put(createSigned(`after ${round}`)).catch(() => undefined))
      await waitFor(() => consumer.attemptsOf(createSigned(`after ${round}`).signature).length > 0)
    }
    await waitFor(async () => {
      const { waiting, active } = await inbox.counts()
      return waiting + active === 0
    })
    expect((await inbox.counts()).dead).toBe(0)
  })
})

/** What PostgreSQL sends to a client that it has let in: AuthenticationOk, ReadyForQuery. */
const GREETING = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I')

/** Rejects connections as PostgreSQL does, until it accepts them, and passes them on to the real one. */
async function createRejectingServer(code: string, message: string, before = Buffer.alloc(0)) {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const header = Buffer.from('E\0\0\0\0')
  header.writeInt32BE(fields.length + 4, 1)
  let isAccepting = false
  const server = createServer((socket) => {
    const upstream = isAccepting ? connect(hostAndPort(POSTGRES)) : undefined
    socket.on('error', () => {}).on('close', () => upstream?.destroy())
    if (upstream === undefined) socket.once('data', () => socket.end(Buffer.concat([before, header, fields])))
    else
      upstream
        .on('error', () => socket.destroy())
        .pipe(socket)
        .pipe(upstream)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    accept() {
      isAccepting = true
    },
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
