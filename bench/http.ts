import { flags } from './flags.ts'
import { type HttpContestant, httpContestants } from './http-contestants.ts'
import { inOrderOf } from './interleave.ts'
import { load, sendOnce } from './load.ts'
import { notification, tampered } from './notification.ts'
import { emphasize, printReport } from './report.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { compare, median, type Summary } from './statistics.ts'
import { toRequestBytes } from './to-request-bytes.ts'

const CONNECTIONS = 50
// Many short turns rather than a few long ones: what disturbs the machine then hits all servers alike. And several
// heats, each with new processes, because one and the same program runs a few per cent faster in one than in another.
const pace = flags.quick
  ? { heats: 1, rounds: 3, milliseconds: 200, warmUpMs: 300 }
  : { heats: 4, rounds: 12, milliseconds: 300, warmUpMs: 1500 }

/** What was measured of a contestant, round by round. */
interface Measured {
  readonly contestant: HttpContestant
  readonly perSecond: number[]
  /** Processor time of the server per request, user and system, in microseconds. */
  readonly cpu: number[]
  /** Share of the time in which the server worked; a low one would mean that the load was too light. */
  readonly busy: number[]
}

interface Row {
  readonly name: string
  readonly throughput: Summary
  readonly cpu: Summary
  readonly requestsPerSecond: number
  readonly busy: number
  readonly target: number | undefined
}

const results = httpContestants.map(
  (contestant): Measured => ({ contestant, perSecond: [], cpu: [], busy: [] }),
)
for (let heat = 0; heat < pace.heats; heat++) await runHeat(heat)
printReport([
  {
    title: `Over HTTP, ${CONNECTIONS} connections, requests of ${notification.length} bytes`,
    columns: {
      server: ({ name }: Row) => emphasize(name),
      throughput: ({ throughput }) => throughput.median.toFixed(2),
      'middle half of the rounds': ({ throughput: { low, high } }) =>
        `${low.toFixed(2)} to ${high.toFixed(2)}`,
      'processor time': ({ cpu }) => cpu.median.toFixed(2),
      'requests a second': ({ requestsPerSecond }) => requestsPerSecond.toFixed(0),
      'server busy': ({ busy }) => `${(busy * 100).toFixed(0)} %`,
      target: ({ target }) => (target === undefined ? '' : `≥ ${target.toFixed(2)}`),
    },
    rows: results.map(toRow),
  },
])

/** All servers run, but only one at a time is under load. */
async function runHeat(heat: number): Promise<void> {
  const servers: ServerProcess[] = []
  try {
    for (const { contestant } of results) servers.push(await startServer(contestant.name))
    for (const [at, { contestant }] of results.entries()) {
      const server = servers[at] as ServerProcess
      process.stderr.write(`checking and warming up ${contestant.name}\n`)
      await check(contestant, server)
      await put(contestant, server, pace.warmUpMs)
    }
    for (let round = 0; round < pace.rounds; round++) {
      process.stderr.write(`heat ${heat + 1} of ${pace.heats}, round ${round + 1} of ${pace.rounds}\r`)
      for (const [at, measured] of inOrderOf(heat + round, [...results.entries()])) {
        await measure(measured, servers[at] as ServerProcess)
      }
    }
    process.stderr.write('\n')
  } finally {
    for (const server of servers) server.stop()
  }
}

/** @throws unless the server takes the right signature and refuses a wrong one */
async function check(contestant: HttpContestant, { port }: ServerProcess): Promise<void> {
  const right = await sendOnce(port, await toRequestBytes(contestant, notification))
  if (right !== 200) throw new Error(`${contestant.name} answers ${right} to the right signature`)
  const wrong = await sendOnce(port, await toRequestBytes(contestant, tampered))
  if (wrong !== 401) throw new Error(`${contestant.name} answers ${wrong} to a tampered notification`)
}

async function measure({ contestant, ...into }: Measured, server: ServerProcess): Promise<void> {
  const before = await server.processorTime()
  const { responses, seconds } = await put(contestant, server, pace.milliseconds)
  const used = (await server.processorTime()) - before
  into.perSecond.push(responses / seconds)
  into.cpu.push(used / responses)
  into.busy.push(used / (seconds * 1e6))
}

async function put(contestant: HttpContestant, { port }: ServerProcess, milliseconds: number) {
  const request = await toRequestBytes(contestant, notification)
  return await load({ port, request, connections: CONNECTIONS, milliseconds })
}

function toRow({ contestant, perSecond, cpu, busy }: Measured): Row {
  const [base] = results as [Measured]
  return {
    name: contestant.name,
    throughput: compare(perSecond, base.perSecond),
    cpu: compare(cpu, base.cpu),
    requestsPerSecond: median(perSecond),
    busy: median(busy),
    target: contestant.target,
  }
}
