import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { steadyBullmq } from './under-test.ts'

await describeWithService('BullMQ', REDIS, () => describeInbox(steadyBullmq, INBOX_THEMES.oneAtATime))
