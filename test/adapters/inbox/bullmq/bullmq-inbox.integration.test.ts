import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { steadyBullmq } from './under-test.ts'

await describeWithService('BullMQ', REDIS, () =>
  describeInbox(steadyBullmq, [
    INBOX_THEMES.storing,
    INBOX_THEMES.replay,
    INBOX_THEMES.imports,
    INBOX_THEMES.recovery,
    INBOX_THEMES.work,
    INBOX_THEMES.pages,
    INBOX_THEMES.deferral,
    INBOX_THEMES.receiver,
  ]),
)
