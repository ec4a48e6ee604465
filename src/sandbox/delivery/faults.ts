import {
  type Check,
  type Checks,
  checkOptions,
  delayMs,
  flag,
  integer,
  oneOf,
  optional,
  size,
} from '../../option-checks.ts'

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

/** Which of the following notifications or requests have faults. */
export interface Planned<Each> {
  /** Faults of the first, the second and so on, repeated after the last. `{}` is no fault. */
  readonly sequence?: readonly Each[] | undefined
  /** How many have faults. @default no limit */
  readonly times?: number | undefined
}

/** Faults of notifications, decided when the event happens. */
export interface Faults extends NotificationFaults, Planned<NotificationFaults> {
  /**
   * Send that many different notifications at once instead of one, from 1 to 10,000. Their ids are new, or
   * count up from the id in the data of a trigger.
   */
  readonly burst?: number | undefined
}

// Limits the memory of one call.
const MAX_AT_ONCE = 100_000
const MAX_SEQUENCE = 1_000

const ATTEMPT_FAULTS = {
  delayMs: optional(delayMs(0)),
  signature: optional(oneOf(['wrong', 'missing'])),
  truncate: optional(flag(false)),
  drop: optional(flag(false)),
} satisfies Checks<AttemptFaults>

const NOTIFICATION_FAULTS = {
  ...ATTEMPT_FAULTS,
  duplicate: optional(integer(0, 100)),
  reorder: optional(flag(false)),
  attempts: listOf<AttemptFaults>(3, ATTEMPT_FAULTS),
} satisfies Checks<NotificationFaults>

export const FAULTS = {
  ...NOTIFICATION_FAULTS,
  burst: optional(integer(1, 10_000)),
  ...planned<NotificationFaults>(NOTIFICATION_FAULTS),
} satisfies Checks<Faults>

/** @throws TypeError if a fault is unknown or out of range */
export function checkFaults(faults: Faults = {}): Faults {
  const checked = checkOptions('faults', faults, FAULTS)
  checkCopies(checked)
  return freeze(checked)
}

/**
 * The largest number of notifications that one event causes.
 *
 * @param others faults that apply to the same notifications
 * @throws TypeError if there are too many
 */
export function checkCopies(faults: Faults, others: Faults = {}): number {
  const all = [faults, others].flatMap((one) => [one, ...(one.sequence ?? [])])
  const copies = 1 + Math.max(...all.map(({ duplicate = 0 }) => duplicate))
  const count = (faults.burst ?? others.burst ?? 1) * copies
  if (count <= MAX_AT_ONCE) return count
  throw new TypeError(`"burst" option must be at most ${MAX_AT_ONCE} together with its duplicates`)
}

/** The checks of a plan for faults with these checks. */
export function planned<Each>(checks: Checks<Each>): Checks<Planned<Each>> {
  return { sequence: listOf(MAX_SEQUENCE, checks), times: optional(size()) }
}

/** A frozen copy without the faults that are `undefined`. */
export function freeze<Value extends object>(faults: Value): Value {
  const entries = Object.entries(faults).filter(([, value]) => value !== undefined)
  return Object.freeze(structuredClone(Object.fromEntries(entries))) as Value
}

function listOf<Each>(most: number, checks: Checks<Each>): Check<readonly Each[] | undefined> {
  return optional((name, value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > most)
      throw new TypeError(`"${name}" option must be a list of 1 to ${most} faults`)
    for (const faults of value) checkOptions(name, faults, checks)
    return value
  })
}

/** Assigns faults to one after the other. Each call returns those of the next one. */
export function planFaults<Each extends object>({
  sequence = [],
  times = Number.POSITIVE_INFINITY,
  ...always
}: Each & Planned<Each>): () => Partial<Each> {
  let count = 0
  return () => {
    if (count === times) return {}
    return { ...(always as unknown as Each), ...sequence[count++ % sequence.length] }
  }
}
