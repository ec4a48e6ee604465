import { describeHealth } from '../../contracts/inbox-health-suite.ts'
import { describeOutages } from '../../contracts/inbox-outage-suite.ts'
import { describeInbox } from '../../contracts/inbox-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { behindPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer whose server fails', () =>
  describeInbox(behindPgbouncer({ server_login_retry: 1 }), [describeOutages, describeHealth]),
)
