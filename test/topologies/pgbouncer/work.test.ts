import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { throughPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer', () =>
  describeInbox(throughPgbouncer(), [
    INBOX_THEMES.work,
    INBOX_THEMES.subjects,
    INBOX_THEMES.idempotency,
    INBOX_THEMES.exclusion,
    INBOX_THEMES.keys,
    INBOX_THEMES.deferral,
    INBOX_THEMES.health,
    INBOX_THEMES.pause,
  ]),
)
