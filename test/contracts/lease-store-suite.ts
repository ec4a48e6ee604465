import { expect, it } from 'vitest'
import { createRandom } from '../../fuzz/random.ts'
import type { InboxEngine, ReplayState } from '../../src/inbox/inbox-engine.ts'
import type { Lease, LeaseStore, Settlement } from '../../src/inbox/lease-store.ts'
import { createAbout, createSigned, nameOf } from './signed-notification.ts'
import { waitFor } from './wait-for.ts'

/** The leases of an engine without workers of its own, in a place that is new for each test. */
export interface LeasesUnderTest {
  readonly entries: Pick<InboxEngine, 'put' | 'get' | 'list' | 'restart' | 'remove' | 'counts'>
  /** The lease store of a worker, which is open. */
  openStore(): Promise<LeaseStore>
  /** Has the others take a worker for dead, which goes on. */
  presumeDead(store: LeaseStore): Promise<unknown>
  /** Makes a waiting entry one that has crashed its process twice, and is due. */
  makeSuspect(id: string): Promise<unknown>
  /**
   * What breaks a rule: parked entries that nobody will wake, keys of which two entries are active, and what is left of
   * keys when everything has been handled.
   */
  findBroken(isOver: boolean): Promise<unknown[]>
  /** Lets time pass for the engine. */
  pass(ms: number): void
}

interface Worker {
  readonly store: LeaseStore
  readonly leases: Lease[]
}

