import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openDatabase } from '../../../../adapters/inbox/sqlite/database.ts'
import { createEntries } from '../../../../adapters/inbox/sqlite/entries.ts'
import { createGroupCommit } from '../../../../adapters/inbox/sqlite/group-commit.ts'
import { createLeaseStore } from '../../../../adapters/inbox/sqlite/leases.ts'
import { createRecentSignatures } from '../../../../adapters/inbox/sqlite/recent-signatures.ts'
import { STATE } from '../../../../adapters/inbox/sqlite/schema.ts'
import { describeLeaseStore, type LeasesUnderTest } from '../../../contracts/lease-store-suite.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { useFile } from './use-file.ts'

const file = useFile()
let time: number

beforeEach(() => {
  time = 1_000_000
})

function open(): DatabaseSync {
  const database = openDatabase(file.path, 'normal')
  onTestFinished(() => database.close())
  return database
}

const log = { mayHaveHole: false }

function createStore(database: DatabaseSync) {
  return createLeaseStore(database, createGroupCommit(database, log), file.path, true, () => time)
}

function createStoredEntries(database: DatabaseSync) {
  const now = () => time
  const recent = createRecentSignatures(database, 0, now)
  return createEntries(database, createGroupCommit(database, log, recent), recent, () => {}, now)
}

/** A store that has to recover the lease of another one. */
async function openAfterCrash() {
  const database = open()
  const [before, store] = [createStore(database), createStore(database)]
  await before.open()
  await createStoredEntries(database).put(createSigned(1))
  await before.settleAndLease([], 1)
  await before.close()
  await store.open()
  return store
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

it('reads no large body of an entry that is not taken', () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  createStore(open())
  const queries = prepare.mock.calls.flatMap(([sql]) => (/order by (?:id|due_at)\b/.test(sql) ? sql : []))
  prepare.mockRestore()
  expect(queries.length).toBeGreaterThan(3)
  const small = 'iif(length(body) <= 4096, body, null) as body'
  for (const query of queries) expect(query.replace(small, '')).not.toMatch(/\bbody\b/)
})

it('takes over nothing for the worker of the next start', async () => {
  const store = await openAfterCrash()
  const late = store.recover()
  await store.close()
  await store.open()
  expect(await late).toHaveLength(1)
  expect(await store.recover()).toHaveLength(1)
  await store.close()
})

it('mends once what a wrong clock has delayed, also of a process that was gone by then', async () => {
  const store = await openAfterCrash()
  time += 1e11
  const [lease] = await store.recover()
  if (lease === undefined) throw new Error('nothing was recovered')
  await store.settleAndLease([{ lease, to: 'retry', error: 'gone', delayMs: 1_000, crashes: 1 }], 0)
  time -= 1e11
  await store.recover()
  expect(await store.nextDueAt()).toBe(time)
  time += 1
  await store.recover()
  expect(await store.nextDueAt()).toBe(time - 1)
  await store.close()
})

async function createUnderTest(): Promise<LeasesUnderTest> {
  const database = open()
  const entries = createStoredEntries(database)
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
  const suspect = `update work set state = ${STATE.delayed}, due_at = 1, crashes = 2 where id = ?`
  return {
    entries,
    async openStore() {
      const store = createStore(open())
      await store.open()
      return store
    },
    presumeDead: (store) => store.close(),
    makeSuspect: async (id) => database.prepare(suspect).run(id),
    findBroken: async () => [...forgotten.all(time), ...busy.all()],
    pass: (ms) => {
      time += ms
    },
  }
}

describeLeaseStore(createUnderTest, { seeds: [1, 2, 3], rounds: 1_000, atOnce: 1 })
