import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { PgBoss } from 'pg-boss'
import { describe, expect, it } from 'vitest'
import type { Inbox } from '../../../../src/inbox/inbox.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'

await describeWithService('connections of pg-boss', POSTGRES, () => {
  const { schema, query, open } = useDatabase()

  async function withBoss(options: { schema: string; max?: number }, use: (boss: PgBoss) => Promise<void>) {
    const boss = new PgBoss({ connectionString, schedule: false, supervise: false, ...options })
    boss.on('error', () => {})
    await boss.start()
    await use(boss)
    await boss.stop({ graceful: false })
  }

  /** With a role of its own, which is dropped afterwards. */
  async function withRole(
    attributes: string,
    use: (connectionString: string, role: string) => Promise<void>,
  ): Promise<void> {
    const role = `payhook_role_${randomUUID().slice(0, 8)}`
    await query(`create role ${role} login ${attributes}`)
    const url = new URL(connectionString)
    url.username = role
    try {
      await use(url.href, role)
    } finally {
      await query(`drop owned by ${role} cascade`)
      await query(`drop role ${role}`)
    }
  }

  async function putMany(inbox: Inbox, name: string): Promise<unknown[]> {
    const results: unknown[] = []
    for (let round = 0; round < 5; round++) {
      const puts = Array.from({ length: 8 }, (_, id) => inbox.put(createSigned(`${name} ${round} ${id}`)))
      results.push(...(await Promise.all(puts)))
    }
    return results
  }

  describe.each([{ max: 1 }, { max: 2 }])('a pool of $max', ({ max }) => {
    it('stores and handles notifications', () =>
      withBoss({ schema, max }, async (boss) => {
        const inbox = open({ boss })
        const consumer = createConsumer()
        await inbox.start(consumer)
        expect(await putMany(inbox, `pool ${max}`)).toEqual(Array(40).fill('stored'))
        await waitFor(async () => (await inbox.counts()).completed === 40)
        expect(consumer.failures).toEqual([])
        await inbox.close()
      }))
  })

  it('to a role with a single connection store notifications, and are too few to handle them', () =>
    withRole('superuser connection limit 1', async (url, role) => {
      await query(`alter role ${role} nosuperuser`)
      await query(`grant create on database ${POSTGRES.pathname.slice(1)} to ${role}`)
      const inbox = open({ connectionString: url, schema: role })
      expect(await putMany(inbox, 'single')).toEqual(Array(40).fill('stored'))
      const consumer = createConsumer()
      await inbox.start(consumer)
      await waitFor(() => consumer.failures.length > 0)
      expect(consumer.failures[0]).toMatchObject({
        code: 'inbox_unavailable',
        message: 'PostgreSQL allows 1 connection(s); a process that handles notifications needs 2.',
      })
      await inbox.close()
    }))

  it('to a role with two connections handle notifications', () =>
    withRole('connection limit 2', async (url, role) => {
      await query(`grant create on database ${POSTGRES.pathname.slice(1)} to ${role}`)
      const inbox = open({ connectionString: url, schema: role })
      const consumer = createConsumer()
      await inbox.start(consumer)
      expect(await putMany(inbox, 'two')).toEqual(Array(40).fill('stored'))
      await waitFor(() => consumer.deliveries.length === 40)
      expect(consumer.failures).toEqual([])
      await inbox.close()
    }))

  it('need no right to create once everything exists', () =>
    withRole('', async (url, role) => {
      const options = { queueName: 'granted', connectionString: url }
      await open({ queueName: 'granted' }).put(createSigned('owner'))
      const denied = {
        code: 'inbox_unavailable',
        message: expect.stringMatching(/role lacks a right.*denied/),
      }
      await expect(open(options).put(createSigned('no rights'))).rejects.toMatchObject(denied)
      await query(`grant usage on schema ${schema} to ${role}`)
      await query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
      for (const create of [true, false]) {
        expect(await open({ ...options, create }).put(createSigned(`create ${create}`))).toBe('stored')
      }
      await query(`drop table ${schema}.payhook_recent_delivery`)
      await expect(open(options).put(createSigned('gone'))).rejects.toMatchObject(denied)
      expect(await open({ queueName: 'granted' }).put(createSigned('again'))).toBe('stored')
    }))

  it('of a PgBoss with another schema are rejected', () =>
    withBoss({ schema: `${schema}_b` }, async (boss) => {
      const options = { boss, queueName: 'elsewhere' }
      await open({ queueName: 'elsewhere' }).put(createSigned(1))
      const rejected = { code: 'inbox_unavailable', message: expect.stringContaining('another schema') }
      await expect(open(options).put(createSigned(2))).rejects.toMatchObject(rejected)
      await expect(open({ ...options, schema: 'no_such' }).put(createSigned(2))).rejects.toMatchObject(
        rejected,
      )
      expect(await open({ ...options, schema: `${schema}_b` }).put(createSigned(2))).toBe('stored')
      await query(`drop schema ${schema}_b cascade`)
    }))

  it('to a server that never responds fail a put as soon as any other', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    server.on('connection', (socket) => socket.on('error', () => {}))
    await once(server, 'listening')
    const silent = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`
    await expect(open({ connectionString: silent }).put(createSigned(1))).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/timeout|longer than 3000 ms/) },
    })
    server.close()
  })
})
