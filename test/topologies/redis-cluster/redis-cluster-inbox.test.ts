import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { LONG_BULLMQ_LOCK_SECONDS } from '../../contracts/open-inbox.ts'
import { bullmqOn, describeWithCluster } from './under-test.ts'

describeWithCluster('BullMQ on a Redis Cluster', (cluster) =>
  describeInbox(bullmqOn(cluster, LONG_BULLMQ_LOCK_SECONDS), [
    INBOX_THEMES.storing,
    INBOX_THEMES.replay,
    INBOX_THEMES.imports,
    INBOX_THEMES.recovery,
    INBOX_THEMES.work,
    INBOX_THEMES.pages,
    INBOX_THEMES.health,
    INBOX_THEMES.pause,
  ]),
)
