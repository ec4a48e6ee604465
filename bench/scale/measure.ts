import { setTimeout as delay } from 'node:timers/promises'
import { openInbox } from '../../test/contracts/open-inbox.ts'
import { toRequests } from '../http/inbox-requests.ts'
import { type LoadResult, load } from '../http/load.ts'
import { putMany } from '../inbox/put-load.ts'
import { createNotificationSource, type NotificationSource } from '../support/distinct-notifications.ts'
import {
  bytesReadAndWritten,
  firstThreadTimeOf,
  machineTime,
  processorTimeOf,
} from '../support/processor-time.ts'
import { sum } from '../support/statistics.ts'
import type { WorkReport } from './child.ts'
import type { StorageServer } from './engines.ts'
import { type Part, startPart } from './part.ts'

const CONNECTIONS = 48
const SAMPLE_MS = 100

/** What runs at the same time. */
export interface Setup {
  readonly receivers: number
  readonly workers: number
  /** Requests per second; `'most'` as fast as there are responses. Without, there are none. */
  readonly rate?: number | 'most' | undefined
  /** Stored before the first worker starts. */
  readonly backlog?: number
  readonly warmUpMs: number
  readonly milliseconds: number
}

/** What a run measured. All processor times are in milliseconds. */
export interface Run {
  readonly seconds: number
  readonly stored: number
  readonly handled: number
  /** Stored and not handled at the end. */
  readonly depth: number
  /** Of each part, while the load ran. */
  readonly used: {
    readonly load: number
    readonly receivers: number
    readonly workers: number
    readonly server: number
    readonly serverFirstThread: number
    /** Of everything on the machine. */
    readonly machine: number
  }
  /** What the server did afterwards because of it. */
  readonly serverLater: number
  readonly networkBytes: { readonly receivers: number; readonly workers: number }
  readonly logBytes: number
  readonly transactions: number
  readonly latencies: readonly number[]
  readonly delays: readonly number[]
  readonly activities: readonly string[]
}

/** Runs the parts on a server, each in a process of its own, and measures them for a while. */
export async function measure(server: StorageServer, setup: Setup): Promise<Run> {
  const place = server.newPlace()
  const next = createNotificationSource()
  if (setup.backlog !== undefined) {
    await using inbox = await openInbox(place)
    await putMany(inbox, 100, setup.backlog, next)
  }
  const roles = [...Array(setup.receivers).fill('receiver'), ...Array(setup.workers).fill('worker')]
  const parts = await Promise.all(roles.map((role) => startPart({ role, place })))
  try {
    return await measureParts(server, parts, setup, next)
  } finally {
    for (const part of parts) await part.stop()
  }
}

async function measureParts(
  server: StorageServer,
  parts: readonly Part[],
  setup: Setup,
  next: NotificationSource,
): Promise<Run> {
  const { receiver: receivers = [], worker: workers = [] } = Object.groupBy(parts, ({ role }) => role)
  const backlog = setup.backlog ?? 0
  const handledSince = async () => sum((await reportsOf(workers)).map(({ handled }) => handled))
  let left = backlog + (await warmUp(receivers, setup, next)) - (await handledSince())
  // At a steady rate, there is no backlog.
  for (; typeof setup.rate === 'number' && left > 0; left -= await handledSince()) await delay(SAMPLE_MS)
  await server.catchUp()
  left -= await handledSince()
  const before = await look(server, receivers, workers)
  const isIdle = setup.rate === undefined && backlog === 0
  const sampler = isIdle ? undefined : sample(server)
  const { latencies } = await putLoad(receivers, setup, next, setup.milliseconds)
  const late = await reportsOf(workers)
  const activities = (await sampler?.stop()) ?? []
  const after = await look(server, receivers, workers)
  await server.catchUp()
  const serverLater = processorTimeOf(server.processId) - after.used.server
  const state = await server.read()

  const handled = sum(late.map((report) => report.handled))
  const stored = latencies.length
  const depth = left + stored - handled
  if (backlog > 0 && depth < setup.workers * 10) throw new Error('The backlog was too small.')
  return {
    seconds: (after.at - before.at) / 1_000,
    ...{ stored, handled, depth, serverLater, latencies, activities },
    used: difference(before.used, after.used),
    networkBytes: difference(before.networkBytes, after.networkBytes),
    logBytes: state.logBytes - before.state.logBytes,
    transactions: state.transactions - before.state.transactions,
    delays: late.flatMap((report) => report.delays),
  }
}

/** As fast as possible, so that the code is compiled. Resolves with how many were stored. */
async function warmUp(receivers: readonly Part[], setup: Setup, next: NotificationSource): Promise<number> {
  const rate = setup.rate && 'most'
  return (await putLoad(receivers, { rate }, next, setup.warmUpMs)).latencies.length
}

/** All connections together, divided among the receivers. */
async function putLoad(
  receivers: readonly Part[],
  { rate }: Pick<Setup, 'rate'>,
  next: NotificationSource,
  milliseconds: number,
): Promise<Pick<LoadResult, 'latencies'>> {
  if (rate === undefined) {
    await delay(milliseconds)
    return { latencies: [] }
  }
  const connections = CONNECTIONS / receivers.length
  const share = rate === 'most' ? undefined : rate / receivers.length
  const nextRequest = toRequests(next)
  const results = await Promise.all(
    receivers.map(({ port }) => load({ port, nextRequest, connections, milliseconds, rate: share })),
  )
  return { latencies: results.flatMap(({ latencies }) => latencies) }
}

async function look(server: StorageServer, receivers: readonly Part[], workers: readonly Part[]) {
  const state = await server.read()
  const timeOf = (parts: readonly Part[]) => sum(parts.map(({ processId }) => processorTimeOf(processId)))
  const bytesOf = (parts: readonly Part[]) =>
    sum(parts.map(({ processId }) => bytesReadAndWritten(processId)))
  return {
    at: performance.now(),
    state,
    used: {
      // Without its child processes, which are the other parts.
      load: ownProcessorTime(),
      receivers: timeOf(receivers),
      workers: timeOf(workers),
      server: processorTimeOf(server.processId),
      serverFirstThread: firstThreadTimeOf(server.processId),
      machine: machineTime(),
    },
    networkBytes: { receivers: bytesOf(receivers), workers: bytesOf(workers) },
  }
}

function reportsOf(workers: readonly Part[]): Promise<WorkReport[]> {
  return Promise.all(workers.map((worker) => worker.report()))
}

/** Asks the server again and again what it is doing. */
function sample(server: StorageServer) {
  const stopping = new AbortController()
  const seen: string[] = []
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      seen.push(...(await server.activities()))
      await delay(SAMPLE_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    async stop(): Promise<string[]> {
      stopping.abort()
      await sampling
      return seen
    },
  }
}

function ownProcessorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function difference<Name extends string>(before: Record<Name, number>, after: Record<Name, number>) {
  const entries = Object.entries<number>(after).map(([name, value]) => [name, value - before[name as Name]])
  return Object.fromEntries(entries) as Record<Name, number>
}
