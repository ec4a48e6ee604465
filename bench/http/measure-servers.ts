import { setTimeout as delay } from 'node:timers/promises'
import { takeTurns } from '../support/interleave.ts'
import { notification, tampered } from '../support/notification.ts'
import { compare, median, type Summary } from '../support/statistics.ts'
import type { HttpContestant } from './contestants.ts'
import { load, sendOnce } from './load.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { toRequestBytes } from './to-request-bytes.ts'

const REST_MS = 40

export interface ServerPace {
  /**
   * Each with new processes, because the speed of the same program varies by a few per cent between processes.
   */
  readonly heats: number
  /** Many short turns rather than a few long ones, so that other load affects all servers alike. */
  readonly rounds: number
  readonly milliseconds: number
  readonly warmUpMs: number
}

export interface ServerMeasurement {
  readonly contestants: readonly HttpContestant[]
  readonly connections: number
  readonly pace: ServerPace
  /** Returns the requests of one turn. By default all requests are the same. */
  readonly requestsFor?: (contestant: HttpContestant, milliseconds: number) => Promise<() => Buffer>
  /** Wait until a server is idle before the next turn, as some still work after their last response. */
  readonly settle?: boolean
}

/** The results of a contestant, in each round. */
interface Measured {
  readonly contestant: HttpContestant
  readonly perSecond: number[]
  /** Processor time of the server per request, user and system, in microseconds. */
  readonly cpu: number[]
  /** The share of the time that the server was busy. If it is low, the load was too light. */
  readonly busy: number[]
}

export interface ServerRow {
  readonly name: string
  readonly throughput: Summary
  readonly cpu: Summary
  readonly requestsPerSecond: number
  readonly busy: number
  readonly target: number | undefined
}

/** Puts servers under load in turns, each in its own process. The others are compared with the first. */
export async function measureServers(measurement: ServerMeasurement): Promise<ServerRow[]> {
  const { contestants, pace } = measurement
  const results = contestants.map(
    (contestant): Measured => ({ contestant, perSecond: [], cpu: [], busy: [] }),
  )
  for (let heat = 0; heat < pace.heats; heat++) await runHeat(heat, results, measurement)
  return results.map((measured) => toRow(measured, results))
}

/** All servers run, but only one at a time is under load. */
async function runHeat(
  heat: number,
  results: readonly Measured[],
  measurement: ServerMeasurement,
): Promise<void> {
  const { pace } = measurement
  const servers: ServerProcess[] = []
  try {
    for (const { contestant } of results) servers.push(await startServer(contestant.name))
    for (const [at, { contestant }] of results.entries()) {
      const server = servers[at] as ServerProcess
      process.stderr.write(`checking and warming up ${contestant.name}\n`)
      await check(contestant, server)
      await put(contestant, server, pace.warmUpMs, measurement)
    }
    const entries = [...results.entries()]
    await takeTurns(`heat ${heat + 1} of ${pace.heats}`, pace.rounds, entries, ([at, measured]) =>
      measure(measured, servers[at] as ServerProcess, measurement),
    )
  } finally {
    for (const server of servers) server.stop()
  }
}

/** @throws unless the server accepts the right signature and rejects a wrong one */
async function check(contestant: HttpContestant, { port }: ServerProcess): Promise<void> {
  const right = await sendOnce(port, await toRequestBytes(contestant, notification))
  if (right !== 200) throw new Error(`${contestant.name} responds ${right} to the right signature`)
  const wrong = await sendOnce(port, await toRequestBytes(contestant, tampered))
  if (wrong !== 401) throw new Error(`${contestant.name} responds ${wrong} to a tampered notification`)
}

async function measure(
  { contestant, ...into }: Measured,
  server: ServerProcess,
  measurement: ServerMeasurement,
): Promise<void> {
  const before = await server.processorTime()
  const { responses, seconds, used } = await put(
    contestant,
    server,
    measurement.pace.milliseconds,
    measurement,
  )
  into.perSecond.push(responses / seconds)
  into.busy.push((used - before) / (seconds * 1e6))
  if (measurement.settle) await settle(server)
  into.cpu.push(((await server.processorTime()) - before) / responses)
}

async function put(
  contestant: HttpContestant,
  server: ServerProcess,
  milliseconds: number,
  { connections, requestsFor = sameRequest }: ServerMeasurement,
) {
  const nextRequest = await requestsFor(contestant, milliseconds)
  const result = await load({ port: server.port, nextRequest, connections, milliseconds })
  return { ...result, used: await server.processorTime() }
}

async function sameRequest(contestant: HttpContestant): Promise<() => Buffer> {
  const request = await toRequestBytes(contestant, notification)
  return () => request
}

/** Waits until the server uses less than 5 % of a core. */
async function settle(server: ServerProcess): Promise<void> {
  let before = await server.processorTime()
  for (;;) {
    await delay(REST_MS)
    const now = await server.processorTime()
    if (now - before < REST_MS * 50) return
    before = now
  }
}

function toRow({ contestant, perSecond, cpu, busy }: Measured, results: readonly Measured[]): ServerRow {
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
