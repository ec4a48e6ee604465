import { describe } from 'vitest'
import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { sqlite } from './under-test.ts'

describe('SQLite', () =>
  describeInbox(sqlite, [
    INBOX_THEMES.storing,
    INBOX_THEMES.replay,
    INBOX_THEMES.imports,
    INBOX_THEMES.recovery,
    INBOX_THEMES.work,
    INBOX_THEMES.pages,
    INBOX_THEMES.subjects,
    INBOX_THEMES.idempotency,
    INBOX_THEMES.exclusion,
    INBOX_THEMES.keys,
    INBOX_THEMES.health,
    INBOX_THEMES.pause,
    INBOX_THEMES.deferral,
    INBOX_THEMES.receiver,
  ]))
