import { settlesWithin } from '../time-limit.ts'

/** The number of crashes in a row after which an entry is suspect: it may be what crashes its process. */
export const SUSPECT_CRASHES = 2

/** How long to wait for the other handlers before a suspect runs, and then for the suspect, in milliseconds. */
const LIMIT_MS = 10_000
/** How long a process handles others first: the one before it may have died of a suspect at once. */
const FIRST_MS = 1_000

/**
 * Runs each suspect alone, so that a poison message crashes no other handlers. Neither side waits for the other
 * longer than the limit. A suspect that ran for n ms is followed by n ms for the others.
 */
export function createIsolation(limitMs = LIMIT_MS) {
  let active = false
  let restsUntil = performance.now() + FIRST_MS
  return {
    /** Whether a suspect runs alone, or is about to. No other handler may start meanwhile. */
    isActive: () => active,
    mayBegin: () => !active && performance.now() >= restsUntil,
    async run(othersEnded: Promise<unknown>, handleSuspect: () => Promise<unknown>): Promise<void> {
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
