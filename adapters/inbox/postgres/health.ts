import type { EngineHealth } from '../../../src/inbox/health.ts'
import type { Database } from './database.ts'

/** The next call then uses another connection: one to a server that lost power says nothing for long. */
const LIMIT_MS = 2_000

interface HealthRow {
  readonly at: number
  readonly waiting: number
  readonly due: number | null
  readonly active: number
  readonly oldest: string | null
  readonly subject: string | null
  readonly started: number | null
  readonly dead: number
  readonly stored: number | null
  readonly paused: number | null
  readonly reason: string | null
  readonly deferred: number
}

/** Reads how the entries are doing. */
export async function readHealth(database: Database): Promise<EngineHealth> {
  const [row] = await database.query<HealthRow>(`select * from ${database.schema}.health()`, [], LIMIT_MS)
  const { at, waiting, due, active, oldest, subject, started, dead, stored, paused, reason, deferred } =
    row as HealthRow
  return {
    now: at,
    waiting: { count: waiting, oldestDueAt: due ?? undefined, deferred },
    active: {
      count: active,
      oldest: oldest === null ? undefined : { id: oldest, subject, startedAt: started ?? at },
    },
    paused: paused === null ? undefined : { since: paused, reason: String(reason) },
    dead: { count: dead },
    lastStoredAt: stored ?? undefined,
  }
}
