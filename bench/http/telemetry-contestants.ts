import type { HttpContestant } from './contestants.ts'
import type { Telemetry } from './servers/telemetry.ts'

const servers = () => import('./servers/telemetry.ts')

/** Another checkout of the repository to compare with, such as one without tracing. */
const checkout = process.env.BENCH_BASE

/** In the order of the table. The others are compared with the first. */
export function telemetryContestants(hasInbox: boolean): HttpContestant[] {
  const on = hasInbox ? 'with a SQLite inbox' : 'without an inbox'
  const earlier = checkout && {
    name: `the other checkout, ${on}`,
    scheme: 'floor' as const,
    create: async () => (await servers()).payhookOf(checkout, hasInbox),
  }
  const names: readonly Telemetry[] = [
    ...(['off', 'a subscriber of each channel'] as const),
    ...(['OpenTelemetry, 0 % sampled', 'OpenTelemetry, 100 % sampled'] as const),
  ]
  const now = names.map((telemetry): HttpContestant => {
    const create = async () => (await servers()).payhook(telemetry, hasInbox)
    return { name: `${telemetry}, ${on}`, scheme: 'floor', create }
  })
  return earlier ? [earlier, ...now.slice(0, 1)] : now
}
