import { assertOptions, booleanOption, withinRange } from '../../option-checks.ts'

/**
 * What goes wrong with notifications on request. Every attempt of a delivery has the faults that were asked for
 * when the event happened.
 */
export interface Faults {
  /** Further copies of every notification, from 0 to 100. */
  readonly duplicate?: number | undefined
  /**
   * Each two neighbours for one configuration change places: the first, with its copies, is held until the next
   * with another body has been answered, for up to 250 ms.
   */
  readonly reorder?: boolean | undefined
  /** How long to wait before the first attempt, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** The `ACCESS-SIGNATURE` header is that of another client id, or is not there. */
  readonly signature?: 'wrong' | 'missing' | undefined
  /** Half of the body is sent, then the connection is cut. */
  readonly truncate?: boolean | undefined
  /** The notification is never sent, and recorded as `dropped`. */
  readonly drop?: boolean | undefined
  /**
   * That many different notifications at once in place of one, from 1 to 10,000. Their ids are new, or counted
   * up from the id in the data of a trigger.
   */
  readonly burst?: number | undefined
}

const FAULTS = ['duplicate', 'reorder', 'delayMs', 'signature', 'truncate', 'drop', 'burst'] as const
const MAX_DELAY_MS = 2 ** 31 - 1

// What one call may put into memory.
const MAX_AT_ONCE = 100_000

/** @throws TypeError for a fault that does not exist or is out of range */
export function checkFaults(faults: Faults | undefined): Faults {
  if (faults === undefined) return {}
  assertOptions(faults, FAULTS)
  withinRange('duplicate', faults.duplicate, 0, 0, 100)
  withinRange('delayMs', faults.delayMs, 0, 0, MAX_DELAY_MS)
  withinRange('burst', faults.burst, 1, 1, 10_000)
  for (const name of ['reorder', 'truncate', 'drop'] as const) booleanOption(name, faults[name], false)
  if (![undefined, 'wrong', 'missing'].includes(faults.signature))
    throw new TypeError(`"signature" option must be 'wrong' or 'missing'`)
  if ((faults.burst ?? 1) * (1 + (faults.duplicate ?? 0)) > MAX_AT_ONCE)
    throw new TypeError(`"burst" option must be at most ${MAX_AT_ONCE} together with its duplicates`)
  return Object.freeze(Object.fromEntries(Object.entries(faults).filter(([, value]) => value !== undefined)))
}
