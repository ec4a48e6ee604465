import { describe } from 'vitest'
import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { sqlite } from './under-test.ts'

describe('SQLite', () =>
  describeInbox(
    sqlite,
    INBOX_THEMES.entries,
    INBOX_THEMES.handling,
    INBOX_THEMES.oneAtATime,
    INBOX_THEMES.health,
  ))
