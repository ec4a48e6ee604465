import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { STATE } from '../../../../adapters/inbox/sqlite/schema.ts'
import type { InboxNotification } from '../../../../src/index.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { useFile } from './use-file.ts'

const { open, connect } = useFile({ oneAtATime: true })
let database: DatabaseSync

beforeEach(() => {
  open()
  database = connect()
})

const about = (subject: string | null, id: number): InboxNotification => ({ ...createSigned(id), subject })
const states = () =>
  database
    .prepare('select state from work order by id')
    .all()
    .map(({ state }) => state)

/** A consumer whose handlers of a subject wait until they are released. */
function createBlocked(subject: string) {
  const gate = Promise.withResolvers<void>()
  const consumer = createConsumer((delivery) => (delivery.subject === subject ? gate.promise : undefined))
  return { consumer, release: gate.resolve }
}

describe('a query by subject', () => {
  it('uses an index, however many entries there are', () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    open()
    const queries = prepare.mock.calls.flatMap(([sql]) =>
      /busy_key|subject = |json_each/.test(sql) ? sql : [],
    )
    prepare.mockRestore()
    const plans = queries.map((sql) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; '),
    )
    expect(plans.join()).toContain('SEARCH work USING INDEX work_by_subject (indexed_subject=? AND rowid>?)')
    expect(plans.join()).toContain('SEARCH work USING COVERING INDEX parked_by_key (busy_key=?)')
    expect(plans.join()).toContain('USING COVERING INDEX active_by_key (busy_key=?)')
    expect(plans.join()).not.toMatch(/SCAN (work|notification)|TEMP B-TREE/)
  })

  it('indexes and finds what no worker has indexed', async () => {
    const inbox = open()
    await Promise.all(Array.from({ length: 2_160 }, (_, id) => inbox.put(about(`payment:${id % 12}`, id))))
    expect(await inbox.list({ subject: 'payment:3', limit: 1_000 })).toHaveLength(180)
    expect(database.prepare('select indexed from file').get()).toEqual({ indexed: 2_160 })
    const found = await inbox.list({ subject: 'payment:3', state: 'waiting', after: '2130' })
    expect(found.map(({ id }) => id)).toEqual(['2140', '2152'])
    expect(await inbox.list({ subject: 'payment:3', state: 'dead' })).toEqual([])
    await expect(inbox.list({ subject: 'payment:3', after: 'none' })).rejects.toMatchObject({
      code: 'entry_not_found',
    })
  })

  it('misses nothing if it cannot be indexed, as on a full disk', async () => {
    const inbox = open()
    await inbox.put(about('payment:1', 1))
    expect(await inbox.list({ subject: 'payment:1' })).toHaveLength(1)
    database.exec(`create trigger full before update on file begin select raise(abort, 'disk is full'); end`)
    expect(await inbox.list({ subject: 'payment:1' })).toHaveLength(1)
    await inbox.put(about('payment:1', 2))
    await expect(inbox.list({ subject: 'payment:1' })).rejects.toMatchObject({ code: 'inbox_unavailable' })
    database.exec('drop trigger full')
    expect(await inbox.list({ subject: 'payment:1' })).toHaveLength(2)
  })
})

describe('a parked entry', () => {
  it('is woken if the one before it is deleted while it is ready', async () => {
    const inbox = open()
    await inbox.put(about('payment:1', 1))
    await inbox.put(about('payment:1', 2))
    database.exec(`update work set state = ${STATE.parked}, busy_key = 'payment:1' where id = 2`)
    await inbox.delete('1')
    expect(states()).toEqual([STATE.ready])
  })

  it('delays no other subject, however many are parked', async () => {
    const inbox = open({ concurrency: 2 })
    const { consumer, release } = createBlocked('payment:1')
    const hot = Array.from({ length: 1_200 }, (_, id) => inbox.put(about('payment:1', id)))
    const others = Array.from({ length: 20 }, (_, id) => inbox.put(about(`payment:${id + 2}`, 5_000 + id)))
    await Promise.all([...hot, ...others, inbox.put(about(null, 6_000)), inbox.put(about(null, 6_001))])
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.counts()).completed === 22)
    expect(await inbox.counts()).toMatchObject({ active: 1, waiting: 1_199 })
    release()
    await waitFor(async () => (await inbox.counts()).completed === 1_222)
    const handled = consumer.deliveries.flatMap(({ subject, id }) =>
      subject === 'payment:1' ? Number(id) : [],
    )
    expect(handled).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 1))
  })
})

describe('an active entry', () => {
  it('cannot be there twice for a subject, whatever the code does', async () => {
    const inbox = open()
    const { consumer, release } = createBlocked('payment:1')
    for (const id of [1, 2]) await inbox.put(about('payment:1', id))
    await inbox.start(consumer)
    await waitFor(() => states()[0] === STATE.active)
    const second = `update work set state = ${STATE.active}, busy_key = 'payment:1' where id = 2`
    expect(() => database.exec(second)).toThrow('UNIQUE constraint failed: work.busy_key')
    release()
  })

  it('keeps a suspect of its subject waiting, which delays nobody', async () => {
    const inbox = open()
    const { consumer, release } = createBlocked('payment:1')
    for (const id of [1, 2]) await inbox.put(about('payment:1', id))
    await inbox.start(consumer)
    await waitFor(() => states().join() === [STATE.active, STATE.parked].join())
    database.exec(`update work set state = ${STATE.delayed}, due_at = 1, crashes = 2 where id = 2`)
    for (let id = 3; id < 23; id++) {
      await inbox.put(about('payment:2', id))
      await waitFor(async () => (await inbox.counts()).completed === id - 2)
    }
    expect(states()[1]).toBe(STATE.delayed)
    release()
    await waitFor(async () => (await inbox.counts()).completed === 22)
  })
})
