import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, it } from 'vitest'
import { createPostgresInbox } from '../../adapters/inbox/postgres/postgres-inbox.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../contracts/service.ts'
import { createSigned } from '../contracts/signed-notification.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { payhook } from './payhook.ts'

await describeWithService('payhook inbox schema', POSTGRES, () => {
  it('prints what a role needs that may not create anything', async () => {
    const name = `payhook_test_${randomUUID().slice(0, 8)}`
    const url = new URL(POSTGRES)
    url.username = name
    const owner = new pg.Client(POSTGRES.href)
    await owner.connect()
    await owner.query(`create role ${name} login`)
    const inbox = createPostgresInbox({ connectionString: url.href, schema: name, oneAtATime: true })
    try {
      await expect(inbox.put(createSigned(1))).rejects.toMatchObject({
        code: 'inbox_misconfigured',
        message: expect.stringMatching(/role lacks a right: permission denied.*payhook inbox schema/),
      })
      const { code, stdout } = await payhook(['inbox', 'schema', '--schema', name, '--role', name])
      expect(code).toBe(0)
      await owner.query(stdout)
      expect(await inbox.put(createSigned(1))).toBe('stored')
      const consumer = createConsumer()
      await inbox.start(consumer)
      await waitFor(async () => (await inbox.counts()).completed === 1)
      expect(await inbox.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(1)
      expect(consumer.failures).toEqual([])
    } finally {
      await inbox.close()
      await owner.query(`drop schema if exists ${name} cascade`)
      await owner.query(`drop role ${name}`)
      await owner.end()
    }
  })
})
