import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { STATE } from '../../../../adapters/inbox/sqlite/schema.ts'
import type { Inbox } from '../../../../src/index.ts'
import { createGatedConsumer, running } from '../../../contracts/gated-consumer.ts'
import { createAbout, createSigned } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { useFile } from './use-file.ts'

const HOUR = 3_600_000

const file = useFile({ oneAtATime: true, now: () => time })
let time: number
let inbox: Inbox
let database: DatabaseSync

beforeEach(() => {
  time = Date.now()
  inbox = file.open()
  database = file.connect()
})

/** Adds entries in a state. */
function add(state: number, count: number): void {
  database.exec(`
    with recursive number(n) as (select 1 union all select n + 1 from number where n < ${count})
    insert into notification (signature, client_id, received_at, body) select '', '', ${time}, x'' from number;
    insert into work (id, state) select id, ${state} from notification where id not in (select id from work);
  `)
}

describe('health of SQLite', () => {
  it('reads indexes only', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    file.open()
    const queries = prepare.mock.calls.flatMap(([sql]) =>
      /stored_at|due_at|oldest|as count/.test(sql) ? sql : [],
    )
    prepare.mockRestore()
    const plans = queries
      .filter((sql) => sql.trimStart().startsWith('select'))
      .map((sql) => database.prepare(`explain query plan ${sql}`).all())
      .map((plan) => plan.map(({ detail }) => detail).join('; '))
    for (const index of ['work_by_due_at', 'suspect_by_due_at', 'work_by_state'])
      expect(plans.join()).toContain(index)
    expect(plans.join()).toContain('SEARCH work USING COVERING INDEX work_by_state (state=?)')
    expect(plans.join()).not.toMatch(/SCAN (work|notification)(?! USING INDEX work_by_due_at)|TEMP B-TREE/)
  })

  it('counts up to 100,000 entries in a state', async () => {
    add(STATE.ready, 100_001)
    add(STATE.parked, 2)
    add(STATE.delayed, 3)
    add(STATE.dead, 49_999)
    add(STATE.completed, 5)
    const { waiting, dead, active } = await inbox.health()
    expect([waiting.count, dead.count, active.count]).toEqual([100_000, 49_999, 0])
    expect(await inbox.counts()).toMatchObject({ waiting: 100_006, dead: 49_999 })
  })

  it('takes a retry whose subject is busy as due since its time', async () => {
    const consumer = createGatedConsumer()
    const receivedAt = new Date(time - 24 * HOUR)
    await inbox.put({ ...createAbout('payment:1', 'retried'), receivedAt })
    await inbox.start(consumer)
    await running(consumer, 'retried')
    await inbox.put(createAbout('payment:1', 'busy'))
    await waitFor(() => database.prepare(`select 1 from work where state = ${STATE.parked}`).get())
    consumer.end('retried', new Error('down'))
    await running(consumer, 'busy')
    time += HOUR
    await waitFor(() => database.prepare(`select 1 from work where state = ${STATE.parked}`).get())
    const { waiting } = await inbox.health()
    expect(waiting.oldestAgeMs).toBeLessThanOrEqual(HOUR)
    expect(waiting.oldestAgeMs).toBeGreaterThan(HOUR - 60_000)
    consumer.end('busy')
    await running(consumer, 'retried')
    consumer.end('retried')
  })

  it('keeps little of when one was last stored without a window for duplicates', async () => {
    const without = file.open({ dedupeSeconds: 0 })
    for (let id = 10; id < 30; id++) await without.put(createSigned(id))
    expect(database.prepare('select count(*) as rows from recent').get()).toEqual({ rows: 2 })
  })

  it('names what SQLite says if it fails', async () => {
    database.exec('drop table recent')
    expect((await inbox.health()).problems).toMatchObject([
      { message: 'The inbox is not available (SQL logic error).' },
    ])
  })

  it('fails if the file was deleted', async () => {
    expect((await inbox.health()).status).toBe('pass')
    rmSync(file.path)
    await waitFor(async () => (await inbox.health()).status === 'fail')
  })
})
