import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { postgres } from './under-test.ts'

await describeWithService('postgres', POSTGRES, () =>
  describeInbox(postgres, INBOX_THEMES.entries, INBOX_THEMES.handling, INBOX_THEMES.health),
)
