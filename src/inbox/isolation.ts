import { within } from './within.ts'

/** After how many deaths in a row of the process that handled it an entry is suspect. */
export const SUSPECT_DEATHS = 2

/**
 * How long a suspect waits until nothing else is in hand, and the others until it has ended, in milliseconds.
 */
const LIMIT_MS = 10_000

/**
 * Gives each suspect a turn of its own, so that one that kills its process takes no others with it. A handler
 * that hangs delays a turn, or the others after it, for a limited time. After each turn the others get at least
 * as much time.
 */
export interface Isolation {
  /** Whether a suspect has its turn. Nothing else may be handed over meanwhile. */
  isActive(): boolean
  /** Whether a suspect may have a turn now. */
  mayBegin(): boolean
  /**
   * Gives a suspect its turn.
   *
   * @param othersEnded resolves when nothing else is in hand
   * @param handSuspect hands the suspect over, and resolves when it has ended
   */
  run(othersEnded: Promise<unknown>, handSuspect: () => Promise<unknown>): Promise<void>
}

export function createIsolation(limitMs = LIMIT_MS): Isolation {
  let active = false
  let restsUntil = 0
  return {
    isActive: () => active,
    mayBegin: () => !active && performance.now() >= restsUntil,
    async run(othersEnded, handSuspect) {
      active = true
      const began = performance.now()
      try {
        await within(othersEnded, limitMs)
        await within(handSuspect(), limitMs)
      } finally {
        const ended = performance.now()
        restsUntil = ended + (ended - began)
        active = false
      }
    },
  }
}
