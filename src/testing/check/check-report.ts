/**
 * `must`: the service, HTTP or JSON requires it, or a forged notification could get in. `should`: it is only
 * advice.
 */
export type CheckLevel = 'must' | 'should'

/** How far a check is. */
export interface CheckProgress {
  readonly done: number
  readonly total: number
  /** Why the rest is skipped. */
  readonly stopped?: string
}

/** The result of a case. */
export interface CheckResult {
  readonly id: string
  readonly level: CheckLevel
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What was sent. */
  readonly title: string
  /** What the response has to be. */
  readonly expected: string
  /** What came back, or why the case was skipped. */
  readonly observed: string
  /** What a genuine notification was rejected for, if the check found out. */
  readonly cause?: string
  /** Why it matters. */
  readonly why: string
  /** How to mend a receiver that fails. */
  readonly mend: string
  /** What the response does not show, and where to look instead. */
  readonly unseen?: string
  readonly durationMs: number
}

/** The result of {@link checkReceiver}. */
export interface CheckReport {
  /** The URL without its query and credentials. */
  readonly url: string
  /** Whether the check came to its end, and no case of level `must` failed. */
  readonly passed: boolean
  readonly durationMs: number
  readonly results: readonly CheckResult[]
  /** Why the check stopped before its end; the other cases were skipped. */
  readonly stopped?: string
  /** What the results together say. Empty if each speaks for itself. */
  readonly conclusions: readonly string[]
}
