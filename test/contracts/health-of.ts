import type { HealthOptions, InboxHealth } from '../../src/inbox/health.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { waitFor } from './wait-for.ts'

/** The health of an inbox whose engine responds, which takes longer than `health` waits on a busy machine. */
export async function respondedHealthOf(inbox: Inbox, options?: HealthOptions): Promise<InboxHealth> {
  return await waitFor(async () => {
    const health = await inbox.health(options)
    return health.status === 'fail' ? undefined : health
  })
}

/** The same, without what the settings of the Redis of this machine are. */
export async function healthOf(inbox: Inbox, options?: HealthOptions): Promise<InboxHealth> {
  const health = await respondedHealthOf(inbox, options)
  return { ...health, problems: health.problems.filter(({ code }) => code !== 'not_durable') }
}
