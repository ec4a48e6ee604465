import { settlesWithin } from '../time-limit.ts'

/** The number of crashes in a row after which an entry is suspect: it may be what crashes its process. */
export const SUSPECT_DEATHS = 2

/** How long to wait for the other handlers before a suspect runs, and then for the suspect, in milliseconds. */
const LIMIT_MS = 10_000

/**
 * Runs each suspect alone, so that a poison message crashes no other handlers. Neither side waits for the other
 * longer than the limit. A suspect that ran for n ms is followed by n ms for the others.
 */
export interface Isolation {
  /** Whether a suspect runs alone, or is about to. No other handler may start meanwhile. */
  isActive(): boolean
  /** Whether a suspect may run now. */
  mayBegin(): boolean
  /**
   * Runs a suspect alone.
   *
   * @param othersEnded resolves when no other handler is running
   * @param handleSuspect runs the suspect, and resolves when it has ended
   */
  run(othersEnded: Promise<unknown>, handleSuspect: () => Promise<unknown>): Promise<void>
}

export function createIsolation(limitMs = LIMIT_MS): Isolation {
  let active = false
  let restsUntil = 0
  return {
    isActive: () => active,
    mayBegin: () => !active && performance.now() >= restsUntil,
    async run(othersEnded, handleSuspect) {
      active = true
      const began = performance.now()
      try {
        await settlesWithin(othersEnded, limitMs)
        await settlesWithin(handleSuspect(), limitMs)
      } finally {
        const ended = performance.now()
        restsUntil = ended + (ended - began)
        active = false
      }
    },
  }
}
