/** What was measured of an engine, per notification. */
export interface Costs {
  /** Processor time in milliseconds. */
  readonly receiverMs: number
  readonly workerMs: number
  readonly serverMs: number
  /** In bytes, per entry that is kept. */
  readonly completedBytes: number
  readonly logBytes: number
  readonly networkBytes: number
  readonly transactions: number
}

/** What the reader decides, or has to pay. */
export interface Assumptions {
  readonly ratePerSecond: number
  readonly keepSeconds: number
  /** How busy a processor may be on average, from 0 to 1. The rest is for peaks and failures. */
  readonly utilization: number
  /** Of the data: 2 is a server and its standby. */
  readonly copies: number
  /** How much room a server gets for its data, as a multiple of what they occupy. */
  readonly room: number
  /** How long the log is kept, to restore any moment. */
  readonly logDays: number
  /** How much one server may handle. */
  readonly ratePerServer: number
  readonly perCoreMonth: number
  /** Of memory if the engine keeps its entries there, otherwise of disk. */
  readonly perGigabyteMonth: number
  readonly perArchivedGigabyteMonth: number
}

export interface Capacity {
  readonly perYear: number
  readonly servers: number
  readonly receiverCores: number
  readonly workerCores: number
  /** With those of the copies, which replay about the same. */
  readonly serverCores: number
  readonly storedGigabytes: number
  readonly logMegabytesPerSecond: number
  readonly archivedGigabytes: number
  readonly networkMegabytesPerSecond: number
  readonly transactionsPerSecond: number
  /** Until PostgreSQL has to freeze all tables of a server. */
  readonly freezeDays: number
  readonly costPerMonth: number
  readonly costPerMillion: number
}

const MONTHS = 12
const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
/** PostgreSQL's `autovacuum_freeze_max_age`, in transactions. */
const FREEZE_AGE = 200e6

/** What a rate needs, from what a notification costs. */
export function toCapacity(costs: Costs, given: Assumptions): Capacity {
  const { ratePerSecond: rate, keepSeconds, utilization, copies } = given
  const servers = Math.ceil(rate / given.ratePerServer)
  const coresOf = (ms: number) => (rate * ms) / 1_000 / utilization
  const receiverCores = coresOf(costs.receiverMs)
  const workerCores = coresOf(costs.workerMs)
  const serverCores = coresOf(costs.serverMs) * copies
  const storedGigabytes = (rate * keepSeconds * costs.completedBytes * copies * given.room) / 1e9
  const logMegabytesPerSecond = (rate * costs.logBytes) / 1e6
  const archivedGigabytes = (logMegabytesPerSecond * DAY_SECONDS * given.logDays) / 1e3
  const transactionsPerSecond = rate * costs.transactions
  const costPerMonth =
    (receiverCores + workerCores + serverCores) * given.perCoreMonth +
    storedGigabytes * given.perGigabyteMonth +
    archivedGigabytes * given.perArchivedGigabyteMonth
  return {
    perYear: rate * YEAR_SECONDS,
    ...{ servers, receiverCores, workerCores, serverCores },
    ...{ storedGigabytes, logMegabytesPerSecond, archivedGigabytes },
    networkMegabytesPerSecond: (rate * costs.networkBytes) / 1e6,
    transactionsPerSecond,
    freezeDays: FREEZE_AGE / ((transactionsPerSecond / servers) * DAY_SECONDS),
    costPerMonth,
    costPerMillion: (costPerMonth * MONTHS * 1e6) / (rate * YEAR_SECONDS),
  }
}
