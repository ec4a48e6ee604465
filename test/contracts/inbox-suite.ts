import type { EngineUnderTest } from './engine-under-test.ts'
import { createInboxTest } from './inbox-fixtures.ts'
import { describeOutages } from './inbox-outage-suite.ts'
import { describeRecovery } from './inbox-recovery-suite.ts'
import { describeStoring } from './inbox-storing-suite.ts'
import { describeWork } from './inbox-work-suite.ts'

/** What every inbox has to do, against its real engine. */
export function describeInbox(engine: EngineUnderTest): void {
  describeKeeping(engine)
  describeHandling(engine)
}

/** The half of {@link describeInbox} that is about entries; a slow engine has it in a file, and so a process, of its own. */
export function describeKeeping(engine: EngineUnderTest): void {
  const it = createInboxTest(engine)
  describeStoring(it, engine)
  describeRecovery(it)
}

/** The other half: work on the entries, and what interrupts it. */
export function describeHandling(engine: EngineUnderTest): void {
  const it = createInboxTest(engine)
  describeWork(it, engine)
  describeOutages(it, engine)
}
