import { flags, roundsOf } from '../support/flags.ts'
import { notification } from '../support/notification.ts'
import { printReport } from '../support/report.ts'
import { httpContestants } from './contestants.ts'
import { measureServers } from './measure-servers.ts'
import { toHttpTable } from './table.ts'

const CONNECTIONS = 50
const pace = flags.quick
  ? { heats: 1, rounds: 3, milliseconds: 200, warmUpMs: 300 }
  : { heats: flags.fast ? 2 : 4, rounds: roundsOf(12, 3), milliseconds: 300, warmUpMs: 1500 }

const rows = await measureServers({ contestants: httpContestants, connections: CONNECTIONS, pace })
printReport([
  toHttpTable(`Over HTTP, ${CONNECTIONS} connections, requests of ${notification.length} bytes`, rows),
])
