import type { DeadNotification, Delivery } from '../receiver-inbox.ts'

/** A notification that this process holds: no other handles it while this one lives. */
export type Lease = Omit<Delivery, 'signal'>

/** What a worker needs of an engine that has no workers of its own. Every write is done when its promise resolves. */
export interface LeaseStore {
  /** Takes on the life of a worker, under which leases are held. */
  open(): Promise<void>
  /** Leases what is due, oldest first, and counts the attempt. */
  lease(limit: number): Promise<Lease[]>
  complete(lease: Lease): Promise<void>
  retry(lease: Lease, error: string, dueAt: number): Promise<void>
  bury(lease: Lease, error: string): Promise<void>
  /** Gives a lease back, as if the attempt had not been. */
  release(lease: Lease): Promise<void>
  /**
   * Takes back what dead processes held.
   *
   * @returns what had its last attempt, and is dead now
   */
  recover(): Promise<DeadNotification[]>
  /** When the next falls due, in milliseconds since 1970, or `undefined` when none waits. */
  nextDueAt(): Promise<number | undefined>
  /** Ends that life: others may take what is still leased. */
  close(): Promise<void>
}