/** @param atOnce how many workers act at the same time */
export function describeLeaseStore(
  create: () => Promise<LeasesUnderTest>,
  { seeds, rounds, atOnce }: { seeds: readonly number[]; rounds: number; atOnce: number },
): void {
  const lease = async (store: LeaseStore) => await waitFor(async () => (await store.settleAndLease([], 1))[0])

  it('leases end only with the result that was given under them', async () => {
    const { entries, openStore, presumeDead } = await create()
    await entries.put(createSigned(1))
    const [frozen, live] = [await openStore(), await openStore()]
    const stale = await lease(frozen)
    await presumeDead(frozen)
    const endLate = async () => {
      await frozen.settleAndLease([{ lease: stale, to: 'completed' }], 0)
      await frozen.settleAndLease([{ lease: stale, to: 'dead', error: 'late' }], 0)
      for (const to of ['retry', 'return'] as const)
        await frozen.settleAndLease([{ lease: stale, to, error: 'late', delayMs: 0, crashes: 0 }], 0)
    }
    const get = async () => await entries.get(stale.id)

    const [recovered] = (await live.recover()) as [Lease]
    await live.settleAndLease([{ lease: recovered, to: 'retry', error: 'ended', delayMs: 0, crashes: 1 }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'waiting', attempts: 1, error: 'ended' })
    const second = await lease(live)
    await endLate()
    expect(await get()).toMatchObject({ state: 'active', attempts: 2, error: 'ended' })
    await live.settleAndLease([{ lease: second, to: 'completed' }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'completed', attempts: 2 })
    await entries.restart('completed', [{ id: stale.id, dueAt: undefined }])
    const replayed = await lease(live)
    await endLate()
    expect(await get()).toMatchObject({ state: 'active', attempts: 1, error: null })
    await live.settleAndLease([{ lease: replayed, to: 'dead', error: 'down' }], 0)
    await endLate()
    expect(await get()).toMatchObject({ state: 'dead', attempts: 1, error: 'down' })
    await Promise.all([frozen.close(), live.close()])
  })

  it('leases are given to a suspect in its turn, however many others of its key there are', async () => {
    const { entries, openStore, makeSuspect } = await create()
    const put = async (...names: string[]) => {
      for (const name of names) await entries.put(createAbout('payment:1', name))
    }
    await put('first', 'suspect', 'third')
    const [store, other] = [await openStore(), await openStore()]
    const first = await lease(store)
    const [next] = await entries.list('waiting', 1, undefined)
    await makeSuspect(next?.id ?? '')
    expect(await other.leaseSuspect()).toBeUndefined()
    await put('fourth')
    await entries.put(createAbout('payment:2', 'other'))
    const taken = await store.settleAndLease([{ lease: first, to: 'completed' }], 5)
    expect(taken.map(nameOf)).toEqual(['other'])
    expect(await other.settleAndLease([], 5)).toEqual([])
    const suspect = (await other.leaseSuspect()) as Lease
    expect([nameOf(suspect), suspect.crashes]).toEqual(['suspect', 2])
    expect(await store.settleAndLease([], 5)).toEqual([])
    await other.settleAndLease([{ lease: suspect, to: 'completed' }], 0)
    const third = await lease(store)
    await store.settleAndLease([{ lease: third, to: 'completed' }], 0)
    expect([nameOf(third), nameOf(await lease(other))]).toEqual(['third', 'fourth'])
    await Promise.all([store.close(), other.close()])
  })

  it.each(seeds)('leases never make a worker forget a parked entry, whatever happens (%i)', async (seed) => {
    const { below: random, pick } = createRandom(seed)
    const { entries, openStore, findBroken, pass } = await create()
    const workers: Worker[] = []
    for (let count = 0; count < 3; count++) workers.push({ store: await openStore(), leases: [] })

    function settle(one: Lease): Settlement {
      const to = random(5)
      if (to === 0) return { lease: one, to: 'dead', error: 'down' }
      if (to === 1) return { lease: one, to: 'return', error: undefined, delayMs: 0, crashes: one.crashes }
      if (to === 2) return { lease: one, to: 'retry', error: 'down', delayMs: random(20), crashes: random(4) }
      return { lease: one, to: 'completed' }
    }

    async function act({ store, leases }: Worker): Promise<void> {
      const state = pick<ReplayState>(['dead', 'completed', 'waiting', 'waiting'])
      const id = async () => pick(await entries.list(state, 20, undefined))?.id ?? crypto.randomUUID()
      const action = random(12)
      if (action < 3) {
        const ended = leases.splice(0, random(leases.length + 1)).map(settle)
        leases.push(...(await store.settleAndLease(ended, random(4))))
      } else if (action < 6) {
        const subject = random(8) === 0 ? null : `payment:${random(4)}`
        const puts = Array.from({ length: 1 + random(4) }, () => {
          const concurrencyKey = pick([subject, subject, subject, null, 'payment:1', 'payee:7'])
          return entries.put({
            ...{ ...createSigned(random(1e9)), subject },
            ...(concurrencyKey !== subject && { concurrencyKey }),
          })
        })
        await Promise.all(puts)
      } else if (action === 6) await entries.restart(state, [{ id: await id(), dueAt: undefined }])
      else if (action === 7) await entries.remove([await id()])
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

    async function isOver(): Promise<boolean> {
      const { active, waiting } = await entries.counts()
      return active + waiting === 0
    }

    for (let round = 0; round < rounds; round++) {
      pass(random(3))
      const acting = atOnce === 1 ? [pick(workers)] : workers.slice(0, atOnce)
      const acts = acting.map(act)
      // What happens at the same time may be rejected.
      await (atOnce === 1 ? Promise.all(acts) : Promise.allSettled(acts))
      expect(await findBroken(false)).toEqual([])
    }
    // Whatever is left can be handled.
    pass(1_000)
    for (let left = 3_000; left > 0 && !(await isOver()); left--) {
      for (const { store, leases } of workers) {
        leases.push(...(await store.recover()))
        const ended = leases.splice(0).map((one): Settlement => ({ lease: one, to: 'completed' }))
        leases.push(...(await store.settleAndLease(ended, 5)))
        const suspect = await store.leaseSuspect()
        if (suspect !== undefined) leases.push(suspect)
      }
    }
    expect(await isOver()).toBe(true)
    expect(await findBroken(true)).toEqual([])
    await Promise.all(workers.map(({ store }) => store.close()))
  })
}
