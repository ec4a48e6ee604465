import { describeInbox, INBOX_THEMES } from '../../../contracts/inbox-suite.ts'
import { describeWithService, REDIS } from '../../../contracts/service.ts'
import { bullmq } from './under-test.ts'

await describeWithService('BullMQ', REDIS, () => describeInbox(bullmq, INBOX_THEMES.crashes))
