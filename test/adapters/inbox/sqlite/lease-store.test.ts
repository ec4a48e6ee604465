import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../../adapters/inbox/sqlite/database.ts'
import { createEntries } from '../../../../adapters/inbox/sqlite/entries.ts'
import { createLeaseStore } from '../../../../adapters/inbox/sqlite/leases.ts'
import { createRecentSignatures } from '../../../../adapters/inbox/sqlite/recent-signatures.ts'
import { STATE } from '../../../../adapters/inbox/sqlite/schema.ts'
import type { Lease, Settlement } from '../../../../src/inbox/lease-store.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'

let folder: string
let databases: DatabaseSync[]
let time: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payhook-sqlite-'))
  databases = []
  time = 1_000_000
})
afterEach(() => {
  for (const database of databases) database.close()
  rmSync(folder, { recursive: true })
})

function open(): DatabaseSync {
  const database = openDatabase(join(folder, 'inbox.db'), 'normal')
  databases.push(database)
  return database
}

const log = { mayHaveHole: false }

function createStore(database: DatabaseSync) {
  const options = { maxRetryDelayMs: 1_000, keepCompleted: true, oneAtATime: true, now: () => time, log }
  return createLeaseStore(database, { path: join(folder, 'inbox.db'), ...options })
}

function createStoredEntries(database: DatabaseSync) {
  const now = () => time
  return createEntries(database, log, createRecentSignatures(database, 0, now), () => {}, now)
}

