import { floor } from './contestants/floor.ts'
import { createNotificationSource } from './distinct-notifications.ts'
import { flags } from './flags.ts'
import { toHttpTable } from './http-table.ts'
import { inboxHttpContestants } from './inbox-http-contestants.ts'
import { measureServers } from './measure-servers.ts'
import { printReport } from './report.ts'
import { writeRequest } from './to-request-bytes.ts'

const CONNECTIONS = 50
const pace = flags.quick
  ? { heats: 1, rounds: 3, milliseconds: 200, warmUpMs: 300 }
  : { heats: 2, rounds: 12, milliseconds: 300, warmUpMs: 1500 }
/** More than any of the servers answers. */
const REQUESTS_A_SECOND = 70_000

const next = createNotificationSource()
const rows = await measureServers({
  contestants: inboxHttpContestants,
  connections: CONNECTIONS,
  pace,
  // A notification that an inbox knows is a duplicate, and costs it little. Signing takes time, so it is done before.
  requestsFor: async (_contestant, milliseconds) => {
    const count = Math.round((REQUESTS_A_SECOND * milliseconds) / 1000)
    const requests = Array.from({ length: count }, createRequest)
    return () => requests.pop() ?? createRequest()
  },
  settle: true,
})
printReport([
  toHttpTable(`Over HTTP with an inbox, ${CONNECTIONS} connections, requests all different`, rows),
])

function createRequest(): Buffer {
  const rawBody = Buffer.from(next().rawBody)
  return writeRequest(floor.sign(rawBody), rawBody)
}
