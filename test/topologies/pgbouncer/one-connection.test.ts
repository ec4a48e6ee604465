import { describeExclusion } from '../../contracts/inbox-exclusion-suite.ts'
import { describeOutages } from '../../contracts/inbox-outage-suite.ts'
import { describeInbox } from '../../contracts/inbox-suite.ts'
import { describeWork } from '../../contracts/inbox-work-suite.ts'
import { describeWithPgbouncer } from './pgbouncer.ts'
import { throughPgbouncer } from './under-test.ts'

await describeWithPgbouncer('PostgreSQL through PgBouncer with one connection to the server', () =>
  describeInbox(throughPgbouncer({ default_pool_size: 1 }), [
    describeWork,
    describeOutages,
    describeExclusion,
  ]),
)
