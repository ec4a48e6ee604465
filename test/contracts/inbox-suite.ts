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

/** The contract of every inbox, in parts. A slow engine has them in files, which run in parallel. */
export const INBOX_THEMES = {
  entries: [describeStoring, describeImports, describeRecovery, describeReplay, describePages],
  handling: [describeWork, describeDeferral, describeReceiver],
  oneAtATime: [describeSubjects, describeIdempotency, describeExclusion, describeKeys],
  health: [describeHealth, describePause],
  crashes: [describeOutages, describeInterruptions, describeExclusionAfterCrashes, describePauseAfterCrashes],
} satisfies Record<string, readonly Theme[]>

/** Tests parts of the contract with the real engine. */
export function describeInbox(engine: EngineUnderTest, ...parts: readonly (readonly Theme[])[]): void {
  const it = createInboxTest(engine)
  // Most of the time of a test is waiting.
  describe.concurrent('the contract', () => {
    for (const describeTheme of parts.flat()) describeTheme(it, engine)
  })
}
