import { PgBoss } from 'pg-boss'
import type { CheckedInboxOptions } from '../../../src/inbox/inbox-options.ts'
import type { Queues } from './table.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** Without it, calls to a server that vanished would hang until TCP gives up, for a quarter of an hour. */
export const QUERY_TIMEOUT_MS = 30_000
const DAY_SECONDS = 86_400

/** Unreferenced timers for pg-boss, so that a script can end without closing its inbox. */
const clock = {
  now: Date.now,
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms).unref(),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (run: () => void, ms: number) => setInterval(run, ms).unref(),
  clearInterval: (timer: unknown) => clearInterval(timer as NodeJS.Timeout),
}

export function createPgBoss(
  connectionString: string,
  { schema, create }: Queues,
  options: CheckedInboxOptions,
): PgBoss {
  const settings = {
    connectionString,
    schema,
    migrate: create,
    application_name: 'payhook',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    clock,
    schedule: false,
    // tidy() does this, and only in a process that handles notifications.
    supervise: false,
    // Reads the whole table, for statistics that the inbox does not use.
    monitorIntervalSeconds: DAY_SECONDS,
    maintenanceIntervalSeconds: Math.min(3_600, Math.max(60, options.keepCompletedSeconds)),
    // pg-boss 12.38 makes a span of each of its calls.
    openTelemetry: { enabled: false },
  }
  // Without a listener, an error event would end the process. Calls report the same errors.
  return new PgBoss(settings).on('error', () => {})
}
