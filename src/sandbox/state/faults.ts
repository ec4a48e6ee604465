import * as check from '../../option-checks.ts'

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
export interface Faults extends NotificationFaults {
  /**
   * Send that many different notifications at once instead of one, from 1 to 10,000. Their ids are new, or
   * count up from the id in the data of a trigger.
   */
  readonly burst?: number | undefined
  /** How many of the following notifications have faults. It does not limit `burst`. @default no limit */
  readonly times?: number | undefined
}

/** Faults of requests to the API: the grants, hello and the webhook operations. */
export interface ApiFaults {
  /** Respond with this status and do nothing: 429, or 500 to 599. */
  readonly status?: number | undefined
  /** The `Retry-After` header, in seconds, from 0 to 86,400. @default 1 for 429, otherwise none */
  readonly retryAfterSeconds?: number | undefined
  /** The delay before the request is processed, in milliseconds, from 0 to 24.8 days. */
  readonly delayMs?: number | undefined
  /** Process the request, then close the connection without a response. */
  readonly loseResponse?: boolean | undefined
  /** Affects only requests whose path starts with this, such as `/oauth/token`. */
  readonly path?: string | undefined
  /** How many of these requests have faults. @default no limit */
  readonly times?: number | undefined
}

/** Faults of notifications, and of the API. */
export interface SandboxFaults extends Faults {
  readonly api?: ApiFaults | undefined
}

// Limits the memory of one call.
const MAX_AT_ONCE = 100_000

const ATTEMPT_FAULTS = {
  delayMs: check.optional(check.delayMs(0)),
  signature: check.optional(check.oneOf(['wrong', 'missing'])),
  truncate: check.optional(check.flag(false)),
  drop: check.optional(check.flag(false)),
} satisfies check.Checks<AttemptFaults>

const NOTIFICATION_FAULTS = {
  ...ATTEMPT_FAULTS,
  duplicate: check.optional(check.integer(0, 100)),
  reorder: check.optional(check.flag(false)),
  attempts: check.optional(upToThreeAttempts),
} satisfies check.Checks<NotificationFaults>

export const FAULTS = {
  ...NOTIFICATION_FAULTS,
  burst: check.optional(check.integer(1, 10_000)),
  times: check.optional(check.size()),
} satisfies check.Checks<Faults>

const API_FAULTS = {
  status: check.optional(
    check.option<number>(
      '429 or an integer from 500 to 599',
      (value) => typeof value === 'number' && /^(?:429|5\d\d)$/.test(String(value)),
    ),
  ),
  retryAfterSeconds: check.optional(check.integer(0, 86_400)),
  delayMs: check.optional(check.delayMs(0)),
  loseResponse: check.optional(check.flag(false)),
  path: check.optional(check.text()),
  times: check.optional(check.size()),
} satisfies check.Checks<ApiFaults>

const SANDBOX_FAULTS = {
  ...FAULTS,
  api: check.optional((_name, value) => freeze(check.checkOptions('faults.api', value, API_FAULTS))),
} satisfies check.Checks<SandboxFaults>

export function checkFaults(
  faults: SandboxFaults = {},
  table: typeof FAULTS = SANDBOX_FAULTS,
): SandboxFaults {
  const checked = check.checkOptions('faults', faults, table)
  checkCopies(checked)
  return freeze(checked)
}

/** The largest number of notifications that one event causes. @param others faults that also apply to them */
export function checkCopies(faults: Faults, others: Faults = {}): number {
  const copies = 1 + Math.max(faults.duplicate ?? 0, others.duplicate ?? 0)
  const count = (faults.burst ?? others.burst ?? 1) * copies
  if (count <= MAX_AT_ONCE) return count
  throw new TypeError(`"burst" option must be at most ${MAX_AT_ONCE} together with its duplicates`)
}

/** A frozen copy without the faults that are `undefined`. */
function freeze<Value extends object>(faults: Value): Value {
  const entries = Object.entries(faults).filter(([, value]) => value !== undefined)
  return Object.freeze(structuredClone(Object.fromEntries(entries))) as Value
}

function upToThreeAttempts(name: string, value: unknown): readonly AttemptFaults[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 3)
    throw new TypeError(`"${name}" option must be a list of 1 to 3 faults`)
  for (const faults of value) check.checkOptions(name, faults, ATTEMPT_FAULTS)
  return value
}

/** The faults that are set for all, and those of the next notification and of the next request. */
export class PlannedFaults {
  current: SandboxFaults = {}
  nextOfNotification = toNextFaults({})
  nextOfRequest = limitFaults<ApiFaults>({})

  /** @throws TypeError if a fault is unknown or out of range. Nothing is changed then. */
  set(wanted?: SandboxFaults): void {
    this.current = checkFaults(wanted)
    const { api = {}, ...ofNotifications } = this.current
    this.nextOfNotification = toNextFaults(ofNotifications)
    this.nextOfRequest = limitFaults(api, api.times)
  }
}

export function toNextFaults({ burst: _burst, times, ...faults }: Faults): () => NotificationFaults {
  return limitFaults<NotificationFaults>(faults, times)
}

/** Returns the faults for that many calls, then none. */
function limitFaults<Each extends object>(
  faults: Each,
  times = Number.POSITIVE_INFINITY,
): () => Partial<Each> {
  let count = 0
  return () => (count++ < times ? faults : {})
}
