// What telemetry costs. With BENCH_BASE=FOLDER, what it costs while it is off, compared with another checkout
// of the repository, such as the last one without tracing.

import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { createRequestSource } from './inbox-requests.ts'
import { measureServers } from './measure-servers.ts'
import { toHttpTable } from './table.ts'
import { telemetryContestants } from './telemetry-contestants.ts'

const CONNECTIONS = 20
// The difference to look for is smaller than that of two processes with the same program.
const heats = process.env.BENCH_BASE === undefined ? 4 : 12
const pace = flags.quick
  ? { heats: 1, rounds: 2, milliseconds: 100, warmUpMs: 200 }
  : { heats, rounds: 10, milliseconds: 100, warmUpMs: 1000 }

const measurement = { connections: CONNECTIONS, pace }
const without = await measureServers({ ...measurement, contestants: telemetryContestants(false) })
const stored = await measureServers({
  ...measurement,
  contestants: telemetryContestants(true),
  requestsFor: createRequestSource(),
  settle: true,
})
printReport([
  toHttpTable(`Telemetry on node:http without an inbox, ${CONNECTIONS} connections`, without),
  toHttpTable(`Telemetry on node:http with a SQLite inbox and handling, ${CONNECTIONS} connections`, stored),
])
