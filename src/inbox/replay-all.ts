import * as check from '../option-checks.ts'
import { SUBJECT } from './entry-rules.ts'
import type { InboxEntry, ReplayFilter, ReplayOptions } from './inbox.ts'
import type { InboxEngine } from './inbox-engine.ts'
import { readPages } from './pages.ts'

/** After how many entries those that match are replayed. */
const REPLAYED_AT_ONCE = 200
/** A second, and a tenth for what is handled late: an API counts by when it is called. */
const SECOND_MS = 1_100
/** How far ahead the first due time is, so that it is stored before. */
const LEAD_MS = 1_000

const FILTER = {
  state: check.oneOf(['dead', 'completed', 'waiting'], 'dead'),
  kind: check.optional(
    check.option<string | null>('a string or null', (kind) => kind === null || typeof kind === 'string'),
  ),
  subject: SUBJECT,
  since: check.optional(check.date()),
  until: check.optional(check.date()),
  error: check.optional(check.text()),
} satisfies check.Checks<ReplayFilter>

const OPTIONS = {
  perSecond: check.optional(
    check.option<number>(
      'a number from 0.001 to 10,000',
      (value) => typeof value === 'number' && value >= 0.001 && value <= 10_000,
    ),
  ),
  dryRun: check.flag(false),
  onProgress: check.callback<NonNullable<ReplayOptions['onProgress']>>(() => {}),
} satisfies check.Checks<ReplayOptions>

/** In batches: memory does not grow with the number. What fails again meanwhile is not replayed again. */
export async function replayAll(
  engine: Pick<InboxEngine, 'health' | 'list' | 'find' | 'restart'>,
  filter: ReplayFilter,
  options: ReplayOptions = {},
): Promise<number> {
  const { state, subject, ...rest } = checkFilter(filter)
  const { perSecond, dryRun, onProgress } = check.checkOptions('replayAll', options, OPTIONS)
  const call = Date.now()
  const ahead = (await engine.health()).now - performance.now()
  const found = readPages((...page) =>
    subject === undefined ? engine.list(state, ...page) : engine.find(subject, state, ...page),
  )
  let ids: string[] = []
  let [checked, replayed, lastDueAt] = [0, 0, 0]

  /** By the engine's clock. The times do not depend on how long the calls take. */
  function nextDueAt(intervalMs: number): number {
    lastDueAt = Math.max(lastDueAt + intervalMs, performance.now() + ahead + LEAD_MS)
    return lastDueAt
  }

  async function replaySome(): Promise<void> {
    const some = ids.map((id) => ({ id, dueAt: perSecond && Math.ceil(nextDueAt(SECOND_MS / perSecond)) }))
    ids = []
    replayed += dryRun ? some.length : await engine.restart(state, some, call)
    await onProgress({ checked, replayed })
  }

  for await (const entry of found) {
    checked += 1
    if (matches(entry, rest, performance.now() + ahead)) ids.push(entry.id)
    if (checked % REPLAYED_AT_ONCE === 0) await replaySome()
  }
  await replaySome()
  return replayed
}

/** @throws TypeError if it is invalid, or would match more than was meant */
function checkFilter(filter: ReplayFilter) {
  check.assertOptions(filter, Object.keys(FILTER), 'replayAll')
  const given = Object.entries(filter)
  if (given.length === 0)
    throw new TypeError("The filter is empty; for all dead entries it is { state: 'dead' }")
  // An unset variable must not replay everything.
  const unset = given.find(([, value]) => value === undefined)
  if (unset) throw new TypeError(`"${unset[0]}" option is undefined; omit it to replay all`)
  return check.checkOptions('replayAll', filter, FILTER)
}

function matches(
  { state, kind, dueAt, finishedAt, receivedAt, error }: InboxEntry,
  wanted: Omit<ReturnType<typeof checkFilter>, 'state' | 'subject'>,
  now: number,
): boolean {
  const at = finishedAt ?? receivedAt
  return (
    (wanted.kind === undefined || kind === wanted.kind) &&
    (wanted.since === undefined || at >= wanted.since) &&
    (wanted.until === undefined || at < wanted.until) &&
    (wanted.error === undefined || error?.includes(wanted.error) === true) &&
    // What is due need not be replayed.
    (state !== 'waiting' || Number(dueAt) > now)
  )
}
