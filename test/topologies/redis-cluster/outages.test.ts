import { describeInbox, INBOX_THEMES } from '../../contracts/inbox-suite.ts'
import { BULLMQ_LOCK_SECONDS } from '../../contracts/open-inbox.ts'
import { bullmqOn, describeWithCluster } from './under-test.ts'

describeWithCluster('BullMQ on a Redis Cluster', (cluster) =>
  describeInbox(bullmqOn(cluster, BULLMQ_LOCK_SECONDS), INBOX_THEMES.crashes),
)
