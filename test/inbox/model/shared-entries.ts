import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'
import type { Lease, LeaseStore, Settlement } from '../../../src/inbox/lease-store.ts'

/** An entry of the store that all workers of an execution share. */
export interface Entry {
  readonly id: string
  readonly key: string
  /**
   * `parked` is due, but waits until no other entry of its key is active. `deferred` is not due until its time
   * has come.
   */
  state: 'waiting' | 'deferred' | 'parked' | 'active' | 'completed' | 'dead'
  /** The worker that holds it while it is active. */
  worker?: string | undefined
  attempts: number
  crashes: number
}

/** Mistakes that a store could make. Most have been made by published queues. */
export type Mistake =
  /** Counts the active entries of a key, and forgets those of a crashed process. */
  | 'leaking counter'
  /** Checks whether a key is busy once for a batch. */
  | 'batch of one key'
  /** Looks for parked entries before the entry that ends is written. */
  | 'wake before settling'
  /** Parks an entry in a transaction of its own, after it was found busy. */
  | 'park later'
  /** Keeps the key of an entry that is deferred. */
  | 'deferred keeps its key'
  /** Counts the attempt of an entry that is deferred. */
  | 'deferral counts'
  /** Takes over what a live process holds. */
  | 'impatient recovery'
  /** Leaves what a crashed process held. */
  | 'no recovery'

export interface Store {
  readonly entries: readonly Entry[]
  /** Executes a call of a worker at once. */
  call(worker: string, name: keyof LeaseStore, args: readonly unknown[]): unknown
  /** Whether a call would change anything. */
  wouldChange(worker: string, name: keyof LeaseStore, args: readonly unknown[]): boolean
  crash(worker: string): void
  replay(id: string): void
  /** The time has come for which an entry waited. */
  becomeDue(id: string): void
  /** What is stored beside the entries, for a mistake. */
  hidden(): unknown
}

const NOTIFICATION = {
  signature: '',
  clientId: '',
  receivedAt: new Date(0),
  rawBody: new Uint8Array(),
  subject: null,
  source: 'service',
} as const

/** A lease store in memory that handles one entry of a key at a time, as every engine has to. */
export function createStore(
  initial: readonly Pick<Entry, 'id' | 'key' | 'crashes'>[],
  mistake?: Mistake,
): Store {
  const entries: Entry[] = initial.map((one) => ({ ...one, state: 'waiting', attempts: 0 }))
  const dead = new Set<string>()
  const counted = new Map<string, number>()
  const found = new Map<string, Entry>()
  const find = (id: string) => entries.find((entry) => entry.id === id) as Entry
  const isSuspect = ({ crashes }: Entry) => crashes >= SUSPECT_CRASHES
  const due = (suspects: boolean) =>
    entries.filter((entry) => entry.state === 'waiting' && isSuspect(entry) === suspects)

  function count(key: string, change: number): void {
    counted.set(key, (counted.get(key) ?? 0) + change)
  }

  function isBusy(key: string): boolean {
    if (mistake === 'leaking counter') return (counted.get(key) ?? 0) > 0
    const keeps = mistake === 'deferred keeps its key' ? ['active', 'deferred'] : ['active']
    return entries.some((entry) => entry.key === key && keeps.includes(entry.state))
  }

  function wakeOldestParked(key: string): void {
    if (isBusy(key)) return
    const parked = entries.find((entry) => entry.key === key && entry.state === 'parked')
    if (parked !== undefined) parked.state = 'waiting'
  }

  function toLease(entry: Entry): Lease {
    const { id, attempts: attempt, crashes } = entry
    return { ...NOTIFICATION, id, idempotencyKey: id, attempt, crashes }
  }

  function take(worker: string, suspects: boolean, limit: number): Lease[] {
    parkFound()
    const taken: Entry[] = []
    const busyBefore = new Set(entries.filter(({ state }) => state === 'active').map(({ key }) => key))
    while (taken.length < limit) {
      const next = due(suspects).find((entry) => mistake !== 'park later' || !found.has(entry.id))
      if (next === undefined) break
      const busy = mistake === 'batch of one key' ? busyBefore.has(next.key) : isBusy(next.key)
      if (busy) {
        if (mistake === 'park later') found.set(next.id, next)
        else next.state = 'parked'
        continue
      }
      Object.assign(next, { state: 'active', worker, attempts: next.attempts + 1 })
      count(next.key, 1)
      taken.push(next)
    }
    return taken.map(toLease)
  }

  /** Only with the mistake `park later`: entries found busy by the last call. */
  function parkFound(): void {
    for (const entry of found.values()) if (entry.state === 'waiting') entry.state = 'parked'
    found.clear()
  }

  function settle(worker: string, settled: Settlement): void {
    const entry = find(settled.lease.id)
    const holds = entry.state === 'active' && entry.worker === worker
    if (!holds) return
    if (mistake === 'wake before settling') wakeOldestParked(entry.key)
    entry.worker = undefined
    if (settled.to === 'completed' || settled.to === 'dead') entry.state = settled.to
    else {
      entry.state = settled.delayMs > 0 ? 'deferred' : 'waiting'
      entry.crashes = settled.crashes
      if (settled.to === 'return' && mistake !== 'deferral counts') entry.attempts -= 1
    }
    count(entry.key, -1)
    if (mistake !== 'wake before settling') wakeOldestParked(entry.key)
  }

  const recoverable = (worker: string) =>
    entries.filter(
      ({ state, worker: holder = '' }) =>
        state === 'active' &&
        holder !== worker &&
        mistake !== 'no recovery' &&
        (dead.has(holder) || mistake === 'impatient recovery'),
    )

  return {
    entries,
    call(worker, name, args) {
      switch (name) {
        case 'settleAndLease': {
          for (const settled of args[0] as Settlement[]) settle(worker, settled)
          return take(worker, false, args[1] as number)
        }
        case 'look':
          return {
            isDue: due(false).length > 0,
            isSuspectDue: due(true).length > 0,
            mayRecover: recoverable(worker).length > 0,
          }
        case 'leaseSuspect':
          return take(worker, true, 1)[0]
        case 'recover': {
          const abandoned = recoverable(worker)
          for (const entry of abandoned) entry.worker = worker
          if (mistake === 'leaking counter') for (const { key } of abandoned) count(key, 1)
          return abandoned.map(toLease)
        }
        case 'nextDueAt':
          return due(false).length > 0 ? 0 : undefined
        default:
          return undefined
      }
    },
    wouldChange(worker, name, args) {
      if (name === 'recover') return recoverable(worker).length > 0
      if (name === 'leaseSuspect') return due(true).length > 0
      if (name !== 'settleAndLease') return false
      return (args[0] as Settlement[]).length > 0 || ((args[1] as number) > 0 && due(false).length > 0)
    },
    crash: (worker) => void dead.add(worker),
    replay(id) {
      const entry = find(id)
      if (entry.state === 'dead') Object.assign(entry, { state: 'waiting', attempts: 0, crashes: 0 })
    },
    becomeDue(id) {
      find(id).state = 'waiting'
    },
    hidden: () => [[...counted], [...found.keys()]],
  }
}
