import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { throughPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer', () =>
  describeInbox(throughPgbouncer(), INBOX_THEMES.crashes),
)
