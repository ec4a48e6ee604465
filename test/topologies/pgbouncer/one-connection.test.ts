import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { throughPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer with one connection to the server', () =>
  describeInbox(throughPgbouncer({ default_pool_size: 1 }), [
    INBOX_THEMES.work,
    INBOX_THEMES.outages,
    INBOX_THEMES.exclusion,
  ]),
)
