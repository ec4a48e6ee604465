import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { behindPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer whose server fails', () =>
  describeInbox(behindPgbouncer({ server_login_retry: 1 }), [INBOX_THEMES.outages, INBOX_THEMES.health]),
)
