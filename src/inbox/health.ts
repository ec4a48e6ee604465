import { causesOf } from '../cause-of.ts'
import { isPayhookError } from '../is-payhook-error.ts'
import { type Checks, checkOptions, delayMs, optional } from '../option-checks.ts'
import { withTimeLimit } from '../time-limit.ts'

/**
 * - `pass`: nothing to do
 * - `warn`: somebody should look, see `problems`
 * - `fail`: the engine is unreachable or cannot store, or the inbox is closed
 */
export type HealthStatus = 'pass' | 'warn' | 'fail'

/** How an inbox is doing. After a failure, all numbers are `null`. */
export interface InboxHealth {
  readonly status: HealthStatus
  /**
   * Notifications that are not handled yet. An engine may stop counting at a large number, or estimate it; the
   * function that creates the inbox says so.
   */
  readonly waiting: {
    readonly count: number | null
    /**
     * For how long the oldest one could have been handled, in milliseconds; `null` if none is due. A retry that
     * waits for its time is not due, nor is one whose handler said "not yet".
     */
    readonly oldestAgeMs: number | null
  }
  /** Notifications that are being handled. */
  readonly active: {
    readonly count: number | null
    /** For how long the oldest one is being handled, in milliseconds; `null` if there is none. */
    readonly oldestAgeMs: number | null
    /** The id of the oldest one, for `get`; `null` if there is none. */
    readonly entryId: string | null
    /** What the oldest one is about, such as `payment:48121`; `null` if that is unknown. */
    readonly subject: string | null
  }
  /** Since when and why no handler begins, as `pause()` was told; `null` if the inbox is not paused. */
  readonly paused: { readonly since: Date; readonly reason: string } | null
  /** Notifications that failed for good. */
  readonly dead: { readonly count: number | null }
  /** When a notification was last stored, even if it is no longer kept; `null` if none ever was. */
  readonly lastStoredAt: Date | null
  /** Why the status is not `pass`, and `not_durable`. */
  readonly problems: readonly HealthProblem[]
}

/**
 * - `unavailable`: the engine is unreachable or cannot store, or the inbox is closed
 * - `paused`: no handler begins, see `paused`
 * - `dead`: there are dead notifications
 * - `waiting`: a notification has been due for longer than `lagMs`, though the inbox is not paused
 * - `active`: a notification has been handled for longer than `lagMs`
 * - `silent`: no notification was stored within `silenceMs`
 * - `not_durable`: Redis is configured to lose notifications. The status stays as it is, since this is known
 *   from the start.
 */
export type HealthProblemCode =
  | 'unavailable'
  | 'paused'
  | 'dead'
  | 'waiting'
  | 'active'
  | 'silent'
  | 'not_durable'

export interface HealthProblem {
  readonly code: HealthProblemCode
  /** A sentence for people. */
  readonly message: string
}

/** Options of {@link Inbox.health}. */
export interface HealthOptions {
  /**
   * For how long a notification may be due or be handled, in milliseconds, at most 24.8 days. @default no limit
   */
  readonly lagMs?: number | undefined
  /** The longest time without a new notification, in milliseconds, at most 24.8 days. @default no limit */
  readonly silenceMs?: number | undefined
}

/** What an engine knows of its entries. Times are in Unix milliseconds, by the engine's clock. */
export interface EngineHealth {
  readonly now: number
  readonly waiting: {
    readonly count: number
    /** Since when the oldest entry that is due now has been due. */
    readonly oldestDueAt: number | undefined
  }
  readonly active: {
    readonly count: number
    readonly oldest:
      | { readonly id: string; readonly subject?: string | null; readonly startedAt: number }
      | undefined
  }
  readonly dead: { readonly count: number }
  /** `undefined` unless `pause` was called, and `resume` was not. */
  readonly paused: { readonly since: number; readonly reason: string } | undefined
  /** When an entry was last stored, even if it is gone. */
  readonly lastStoredAt: number | undefined
  /** Why what is stored may be lost. */
  readonly notDurable?: string | undefined
}

/** How long the engine may take. With the rest, `health` takes less than two seconds. */
const LIMIT_MS = 1_500

const HEALTH_OPTIONS = {
  lagMs: optional(delayMs(1)),
  silenceMs: optional(delayMs(1)),
} satisfies Checks<HealthOptions>

