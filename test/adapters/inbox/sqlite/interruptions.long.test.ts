import { describe } from 'vitest'
import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { sqlite } from './under-test.ts'

describe('SQLite', () =>
  describeInbox(sqlite, [
    INBOX_THEMES.outages,
    INBOX_THEMES.interruptions,
    INBOX_THEMES.exclusionAfterCrashes,
    INBOX_THEMES.pauseAfterCrashes,
  ]))
