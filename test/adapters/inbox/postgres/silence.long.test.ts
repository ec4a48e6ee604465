import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { expect, it } from 'vitest'
import { createReceiver } from '../../../../src/index.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, hostAndPort, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'
import { withPort } from './under-test.ts'

await describeWithService('connections to PostgreSQL', POSTGRES, () => {
  const { schema, query, open, beating } = useDatabase(true)

  it('to a server that fell silent are given up, and new ones are opened', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const inbox = open({ connectionString: withPort(POSTGRES, proxy.port).href })
    await inbox.put(createSigned('before'))
    // A put may still open a new connection, which works.
    await waitFor(() => {
      proxy.silence()
      return inbox.put(createSigned(randomUUID())).then(
        () => undefined,
        (error: unknown) => error,
      )
    })
    const errors: unknown[] = []
    await waitFor(() => inbox.put(createSigned(randomUUID())).catch((error) => void errors.push(error)))
    expect((await inbox.health()).status).toBe('pass')
    // None waits longer than a put may.
    for (const { cause } of errors as Error[])
      expect(cause).toMatchObject({ message: expect.not.stringContaining('10000 ms') })
    await inbox.close()
    await proxy.close()
  })

  it('for heartbeats are given up as well', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const silenced = `${schema}_s`
    const inbox = open({ connectionString: withPort(POSTGRES, proxy.port).href, schema: silenced })
    await inbox.start(createConsumer())
    await beating(silenced)
    proxy.silence()
    const [row] = await query('select now() as at')
    const text = `select 1 from "${silenced}".worker where seen_at > $1::timestamptz + interval '3 seconds'`
    await waitFor(async () => (await query(text, [row?.at])).length > 0, 60_000)
    await inbox.close()
    await proxy.close()
  })

  it('to a server that fell silent let a process end that has abandoned a handler', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    const own = `${schema}_a`
    const options = { connectionString: withPort(POSTGRES, proxy.port).href, schema: own, stopTimeoutMs: 1 }
    const script = `
      import { createPostgresInbox } from '${new URL('../../../../adapters/inbox/postgres/postgres-inbox.ts', import.meta.url)}'
      const inbox = createPostgresInbox(${JSON.stringify(options)})
      const hang = (tx) => tx.query('select 1 as "${own}"').then(() => new Promise(() => {}))
      await inbox.start({ handle: () => inbox.transaction(hang), dead: async () => {}, failed() {} })
      process.once('SIGTERM', () => inbox.close())
      const receivedAt = new Date()
      await inbox.put({ signature: 'a'.repeat(64), clientId: 'a', receivedAt, rawBody: new Uint8Array() })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    await waitFor(async () => {
      const theirs = `select 1 from pg_stat_activity where pid <> pg_backend_pid()
        and (query like '%"${own}".beat(%' or query = 'select 1 as "${own}"')`
      return (await query(theirs)).length === 2
    })
    proxy.hang()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await proxy.close()
  })

  it('that a handler leaves busy, as with an open cursor, are given up', async () => {
    const pool = new pg.Pool({ connectionString })
    const inbox = open({ pool })
    const options = { clientId: 'a', inbox, logger: { warn() {}, error() {} } }
    const receiver = createReceiver({ ...options, transaction: inbox.transaction })
    // pg waits for it before it sends another statement.
    const cursor = { submit() {}, handleError() {} }
    receiver.onAny((_event, { tx, attempt }) => void (attempt === 1 && tx.query(cursor)))
    await receiver.start()
    await inbox.put(createSigned('busy'))
    await settled(inbox, { completed: 1 })
    await inbox.close()
    await pool.end()
  })

  it('of a machine that was suspended are not taken for dead by the first worker that goes on', async () => {
    const gate = Promise.withResolvers<void>()
    const consumer = createConsumer(() => gate.promise)
    for (const id of [1, 2]) {
      const inbox = open({ concurrency: 1 })
      // Between two heartbeats of the other one.
      const beat = `select 1 from ${schema}.worker where seen_at > now() - interval '400 milliseconds'`
      await waitFor(async () => id === 1 || (await query(beat)).length === 0)
      await inbox.start(consumer)
      await inbox.put(createSigned(id))
    }
    await waitFor(() => consumer.deliveries.length === 2)
    const workers = async () => await query(`select id, seen_at from ${schema}.worker order by id`)
    const before = await workers()
    // A process that starts is patient for three seconds.
    const patient = `select 1 from ${schema}.worker having bool_and(seen_at > $1::timestamptz + interval '4 seconds')`
    await waitFor(async () => (await query(patient, [before[1]?.seen_at])).length > 0)
    await query(`update ${schema}.worker set seen_at = now() - interval '20 seconds'`)
    const awake = `select 1 from ${schema}.worker having bool_and(seen_at > now() - interval '10 seconds')`
    await waitFor(async () => (await query(awake)).length > 0)
    expect((await workers()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    gate.resolve()
    await waitFor(async () => (await open().counts()).active === 0)
    expect(new Set(consumer.deliveries.map(({ id }) => id)).size).toBe(consumer.deliveries.length)
  })
})
