import type { EngineHealth } from './health.ts'
import type { InboxEngine } from './inbox-engine.ts'

/** Health from the lists. An engine that finds it more cheaply does not need it. */
export async function healthOfLists({
  counts,
  list,
}: Pick<InboxEngine, 'counts' | 'list'>): Promise<EngineHealth> {
  const [{ waiting, active, dead }, [due], [started], [newest]] = await Promise.all([
    counts(),
    list('waiting', 1, undefined),
    list('active', 1, undefined),
    list('completed', 1, undefined),
  ])
  const now = Date.now()
  const dueAt = due?.dueAt?.getTime() ?? Infinity
  return {
    now,
    waiting: { count: waiting, oldestDueAt: dueAt <= now ? dueAt : undefined },
    active: {
      count: active,
      oldest: started && {
        id: started.id,
        subject: started.subject,
        startedAt: started.startedAt?.getTime() ?? now,
      },
    },
    dead: { count: dead },
    lastStoredAt: newest?.receivedAt.getTime(),
  }
}
