import { flags, roundsOf } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { inboxHttpContestants } from './contestants.ts'
import { createRequestSource } from './inbox-requests.ts'
import { measureServers } from './measure-servers.ts'
import { toHttpTable } from './table.ts'

const CONNECTIONS = 50
const pace = flags.quick
  ? { heats: 1, rounds: 3, milliseconds: 200, warmUpMs: 300 }
  : { heats: 2, rounds: roundsOf(12, 3), milliseconds: 300, warmUpMs: 1500 }

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
