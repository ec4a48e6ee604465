import type { CheckedInboxOptions } from '../../src/inbox/inbox-options.ts'
import type { InboxConsumer } from '../../src/receiver-inbox.ts'
import { withTimeLimit } from '../../src/time-limit.ts'
import { type PgBossConnection, type PgBossPlace, SUPERVISE_MS } from './pg-boss-connection.ts'
import type { PgBossEntries } from './pg-boss-entries.ts'
import { type PgBossWork, startPgBossWork } from './pg-boss-work.ts'

const CONNECT_RETRY_MS = 1_000
const STOP_LIMIT_MS = 5_000
/** Looking reads the whole table, so that it may take at most a tenth of the time. */
const SUPERVISE_SHARE = 10

/** Work from one `start()` to its `stop()`, through the outages in between. */
export interface PgBossRun {
  /** Resolves after the first attempt at PostgreSQL, whatever came of it. */
  readonly begun: Promise<void>
  wake(): void
  stop(): Promise<void>
}

export interface RunContext {
  readonly connection: PgBossConnection
  readonly place: PgBossPlace
  readonly entries: PgBossEntries
  readonly options: CheckedInboxOptions
  readonly consumer: InboxConsumer
}

export function startPgBossRun(context: RunContext): PgBossRun {
  const { connection, consumer, entries } = context
  let work: PgBossWork | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let inTrouble = false

  /** Told once in an outage: every worker would report it, twice a second. */
  function onTrouble(error: unknown): void {
    if (inTrouble || stopped) return
    inTrouble = true
    consumer.failed(error)
  }

  async function step(): Promise<number> {
    const before = Date.now()
    try {
      work ??= await startPgBossWork({ ...context, engine: await connection.ready(), onTrouble })
      if (stopped) await work.stop()
      await connection.supervise()
      for (const dead of await entries.takeUnreported()) await consumer.dead(dead)
      inTrouble = false
    } catch (error) {
      onTrouble(error)
      if (work === undefined) return CONNECT_RETRY_MS
    }
    return Math.max(SUPERVISE_MS, (Date.now() - before) * SUPERVISE_SHARE)
  }

  async function next(): Promise<void> {
    const waitMs = await step()
    if (!stopped) timer = setTimeout(() => (current = next()), waitMs)
  }

  const begun = next()
  let current = begun
  const unlisten = connection.onError(onTrouble)

  return {
    begun,
    wake: () => work?.wake(),
    async stop() {
      stopped = true
      unlisten()
      clearTimeout(timer)
      const stepped = withTimeLimit(current, STOP_LIMIT_MS, () => new Error('PostgreSQL does not answer.'))
      await Promise.all([stepped.catch(() => {}), work?.stop()])
    },
  }
}
