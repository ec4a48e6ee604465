import { flags } from './flags.ts'
import { toHttpTable } from './http-table.ts'
import { inboxHttpContestants } from './inbox-http-contestants.ts'
import { createRequestSource } from './inbox-http-requests.ts'
import { measureServers } from './measure-servers.ts'
import { printReport } from './report.ts'

const CONNECTIONS = 50
const pace = flags.quick
  ? { heats: 1, rounds: 3, milliseconds: 200, warmUpMs: 300 }
  : { heats: 2, rounds: 12, milliseconds: 300, warmUpMs: 1500 }

const rows = await measureServers({
  contestants: inboxHttpContestants,
  connections: CONNECTIONS,
  pace,
  requestsFor: createRequestSource(),
  settle: true,
})
printReport([
  toHttpTable(`Over HTTP with an inbox, ${CONNECTIONS} connections, requests all different`, rows),
])
