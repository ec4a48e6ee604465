import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createPostgresInbox,
  type PostgresInboxOptions,
} from '../../../../adapters/inbox/postgres/postgres-inbox.ts'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import type { InboxEntry } from '../../../../src/inbox/inbox.ts'
import { healthOf } from '../../../contracts/health-of.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { settled } from '../../../contracts/settled.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { connectionString, useDatabase } from './database.ts'
import { dropSchema, newSchema } from './schemas.ts'

const LATER = () => new Date(Date.now() + 60_000)

describe('options of the PostgreSQL inbox', () => {
  it.each([
    [{}, /exactly one of "connectionString" and "pool"/],
    [{ connectionString, pool: new pg.Pool({ connectionString }) }, /exactly one/],
    [{ connectionString: '' }, /"connectionString"/],
    [{ pool: {} }, /"pool" option must be a Pool of pg/],
    [{ connectionString, schema: 'a; drop' }, /"schema"/],
    [{ connectionString, queueName: 'x' }, /"queueName" is not an option/],
    [{ connectionString, maxAttempts: 0 }, /"maxAttempts"/],
  ])('reject %o', (options, message) => {
    const create = () => createPostgresInbox(options as PostgresInboxOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

await describeWithService('storing in PostgreSQL', POSTGRES, () => {
  const { schema, query, open } = useDatabase(true)

  async function tables(): Promise<string> {
    const text = `select string_agg(format('%I.%I', schemaname, tablename), ', ') as names
      from pg_tables where schemaname = $1`
    return String((await query(text, [schema]))[0]?.names)
  }

  it('takes few statements for concurrent puts', async () => {
    const inbox = open()
    await inbox.put(createSigned(0))
    const puts = Array.from({ length: 1_200 }, (_, id) => inbox.put(createSigned(`batch ${id}`)))
    expect(new Set(await Promise.all(puts))).toEqual(new Set(['stored']))
    const [row] = await query(`select count(distinct due_at)::int as transactions from ${schema}.work`)
    expect(row?.transactions).toBeLessThanOrEqual(7)
  })

  it('ends all pending puts on close()', async () => {
    const inbox = open()
    const puts = Array.from({ length: 100 }, (_, id) => inbox.put(createSigned(id)))
    await inbox.close()
    expect(await Promise.all(puts)).toEqual(Array(100).fill('stored'))
    expect(await open().counts()).toMatchObject({ waiting: 100 })
  })

  it('lists on after an entry whose id another inbox gave it', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    const [entry] = await inbox.list()
    const id = '2fd00bf1-65ca-4b7e-aebb-46631c8b121c'
    await engineOf(inbox).import([{ ...(entry as InboxEntry), id, idempotencyKey: id }])
    expect(await inbox.list({ state: 'waiting', after: entry?.id ?? '' })).toMatchObject([{ id }])
    expect(await inbox.list({ state: 'waiting', after: id })).toEqual([])
  })

  it('rejects an invalid notification and stores the others', async () => {
    const inbox = open()
    const invalid = [{ receivedAt: new Date(Number.NaN) }, { clientId: 'a\0b' }, { clientId: 'a\ud800' }]
    const bad = invalid.map((changes) => inbox.put({ ...createSigned(1), ...changes }))
    const good = inbox.put({ ...createSigned(2), receivedAt: new Date(-8.64e15) })
    for (const put of bad) await expect(put).rejects.toThrow(TypeError)
    expect(await good).toBe('stored')
    expect(await inbox.list()).toMatchObject([{ receivedAt: new Date(-8.64e15) }])
  })

  it('creates the schema again if somebody dropped it, but only if it may', async () => {
    const inbox = open()
    await expect(open({ create: false }).put(createSigned(1))).rejects.toMatchObject({
      code: 'inbox_misconfigured',
      message: `There is no inbox in the schema "${schema}". Name another with the option "schema", or in a URL with ?schema=NAME.`,
    })
    await inbox.put(createSigned(1))
    await query(`drop schema ${schema} cascade`)
    await waitFor(() => inbox.put(createSigned(2)).catch(() => undefined))
    expect(await open({ create: false }).counts()).toMatchObject({ waiting: 1 })
  })

  it('goes on though somebody truncated all its tables, or restored the schema without its data', async () => {
    const inbox = open()
    const consumer = createConsumer()
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await settled(inbox, { completed: 1 })
    await query(`truncate ${await tables()}`)
    await inbox.pause('truncated')
    expect(await healthOf(inbox)).toMatchObject({ paused: { reason: 'truncated' } })
    await inbox.resume()
    expect(await inbox.put(createSigned(1))).toBe('stored')
    await waitFor(() => consumer.deliveries.length === 2)
    expect(await Promise.all([1, 2, 3].map((id) => open().put(createSigned(`${id}`))))).toEqual(
      Array(3).fill('stored'),
    )
    await inbox.pause('restored')
    expect(await healthOf(inbox)).toMatchObject({ paused: { reason: 'restored' } })
  })

  it('works while all its tables are published, as for change data capture', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    await query(`create publication ${schema} for table ${await tables()}`)
    onTestFinished(async () => void (await query(`drop publication ${schema}`)))
    await inbox.pause('published')
    await inbox.resume()
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1 })
    expect((await healthOf(inbox)).status).toBe('pass')
    expect(await inbox.prune({ state: 'completed', olderThan: LATER() })).toBe(1)
  })

  it('rejects the schema of a newer payhook', async () => {
    await open().put(createSigned(1))
    await query(`update ${schema}.inbox set version = version + 1`)
    const inbox = open()
    const rejected = { code: 'inbox_too_new', message: expect.stringContaining('Update payhook') }
    await expect(inbox.counts()).rejects.toMatchObject(rejected)
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject(rejected)
    await query(`update ${schema}.inbox set version = version - 1`)
    expect(await inbox.put(createSigned(2))).toBe('stored')
  })

  it('is another inbox than the one whose dump it was restored from', async () => {
    const restored = newSchema()
    onTestFinished(() => dropSchema(restored))
    const [inbox, copy] = [engineOf(open()), engineOf(open({ schema: restored }))]
    await Promise.all([inbox.counts(), copy.counts()])
    await query(`update ${restored}.inbox set mark = (select mark from ${schema}.inbox)`)
    expect(await copy.identity()).not.toBe(await inbox.identity())
    expect(await engineOf(open()).identity()).toBe(await inbox.identity())
  })

  it('is created once, if many open it at the same time', async () => {
    const inboxes = Array.from({ length: 8 }, () => open())
    expect(await Promise.all(inboxes.map((inbox, id) => inbox.put(createSigned(id))))).toEqual(
      Array(8).fill('stored'),
    )
  })

  it('forgets what has left the window for duplicates, but not when something was last stored', async () => {
    const inbox = open({ dedupeSeconds: 1 })
    await Promise.all(Array.from({ length: 20 }, (_, id) => inbox.put(createSigned(id))))
    await open({ dedupeSeconds: 60 }).put(createSigned(20))
    await inbox.put(createSigned(21))
    const { lastStoredAt } = await healthOf(inbox)
    await query(`update ${schema}.recent
      set stored_at = stored_at - interval '2 s', expires_at = expires_at - interval '2 s'`)
    await inbox.start(createConsumer())
    const known = async () => (await query(`select 1 from ${schema}.recent`)).length
    await waitFor(async () => (await known()) === 2)
    expect(await open().put(createSigned(20))).toBe('duplicate')
    expect((await healthOf(inbox)).lastStoredAt?.getTime()).toBe(Number(lastStoredAt) - 2_000)
  })

  it('prunes in batches, and deletes what completed after keepCompletedSeconds', async () => {
    const inbox = open({ concurrency: 100, keepCompletedSeconds: 3_600 })
    await Promise.all(Array.from({ length: 1_200 }, (_, id) => inbox.put(createSigned(id))))
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1_200 })
    await inbox.stop()
    expect(await inbox.prune({ olderThan: LATER() })).toBe(1_200)
    await inbox.put(createSigned('old'))
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1 })
    await inbox.stop()
    await query(`update ${schema}.work set finished_at = now() - interval '61 minutes'`)
    await inbox.start(createConsumer())
    await settled(inbox, {})
    expect(await query(`select 1 from ${schema}.notification`)).toEqual([])
  })

  it('forgets facts after a year, and keeps what has completed just now, whatever the clock of a process says', async () => {
    const inbox = open({ keepCompletedSeconds: 3_600 })
    await inbox.put(createSigned(1))
    await inbox.start(createConsumer())
    await settled(inbox, { completed: 1 })
    await inbox.stop()
    await query(`insert into ${schema}.claimed values
      ('old', now() - interval '13 months'), ('new', now() - interval '11 months')`)
    const { now } = Date
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 86_400_000)
    onTestFinished(() => clock.mockRestore())
    await inbox.start(createConsumer())
    // Deleted after the entries.
    const facts = async () => await query(`select key from ${schema}.claimed`)
    await waitFor(async () => (await facts()).length === 1)
    expect(await facts()).toEqual([{ key: 'new' }])
    expect(await inbox.counts()).toMatchObject({ completed: 1 })
  })

  it('makes the health fail while the disk is full', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    // As a table that needs a new page. What health() writes fits into an old one.
    await query(`create function ${schema}.fill() returns trigger language plpgsql as
      $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$`)
    await query(
      `create trigger fill before insert on ${schema}.notification execute function ${schema}.fill()`,
    )
    await expect(inbox.put(createSigned(2))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    expect(await inbox.health()).toMatchObject({
      status: 'fail',
      problems: [{ message: 'The inbox is not available (53100).' }],
    })
    await query(`drop trigger fill on ${schema}.notification`)
    expect(await inbox.put(createSigned(2))).toBe('stored')
    expect(await healthOf(inbox)).toMatchObject({ status: 'pass', waiting: { count: 2 } })
  })

  it('does not keep a script alive that does not close its inbox', async () => {
    const script = `
      import { createPostgresInbox } from '${new URL('../../../../adapters/inbox/postgres/postgres-inbox.ts', import.meta.url)}'
      const inbox = createPostgresInbox(${JSON.stringify({ connectionString, schema })})
      console.log(await inbox.counts())`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stdout).toContain('waiting: 0')
  })
})
