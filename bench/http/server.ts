// A child process of measure-servers.ts with one server. It reports its port, and its processor time on
// request.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { httpContestants, inboxHttpContestants } from './contestants.ts'
import { telemetryContestants } from './telemetry-contestants.ts'

const [name] = process.argv.slice(2)
const contestants = [
  ...[...httpContestants, ...inboxHttpContestants],
  ...[...telemetryContestants(false), ...telemetryContestants(true)],
]
const contestant = contestants.find((candidate) => candidate.name === name)
if (contestant === undefined) throw new Error(`There is no server "${name}".`)

const server = await contestant.create()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit())
