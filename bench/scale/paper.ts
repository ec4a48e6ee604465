import { type Assumptions, type Capacity, type Costs, toCapacity } from './capacity.ts'
import type { CellRow } from './cells.ts'
import type { SizeRow } from './sizes.ts'

/** Round figures: replace them with your own. */
const GIVEN = {
  utilization: 0.5,
  copies: 2,
  room: 1.5,
  logDays: 7,
  perCoreMonth: 30,
  perArchivedGigabyteMonth: 0.02,
}
const PER_DISK_GIGABYTE = 0.1
const PER_MEMORY_GIGABYTE = 4
/** Of PostgreSQL's server. Redis uses little more than one. */
const SERVER_CORES = 8
const HOUR_SECONDS = 3_600

export interface Scenario {
  readonly name: string
  readonly costs: Costs
  readonly given: Omit<Assumptions, 'ratePerSecond'>
}

/** What an engine costs at a steady rate, with how much of it one server can take. */
export function toScenarios(steady: CellRow, size: SizeRow): Scenario[] {
  const { each, network, logBytes, transactions } = steady
  const costs: Costs = {
    receiverMs: each.receiver,
    workerMs: each.worker,
    serverMs: each.server,
    completedBytes: size.completed,
    logBytes,
    networkBytes: network.receiver + network.worker,
    transactions,
  }
  const isRedis = size.name.startsWith('Redis')
  const perSecond =
    (GIVEN.utilization * 1_000) / (isRedis ? each.serverFirstThread : each.server / SERVER_CORES)
  const given = {
    ...GIVEN,
    ratePerServer: Math.floor(perSecond / 100) * 100,
    // Redis rewrites its log, and cannot restore any moment from it.
    logDays: isRedis ? 0 : GIVEN.logDays,
    perGigabyteMonth: isRedis ? PER_MEMORY_GIGABYTE : PER_DISK_GIGABYTE,
  }
  const hour = { costs, given: { ...given, keepSeconds: HOUR_SECONDS } }
  if (isRedis) return [{ name: 'Redis, 1 hour', ...hour }]
  const week = { costs, given: { ...given, keepSeconds: 7 * 24 * HOUR_SECONDS } }
  return [
    { name: 'PostgreSQL, 7 days', ...week },
    { name: 'PostgreSQL, 1 hour', ...hour },
  ]
}

const LINES: readonly [name: string, how: string, read: (capacity: Capacity) => string][] = [
  ['servers', 'rate ÷ rate of one server, rounded up', ({ servers }) => String(servers)],
  ['cores for receivers', 'rate × ms ÷ 1,000 ÷ u', ({ receiverCores }) => toCores(receiverCores)],
  ['cores for workers, without your handlers', 'the same', ({ workerCores }) => toCores(workerCores)],
  ['cores for servers', 'the same, × copies', ({ serverCores }) => toCores(serverCores)],
  [
    'data, memory in Redis',
    'rate × keep × bytes × copies × room',
    ({ storedGigabytes }) => toGigabytes(storedGigabytes),
  ],
  ['log', 'rate × bytes of log', ({ logMegabytesPerSecond }) => toMegabytes(logMegabytesPerSecond)],
  [
    'log kept for a week',
    'log × 86,400 s × 7',
    ({ archivedGigabytes }) => (archivedGigabytes > 0 ? toGigabytes(archivedGigabytes) : '–'),
  ],
  [
    'network',
    'rate × bytes sent and received',
    ({ networkMegabytesPerSecond }) => toMegabytes(networkMegabytesPerSecond),
  ],
  [
    'days between freezes of a table',
    '200 million ÷ transactions a day of one server',
    ({ freezeDays }) => (Number.isFinite(freezeDays) ? freezeDays.toFixed(1) : '–'),
  ],
  ['cost a month', 'cores and GB × their prices', ({ costPerMonth }) => toInteger(costPerMonth)],
  ['cost a year', '× 12', ({ costPerMonth }) => toInteger(costPerMonth * 12)],
  [
    'cost of a million notifications',
    'cost a year ÷ rate ÷ 31.5',
    ({ costPerMillion }) => costPerMillion.toFixed(3),
  ],
]

/** A Markdown table of what a rate needs. */
export function toPaperTable(scenarios: readonly Scenario[], ratePerSecond: number): string {
  const capacities = scenarios.map(({ costs, given }) => toCapacity(costs, { ...given, ratePerSecond }))
  const lines = LINES.map(([name, how, read]) => [name, how, ...capacities.map(read)])
  return toTable(['', 'how', ...scenarios.map(({ name }) => name)], lines)
}

/** The figures that the tables start from. */
export function toInputTable(scenarios: readonly Scenario[]): string {
  const lines: [string, (scenario: Scenario) => string][] = [
    ['receivers, ms', ({ costs }) => costs.receiverMs.toFixed(3)],
    ['workers, ms', ({ costs }) => costs.workerMs.toFixed(3)],
    ['server, ms', ({ costs }) => costs.serverMs.toFixed(3)],
    ['bytes, completed', ({ costs }) => toInteger(costs.completedBytes)],
    ['bytes of log', ({ costs }) => toInteger(costs.logBytes)],
    ['bytes sent and received', ({ costs }) => toInteger(costs.networkBytes)],
    ['transactions', ({ costs }) => costs.transactions.toFixed(2)],
    ['rate of one server', ({ given }) => toInteger(given.ratePerServer)],
  ]
  return toTable(
    ['per notification', ...scenarios.map(({ name }) => name)],
    lines.map(([name, read]) => [name, ...scenarios.map(read)]),
  )
}

export const assumptions = `${GIVEN.utilization * 100} % of each core used on average (u), ${GIVEN.copies} copies of
the data, ${GIVEN.room} times as much room as they take, and ${SERVER_CORES} cores in a server of PostgreSQL. A month costs
${GIVEN.perCoreMonth} for a core, ${PER_MEMORY_GIGABYTE} for a GB of memory, ${PER_DISK_GIGABYTE} for a GB of disk and ${GIVEN.perArchivedGigabyteMonth} for a GB of kept log, in any currency`

function toTable(headings: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = row(
    headings.map((heading) => (['', 'how', 'per notification'].includes(heading) ? '---' : '--:')),
  )
  return [row(headings), rule, ...lines.map(row)].join('\n')
}

function toInteger(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function toCores(cores: number): string {
  return cores < 10 ? cores.toFixed(1) : toInteger(cores)
}

function toGigabytes(gigabytes: number): string {
  return gigabytes >= 1_000 ? `${(gigabytes / 1_000).toFixed(1)} TB` : `${gigabytes.toFixed(0)} GB`
}

function toMegabytes(megabytes: number): string {
  return megabytes >= 1_000 ? `${(megabytes / 1_000).toFixed(1)} GB/s` : `${megabytes.toFixed(0)} MB/s`
}