export function createHealth(read: () => Promise<EngineHealth>) {
  let reading: Promise<EngineHealth> | undefined

  /** Calls share a read, so that probes of an engine that hangs do not add up. */
  function readOnce(): Promise<EngineHealth> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return async (options: HealthOptions = {}): Promise<InboxHealth> => {
    const limits = checkOptions('health', options, HEALTH_OPTIONS)
    try {
      const late = () => Object.assign(new Error('it did not respond in time'), { code: 'ETIMEDOUT' })
      return judge(await withTimeLimit(readOnce(), LIMIT_MS, late), limits)
    } catch (error) {
      return unavailable(error)
    }
  }
}

function judge(found: EngineHealth, { lagMs = Infinity, silenceMs = Infinity }: HealthOptions): InboxHealth {
  const { now, waiting, active, dead, paused, lastStoredAt } = found
  const age = (time: number | undefined) => (time === undefined ? null : Math.max(now - time, 0))
  const waitingMs = age(waiting.oldestDueAt)
  const activeMs = age(active.oldest?.startedAt)
  const silentMs = age(lastStoredAt)
  const problems: HealthProblem[] = []
  const report = (code: HealthProblemCode, message: string) => void problems.push({ code, message })
  if (paused !== undefined) {
    const since = toDuration(Math.max(now - paused.since, 0))
    report('paused', `The inbox has been paused for ${since}: ${paused.reason}`)
  }
  if (dead.count > 0) {
    const some = toCount(dead.count, 'notification')
    report('dead', `${some} failed for good: look at the errors, then replay or delete.`)
  }
  if (waitingMs !== null && waitingMs > lagMs && paused === undefined) {
    report('waiting', `A notification has been due for ${toDuration(waitingMs)}; is a worker running?`)
  }
  if (activeMs !== null && activeMs > lagMs) {
    const id = active.oldest?.id
    report('active', `The entry ${id} has been handled for ${toDuration(activeMs)}; does a handler hang?`)
  }
  if ((silentMs ?? Infinity) > silenceMs) {
    const since = silentMs === null ? 'ever arrived in this inbox' : `arrived for ${toDuration(silentMs)}`
    report('silent', `No notification has ${since}; can the service reach the URL?`)
  }
  const status = problems.length === 0 ? 'pass' : 'warn'
  if (found.notDurable !== undefined) report('not_durable', describeNotDurable(found.notDurable))
  return {
    status,
    waiting: { count: waiting.count, oldestAgeMs: waitingMs },
    active: {
      count: active.count,
      oldestAgeMs: activeMs,
      entryId: active.oldest?.id ?? null,
      subject: active.oldest?.subject ?? null,
    },
    paused: paused === undefined ? null : { since: new Date(paused.since), reason: paused.reason },
    dead: { count: dead.count },
    lastStoredAt: lastStoredAt === undefined ? null : new Date(lastStoredAt),
    problems,
  }
}

export function describeNotDurable(reason: string): string {
  return `Stored notifications may be lost, since ${reason}.`
}

function unavailable(error: unknown): InboxHealth {
  return {
    status: 'fail',
    waiting: { count: null, oldestAgeMs: null },
    active: { count: null, oldestAgeMs: null, entryId: null, subject: null },
    paused: null,
    dead: { count: null },
    lastStoredAt: null,
    problems: [{ code: 'unavailable', message: `The inbox is not available${reasonOf(error)}.` }],
  }
}

/**
 * The code of the innermost error, or of an error of payhook that says more. Its message may name what is not
 * for everybody who may read the health. The errors of SQLite all have one code, and its name for the cause.
 */
function reasonOf(error: unknown): string {
  let reason = ''
  for (const one of causesOf(error)) {
    const { code, errstr } = one as { code?: unknown; errstr?: unknown }
    if (typeof errstr === 'string' && /^[\w /]{1,40}$/.test(errstr)) reason = ` (${errstr})`
    else if (typeof code === 'string' && /^(?!inbox_unavailable$)\w{1,40}$/.test(code)) reason = ` (${code})`
    if (isPayhookError(one) && reason !== '') break
  }
  return reason
}

const toCount = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function toDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= 2 * size) ?? ['second', 1_000]
  return toCount(Math.floor(ms / size), unit)
}
