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
  cutOffs: number
}

/** Mistakes that show whether the exploration finds any. */
export type Mistake =
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
  const entries: Entry[] = initial.map((one) => ({ ...one, state: 'waiting', attempts: 0, cutOffs: 0 }))
  const dead = new Set<string>()
  const find = (id: string) => entries.find((entry) => entry.id === id) as Entry
  const isSuspect = ({ crashes }: Entry) => crashes >= SUSPECT_CRASHES
  const due = (suspects: boolean) =>
    entries.filter((entry) => entry.state === 'waiting' && isSuspect(entry) === suspects)

  function isBusy(key: string): boolean {
    return entries.some((entry) => entry.key === key && entry.state === 'active')
  }

  function wakeOldestParked(key: string): void {
    if (isBusy(key)) return
    const parked = entries.find((entry) => entry.key === key && entry.state === 'parked')
    if (parked !== undefined) parked.state = 'waiting'
  }

  function toLease(entry: Entry): Lease {
    const { id, attempts: attempt, crashes, cutOffs } = entry
    return { ...NOTIFICATION, id, idempotencyKey: id, attempt, crashes, cutOffs }
  }

  function take(worker: string, suspects: boolean, limit: number): Lease[] {
    const taken: Entry[] = []
    for (const next of due(suspects)) {
      if (taken.length === limit) break
      if (isBusy(next.key)) next.state = 'parked'
      else {
        Object.assign(next, { state: 'active', worker, attempts: next.attempts + 1 })
        taken.push(next)
      }
    }
    return taken.map(toLease)
  }

  function settle(worker: string, settled: Settlement): void {
    const entry = find(settled.lease.id)
    const holds = entry.state === 'active' && entry.worker === worker
    if (!holds) return
    entry.worker = undefined
    if (settled.to === 'completed' || settled.to === 'dead') entry.state = settled.to
    else {
      entry.state = settled.to === 'deferred' ? 'deferred' : 'waiting'
      if (settled.to === 'return') entry.cutOffs = settled.cutOffs
      else entry.crashes = settled.crashes
      if (settled.to !== 'retry') entry.attempts -= 1
    }
    wakeOldestParked(entry.key)
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
      if (entry.state === 'dead')
        Object.assign(entry, { state: 'waiting', attempts: 0, crashes: 0, cutOffs: 0 })
    },
    becomeDue(id) {
      find(id).state = 'waiting'
    },
  }
}
