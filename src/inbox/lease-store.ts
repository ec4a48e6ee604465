import type { InboxDelivery } from '../receiver/receiver-inbox.ts'

/** A notification that this process holds: no other process handles it while this one lives. */
export interface Lease extends Omit<InboxDelivery, 'signal'> {
  /** How many attempts in a row have ended with the death of their process. */
  readonly deaths: number
  /** How often `stop()` has cut it off. */
  readonly cutOffs: number
}

/** What becomes of a lease. */
export type Settlement = { readonly lease: Lease } & (
  | { readonly to: 'completed' }
  | { readonly to: 'dead'; readonly error: string }
  | { readonly to: 'retry'; readonly error: string; readonly dueAt: number; readonly deaths: number }
  /** Given back behind what waits; the attempt does not count. */
  | { readonly to: 'return'; readonly cutOffs: number }
)

/**
 * What a worker needs of an engine that has no workers of its own. Every write is done when its promise
 * resolves. An entry is suspect after `SUSPECT_DEATHS` deaths in a row.
 */
export interface LeaseStore {
  /** Begins the life of a worker, under which leases are held. */
  open(): Promise<void>
  /**
   * Stores what became of leases, then leases what is due and not suspect, oldest first, and counts the
   * attempts. To store the same twice has no effect.
   */
  exchange(ended: readonly Settlement[], limit: number): Promise<Lease[]>
  isSuspectDue(): Promise<boolean>
  leaseSuspect(): Promise<Lease | undefined>
  /** Takes over part of what dead processes held; an empty list means that nothing is left. */
  recover(): Promise<Lease[]>
  /**
   * When the next entry that is not suspect falls due, in milliseconds since 1970; `undefined` if none waits.
   */
  nextDueAt(): Promise<number | undefined>
  /** Ends the life: others may take what is still leased. */
  close(): Promise<void>
}
