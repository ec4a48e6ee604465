import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { pgBossInOneSchema } from './under-test.ts'

await describeWithService('pg-boss', POSTGRES, () =>
  describeInbox(pgBossInOneSchema(), [
    INBOX_THEMES.storing,
    INBOX_THEMES.imports,
    INBOX_THEMES.recovery,
    INBOX_THEMES.pages,
  ]),
)
