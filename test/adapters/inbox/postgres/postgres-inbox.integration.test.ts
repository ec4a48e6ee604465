import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, POSTGRES } from '../../../contracts/service.ts'
import { postgres } from './under-test.ts'

await describeWithService('postgres', POSTGRES, () =>
  describeInbox(postgres, [
    INBOX_THEMES.storing,
    INBOX_THEMES.replay,
    INBOX_THEMES.imports,
    INBOX_THEMES.recovery,
    INBOX_THEMES.pages,
    INBOX_THEMES.work,
    INBOX_THEMES.health,
    INBOX_THEMES.pause,
    INBOX_THEMES.deferral,
    INBOX_THEMES.receiver,
  ]),
)
