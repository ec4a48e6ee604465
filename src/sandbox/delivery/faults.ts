import { assertOptions, booleanOption, withinRange } from '../../option-checks.ts'
import type { Planned } from './fault-plan.ts'

/** Faults of one delivery attempt. */
export interface AttemptFaults {
  /** The delay before the attempt, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** Sign with another client id, or send no `ACCESS-SIGNATURE` header. */
  readonly signature?: 'wrong' | 'missing' | undefined
  /** Send half of the body, then close the connection. */
  readonly truncate?: boolean | undefined
  /** Send nothing. */
  readonly drop?: boolean | undefined
}

/** Faults of one notification. */
export interface NotificationFaults extends AttemptFaults {
  /** The delay before the first attempt, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** Never send the notification, and record it as `dropped`. */
  readonly drop?: boolean | undefined
  /** The number of extra copies of the notification, from 0 to 100. */
  readonly duplicate?: number | undefined
  /**
   * Swap each pair of notifications to a configuration: hold the first, with its copies, until the next one
   * with another body has a response, for up to 250 ms.
   */
  readonly reorder?: boolean | undefined
  /**
   * Additional faults of the first, second and third attempt: `[{ truncate: true }]` truncates the first and
   * delivers the second.
   */
  readonly attempts?: readonly AttemptFaults[] | undefined
}

/** Faults of notifications, decided when the event happens. */
export interface Faults extends NotificationFaults, Planned<NotificationFaults> {
  /**
   * Send that many different notifications at once instead of one, from 1 to 10,000. Their ids are new, or
   * count up from the id in the data of a trigger.
   */
  readonly burst?: number | undefined
}

const ATTEMPT_FAULTS = ['delayMs', 'signature', 'truncate', 'drop'] as const
const NOTIFICATION_FAULTS = [...ATTEMPT_FAULTS, 'duplicate', 'reorder', 'attempts'] as const
export const PLAN = ['sequence', 'times', 'chance'] as const
export const FAULTS = [...NOTIFICATION_FAULTS, 'burst', ...PLAN] as const
export const MAX_DELAY_MS = 2 ** 31 - 1

// Limits the memory of one call.
const MAX_AT_ONCE = 100_000
const MAX_SEQUENCE = 1_000

/** @throws TypeError if a fault is unknown or out of range */
export function checkFaults(faults: Faults | undefined): Faults {
  if (faults === undefined) return {}
  assertOptions(faults, FAULTS)
  const { burst, sequence, times, chance, ...always } = faults
  withinRange('burst', burst, 1, 1, 10_000)
  checkNotificationFaults(always)
  checkPlan({ sequence, times, chance }, checkNotificationFaults)
  checkCopies(faults)
  return freeze(faults)
}

/**
 * @param others faults that apply to the same notifications
 * @throws TypeError if one event would cause too many notifications
 */
export function checkCopies(faults: Faults, others: Faults = {}): void {
  const copies = [faults, others].flatMap((one) => [one, ...(one.sequence ?? [])])
  const most = 1 + Math.max(...copies.map(({ duplicate = 0 }) => duplicate))
  if ((faults.burst ?? others.burst ?? 1) * most > MAX_AT_ONCE)
    throw new TypeError(`"burst" option must be at most ${MAX_AT_ONCE} together with its duplicates`)
}

/** @throws TypeError if a plan is out of range */
export function checkPlan<Each>(
  { sequence, times, chance }: Planned<Each>,
  checkOne: (faults: Each) => void,
): void {
  withinRange('times', times, 1, 1, Number.MAX_SAFE_INTEGER)
  if (sequence !== undefined) listOf('sequence', sequence, MAX_SEQUENCE).forEach(checkOne)
  if (chance === undefined) return
  assertOptions(chance, ['probability', 'seed'])
  withinRange('seed', chance.seed ?? Number.NaN, 0, 0, 2 ** 32 - 1)
  if (!(typeof chance.probability === 'number' && chance.probability >= 0 && chance.probability <= 1))
    throw new TypeError('"probability" option must be a number from 0 to 1')
}

/** A frozen copy without the faults that are `undefined`. */
export function freeze<Value extends object>(faults: Value): Value {
  const entries = Object.entries(faults).filter(([, value]) => value !== undefined)
  return Object.freeze(structuredClone(Object.fromEntries(entries))) as Value
}

function checkNotificationFaults(faults: NotificationFaults): void {
  assertOptions(faults, NOTIFICATION_FAULTS)
  const { duplicate, reorder, attempts, ...always } = faults
  withinRange('duplicate', duplicate, 0, 0, 100)
  booleanOption('reorder', reorder, false)
  checkAttemptFaults(always)
  if (attempts !== undefined) listOf('attempts', attempts, 3).forEach(checkAttemptFaults)
}

function checkAttemptFaults(faults: AttemptFaults): void {
  assertOptions(faults, ATTEMPT_FAULTS)
  withinRange('delayMs', faults.delayMs, 0, 0, MAX_DELAY_MS)
  booleanOption('truncate', faults.truncate, false)
  booleanOption('drop', faults.drop, false)
  if (![undefined, 'wrong', 'missing'].includes(faults.signature))
    throw new TypeError(`"signature" option must be 'wrong' or 'missing'`)
}

function listOf<Each>(name: string, value: readonly Each[], most: number): readonly Each[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw new TypeError(`"${name}" option must be a list of 1 to ${most} faults`)
  return value
}
