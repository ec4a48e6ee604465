import { describe } from 'vitest'
import type { EngineUnderTest } from './engine-under-test.ts'
import { describeDeferral } from './inbox-deferral-suite.ts'
import { describeExclusionAfterCrashes } from './inbox-exclusion-crash-suite.ts'
import { describeExclusion } from './inbox-exclusion-suite.ts'
import { createInboxTest, type InboxTest } from './inbox-fixtures.ts'
import { describeHealth } from './inbox-health-suite.ts'
import { describeIdempotency } from './inbox-idempotency-suite.ts'
import { describeImports } from './inbox-import-suite.ts'
import { describeInterruptions } from './inbox-interruption-suite.ts'
import { describeKeys } from './inbox-key-suite.ts'
import { describeOutages } from './inbox-outage-suite.ts'
import { describePages } from './inbox-page-suite.ts'
import { describePause, describePauseAfterCrashes } from './inbox-pause-suite.ts'
import { describeReceiver } from './inbox-receiver-suite.ts'
import { describeRecovery } from './inbox-recovery-suite.ts'
import { describeReplay } from './inbox-replay-suite.ts'
import { describeStoring } from './inbox-storing-suite.ts'
import { describeSubjects } from './inbox-subject-suite.ts'
import { describeWork } from './inbox-work-suite.ts'

type Theme = (it: InboxTest, engine: EngineUnderTest) => void

/** The parts of the contract of every inbox. */
export const INBOX_THEMES = {
  storing: describeStoring,
  imports: describeImports,
  recovery: describeRecovery,
  replay: describeReplay,
  work: describeWork,
  outages: describeOutages,
  interruptions: describeInterruptions,
  exclusionAfterCrashes: describeExclusionAfterCrashes,
  pages: describePages,
  subjects: describeSubjects,
  idempotency: describeIdempotency,
  exclusion: describeExclusion,
  keys: describeKeys,
  health: describeHealth,
  pause: describePause,
  pauseAfterCrashes: describePauseAfterCrashes,
  deferral: describeDeferral,
  receiver: describeReceiver,
} satisfies Record<string, Theme>

/**
 * The contract of every inbox, tested with the real engine.
 *
 * @param themes a part of the contract, for a slow engine whose tests are split into files that run in parallel
 */
export function describeInbox(
  engine: EngineUnderTest,
  themes: readonly Theme[] = Object.values(INBOX_THEMES),
): void {
  const it = createInboxTest(engine)
  // Most of the time of a test is waiting.
  describe.concurrent('the contract', () => {
    for (const describeTheme of themes) describeTheme(it, engine)
  })
}
