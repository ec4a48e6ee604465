import { settlesWithin } from './settles-within.ts'

/** The number of crashes in a row after which an entry is suspect: it may be what crashes its process. */
export const SUSPECT_DEATHS = 2

/** How long to wait for the other handlers before a suspect runs, and then for the suspect, in milliseconds. */
const LIMIT_MS = 10_000

/**
 * Runs each suspect alone, so that a poison message crashes no other handlers. A handler that hangs delays the
 * suspect, or the others after it, only up to the limit. After each turn the others get at least as much time.
 */
export interface Isolation {
  /** Whether a suspect has its turn. No other handler may start meanwhile. */
  isActive(): boolean
  /** Whether a suspect may have its turn now. */
  mayBegin(): boolean
  /**
   * Gives a suspect its turn.
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
