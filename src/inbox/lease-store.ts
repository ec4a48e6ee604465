import type { InboxDelivery } from '../receiver/receiver-inbox.ts'

/** A notification that this process holds. No other process handles it as long as this one is alive. */
export interface Lease extends Omit<InboxDelivery, 'signal'> {
  /** How many attempts in a row ended with a crash of the process. */
  readonly crashes: number
}

export type Settlement = { readonly lease: Lease } & (
  | { readonly to: 'completed'; readonly note?: string | undefined }
  | { readonly to: 'dead'; readonly error: string }
  | {
      /** `return` if the attempt does not count: it was cut off, or a handler said "not yet". */
      readonly to: 'retry' | 'return'
      /** `undefined` keeps that of an earlier attempt. */
      readonly error: string | undefined
      /** After it is stored, since the clock may be set in between. */
      readonly delayMs: number
      readonly crashes: number
    }
)

export interface Outlook {
  /** Whether an entry that is not suspect is due. */
  readonly isDue: boolean
  readonly isSuspectDue: boolean
  readonly mayRecover: boolean
}

/**
 * What a worker needs from an engine without workers of its own. A write is done when its promise resolves. An
 * entry is suspect after `SUSPECT_CRASHES` crashes in a row. While the inbox is paused, nothing is due.
 */
export interface LeaseStore {
  /** @param onLost called if another process took this one for dead, and takes over its leases */
  open(onLost?: () => void): Promise<void>
  /**
   * Stores the results of leases, in one transaction with leasing due entries that are not suspect, oldest
   * first, and counting their attempt. Storing a result twice has no effect.
   */
  settleAndLease(settlements: readonly Settlement[], limit: number): Promise<Lease[]>
  /** Called several times a second, also by an idle worker. */
  look(): Promise<Outlook>
  leaseSuspect(): Promise<Lease | undefined>
  /** Takes over some of the leases of crashed processes. An empty list means that there are none left. */
  recover(): Promise<Lease[]>
  /** When the next entry that is not suspect is due, as a Unix time in ms; `undefined` if none is waiting. */
  nextDueAt(): Promise<number | undefined>
  /** Unregisters the worker. Other processes may take over the leases that it still holds. */
  close(): Promise<void>
}
