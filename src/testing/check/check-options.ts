import { EVENT_KINDS, type EventKind } from '../../events/kinds.ts'
import {
  anything,
  type Checked,
  type Checks,
  checkOptions,
  delayMs,
  flag,
  option,
  optional,
  text,
} from '../../option-checks.ts'
import { CHECK_CASES } from './check-cases.ts'
import type { CheckProgress, CheckResult } from './check-report.ts'

/** Options of {@link checkReceiver}. */
export interface CheckOptions {
  /** The URL of the receiver, with its callback token if it has one. */
  readonly url: string
  /** The client id that the receiver verifies with. */
  readonly clientId: string
  /** The client secret, to test that it is not accepted as the key. It is not sent. */
  readonly clientSecret?: string | undefined
  /** The kinds that the receiver gets. @default all ten */
  readonly kinds?: readonly EventKind[] | undefined
  /** Ids of the cases to run, in addition to `plain`. @default all */
  readonly only?: readonly string[] | undefined
  /** How long to wait for each response, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number | undefined
  /**
   * Whether the receiver may be on another machine. It handles what is correctly signed, so do not check one
   * that moves money. @default `false`
   */
  readonly allowRemote?: boolean | undefined
  /** Called after each case, and awaited. */
  readonly onResult?: ((result: CheckResult, progress: CheckProgress) => unknown) | undefined
  /** Ends the check. It still resolves to a report: of what has run, with `stopped`. */
  readonly signal?: AbortSignal | undefined
}

const ids = CHECK_CASES.map(({ id }) => id)

const OPTIONS = {
  url: text(undefined, /^https?:\/\/[^/]/i, 'an absolute URL, such as http://127.0.0.1:3000/webhooks'),
  clientId: text(),
  clientSecret: optional(text()),
  kinds: listOf<EventKind>('kinds of events', EVENT_KINDS),
  only: listOf('ids of cases', ids),
  timeoutMs: delayMs(1, 10_000),
  allowRemote: flag(false),
  onResult: anything<CheckOptions['onResult']>(),
  signal: anything<AbortSignal | undefined>(),
} satisfies Checks<CheckOptions>

export type CheckedCheckOptions = Checked<typeof OPTIONS>

/** @throws TypeError if an option is unknown, missing or invalid */
export function checkCheckOptions(options: CheckOptions): CheckedCheckOptions {
  const checked = checkOptions('checkReceiver', options, OPTIONS)
  if (!URL.canParse(checked.url)) throw new TypeError(`"url" option must be an absolute URL`)
  return checked
}

/** A list of some of the known words, by default all. */
function listOf<Word extends string>(what: string, known: readonly Word[]) {
  return option<readonly Word[]>(
    `a list of ${what}: ${known.join(', ')}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every((each) => known.includes(each)),
    known,
  )
}