/** Numbers that look random, and are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

it('says that more is due after it has parked as many as a transaction may', async () => {
  const database = open()
  const entries = createStoredEntries(database)
  const store = createStore(database)
  await store.open()
  const put = (subject: string, id: number) => entries.put({ ...createSigned(id), subject })
  await Promise.all(Array.from({ length: 1_100 }, (_, id) => put('payment:1', id)))
  await put('payment:2', 2_000)
  const taken: (string | null)[] = []
  let looks = 0
  do {
    looks += 1
    taken.push(...(await store.settleAndLease([], 5)).map(({ subject }) => subject))
  } while ((await store.nextDueAt()) !== undefined)
  expect(taken).toEqual(['payment:1', 'payment:2'])
  expect(looks).toBe(3)
  await store.close()
})

it('ignores the result of a worker whose entry another one has taken over', async () => {
  const database = open()
  const entries = createStoredEntries(database)
  const [first, second] = [createStore(database), createStore(database)]
  await first.open()
  await second.open()
  await entries.put(createSigned(1))
  const [lost] = (await first.settleAndLease([], 1)) as [Lease]
  await first.close()
  const [taken] = (await second.recover()) as [Lease]
  await first.settleAndLease([{ lease: lost, to: 'completed' }], 0)
  expect(await entries.counts()).toMatchObject({ active: 1, completed: 0 })
  await second.settleAndLease([{ lease: taken, to: 'completed' }], 0)
  expect(await entries.counts()).toMatchObject({ active: 0, completed: 1 })
  await second.close()
})

it('gives a suspect its turn, however many others of its key there are', async () => {
  const database = open()
  const entries = createStoredEntries(database)
  const [store, other] = [createStore(database), createStore(open())]
  for (const each of [store, other]) await each.open()
  const put = (id: number) => entries.put({ ...createSigned(id), subject: 'payment:1' })
  const completed = (lease: Lease | undefined) => ({ lease: lease as Lease, to: 'completed' }) as const
  for (const id of [1, 2, 3]) await put(id)
  database.exec(`update work set state = ${STATE.delayed}, due_at = 1, crashes = 2 where id = 2`)
  database.exec(`update work set state = ${STATE.active}, busy_key = 'payment:1', worker = 'x' where id = 1`)
  const [first] = await store.recover()
  expect(await other.leaseSuspect()).toBeUndefined()
  await put(4)
  expect(await store.settleAndLease([completed(first)], 5)).toEqual([])
  expect(await other.settleAndLease([], 5)).toEqual([])
  const suspect = await other.leaseSuspect()
  expect(suspect).toMatchObject({ id: '2', crashes: 2 })
  expect(await store.settleAndLease([], 5)).toEqual([])
  const [next, ...more] = await other.settleAndLease([completed(suspect)], 5)
  expect(next).toMatchObject({ id: '3' })
  expect(more).toEqual([])
  expect(await other.settleAndLease([completed(next)], 5)).toMatchObject([{ id: '4' }])
  for (const each of [store, other]) await each.close()
})

it('reads no large body of an entry that is not taken', () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  createStore(open())
  const queries = prepare.mock.calls.flatMap(([sql]) => (/order by (?:id|due_at)\b/.test(sql) ? sql : []))
  prepare.mockRestore()
  expect(queries.length).toBeGreaterThan(3)
  const small = 'iif(length(body) <= 4096, body, null) as body'
  for (const query of queries) expect(query.replace(small, '')).not.toMatch(/\bbody\b/)
})

it.each([1, 2, 3])('never forgets a parked entry, whatever happens (%i)', async (seed) => {
  const random = createRandom(seed)
  const database = open()
  const entries = createStoredEntries(database)
  const workers = [open(), open(), open()].map((connection) => ({
    store: createStore(connection),
    leases: [] as Lease[],
  }))
  const some = [STATE.dead, STATE.completed, STATE.parked, STATE.ready].map((state) =>
    database.prepare(`select id from work where state = ${state} order by id limit 20`),
  )
  const forgotten = database.prepare(`
    select * from work where state = ${STATE.parked} and busy_key not in (
      select coalesce(concurrency_key, subject, '') from work join notification using (id)
        where state in (${STATE.active}, ${STATE.ready}) or state = ${STATE.delayed} and due_at <= ?
    )
  `)
  const busy = database.prepare(`
    select coalesce(concurrency_key, subject) as key from work join notification using (id)
      where state = ${STATE.active} and key <> '' group by key having count(*) > 1
  `)

  function settle(lease: Lease): Settlement {
    const to = random(5)
    if (to === 0) return { lease, to: 'dead', error: 'down' }
    if (to === 1) return { lease, to: 'return', cutOffs: 1 }
    if (to === 2) return { lease, to: 'retry', error: 'down', dueAt: time + random(20), crashes: random(4) }
    return { lease, to: 'completed' }
  }

  async function act(): Promise<void> {
    const worker = workers[random(3)] as (typeof workers)[number]
    const { store, leases } = worker
    const id = String(some[random(4)]?.all()[random(20)]?.id ?? 1)
    const action = random(12)
    if (action < 3) {
      const ended = leases.splice(0, random(leases.length + 1)).map(settle)
      leases.push(...(await store.settleAndLease(ended, random(4))))
    } else if (action < 6) {
      const subject = random(8) === 0 ? null : `payment:${random(4)}`
      const keys = [subject, subject, subject, null, 'payment:1', 'payee:7']
      for (let more = random(4); more >= 0; more--) {
        const concurrencyKey = keys[random(6)]
        await entries.put({
          ...createSigned(random(1e9)),
          subject,
          ...(concurrencyKey !== subject && { concurrencyKey }),
        })
      }
    } else if (action === 6) await entries.replay(id).catch(() => {})
    else if (action === 7) await entries.remove([id])
    else if (action === 8) {
      const suspect = await store.leaseSuspect()
      if (suspect !== undefined) leases.push(suspect)
    } else if (action === 9) {
      // Its process crashes, and another one starts.
      leases.length = 0
      await store.close()
      await store.open()
    } else leases.push(...(await store.recover()))
  }

  for (const { store } of workers) await store.open()
  for (let count = 0; count < 1_000; count++) {
    time += random(3)
    await act()
    expect(forgotten.all(time)).toEqual([])
    expect(busy.all()).toEqual([])
  }

  // Whatever is left can be handled.
  time += 1_000
  for (let count = 0; count < 3_000; count++) {
    const { store, leases } = workers[count % 3] as (typeof workers)[number]
    leases.push(...(await store.recover()))
    const ended = leases.splice(0).map((lease): Settlement => ({ lease, to: 'completed' }))
    leases.push(...(await store.settleAndLease(ended, 5)))
    const suspect = await store.leaseSuspect()
    if (suspect !== undefined) leases.push(suspect)
    const { active, waiting } = await entries.counts()
    if (active + waiting === 0) break
  }
  expect(await entries.counts()).toMatchObject({ active: 0, waiting: 0 })
  for (const { store } of workers) await store.close()
})
