import { availableParallelism } from 'node:os'
import type { Table } from '../support/report.ts'
import { median, quantiles } from '../support/statistics.ts'
import type { Run, Setup } from './measure.ts'

/** A setup on an engine, and what each round measured. */
export interface Cell extends Pick<Setup, 'receivers' | 'workers' | 'rate'> {
  readonly name: string
  readonly runs: readonly Run[]
}

/** Medians of the rounds. Processor times are in milliseconds. */
export interface CellRow {
  readonly name: string
  readonly receivers: number
  readonly workers: number
  readonly rate: number | 'most' | null
  readonly storedPerSecond: number
  readonly handledPerSecond: number
  /** Per notification that was stored, or if none was, handled; of a worker always per one that it handled. */
  readonly each: {
    readonly load: number
    readonly receiver: number
    readonly worker: number
    /** With what it did afterwards. */
    readonly server: number
    readonly serverLater: number
    readonly serverFirstThread: number
  }
  /** Of each second. */
  readonly ofASecond: { readonly worker: number; readonly server: number }
  /** How busy the processors were, from 0 to 1: with this benchmark, and with everything else. */
  readonly busy: { readonly own: number; readonly others: number }
  readonly depth: number
  readonly latency: { readonly p50: number; readonly p99: number } | null
  readonly delay: { readonly p50: number; readonly p99: number } | null
  /** In bytes per notification, sent and received. */
  readonly network: { readonly receiver: number; readonly worker: number }
  readonly logBytes: number
  readonly transactions: number
  /** The most frequent activities of the server's sessions, each with its share of all. */
  readonly activities: readonly { readonly activity: string; readonly share: number }[]
}

export function toCellRow({ name, receivers, workers, runs, ...cell }: Cell): CellRow {
  const rate = cell.rate ?? null
  const of = (read: (run: Run) => number) => median(runs.map(read))
  const count = (run: Run) => (rate === null ? run.handled : run.stored) || Number.NaN
  const each = (read: (run: Run) => number) => of((run) => read(run) / count(run))
  const perSecond = (read: (run: Run) => number) => of((run) => read(run) / run.seconds)
  const capacity = (run: Run) => run.seconds * 1_000 * availableParallelism()
  const own = ({ used }: Run) => used.load + used.receivers + used.workers + used.server
  return {
    ...{ name, receivers, workers, rate },
    storedPerSecond: perSecond((run) => run.stored),
    handledPerSecond: perSecond((run) => run.handled),
    each: {
      load: each(({ used }) => used.load),
      receiver: each(({ used }) => used.receivers),
      worker: of((run) => run.used.workers / (run.handled || Number.NaN)),
      server: each(({ used, serverLater }) => used.server + serverLater),
      serverLater: each((run) => run.serverLater),
      serverFirstThread: each(({ used }) => used.serverFirstThread),
    },
    ofASecond: {
      worker: perSecond(({ used }) => used.workers / Math.max(1, workers)),
      server: perSecond(({ used }) => used.server),
    },
    busy: {
      own: of((run) => own(run) / capacity(run)),
      others: of((run) => Math.max(0, run.used.machine - own(run)) / capacity(run)),
    },
    depth: of((run) => run.depth),
    latency: toTimes(runs.flatMap((run) => run.latencies)),
    delay: toTimes(runs.flatMap((run) => run.delays)),
    network: {
      receiver: each((run) => run.networkBytes.receivers),
      worker: of((run) => run.networkBytes.workers / (run.handled || Number.NaN)),
    },
    logBytes: each((run) => run.logBytes),
    transactions: each((run) => run.transactions),
    activities: toActivities(runs.flatMap((run) => run.activities)),
  }
}

function toTimes(milliseconds: readonly number[]): { p50: number; p99: number } | null {
  if (milliseconds.length === 0) return null
  const [p50, p99] = quantiles(milliseconds, [0.5, 0.99]) as [number, number]
  return { p50, p99 }
}

function toActivities(samples: readonly string[]): CellRow['activities'] {
  const counted = Object.entries(Object.groupBy(samples, (activity) => activity))
  return counted
    .map(([activity, all = []]) => ({ activity, share: all.length / samples.length }))
    .toSorted((a, b) => b.share - a.share)
    .slice(0, 4)
}

type Columns = Table<CellRow>['columns']

const ms = (value: number) => (Number.isFinite(value) ? value.toFixed(3) : '')
const percent = (share: number) => `${(share * 100).toFixed(0)} %`
const times = (value: CellRow['latency']) =>
  value ? `${value.p50.toFixed(1)} / ${value.p99.toFixed(1)}` : ''

const INBOX: Columns = { inbox: ({ name }) => name }
const RECEIVERS: Columns = { receivers: ({ receivers }) => String(receivers) }
const WORKERS: Columns = { workers: ({ workers }) => String(workers) }
const STORED: Columns = { 'stored a second': ({ storedPerSecond }) => storedPerSecond.toFixed(0) }
const HANDLED: Columns = { 'handled a second': ({ handledPerSecond }) => handledPerSecond.toFixed(0) }
const SENDER: Columns = { 'sender, ms': ({ each }) => ms(each.load) }
const RECEIVER: Columns = { 'receivers, ms': ({ each }) => ms(each.receiver) }
const WORKER: Columns = { 'workers, ms': ({ each }) => ms(each.worker) }
const SERVER: Columns = {
  'server, ms': ({ each }) => ms(each.server),
  'of that later': ({ each }) => ms(each.serverLater),
}
const BUSY: Columns = {
  'processors busy': ({ busy }) => percent(busy.own),
  'with others': ({ busy }) => percent(busy.own + busy.others),
}
const LATENCY: Columns = { 'response p50 / p99, ms': ({ latency }) => times(latency) }
const DELAY: Columns = { 'handled after p50 / p99, ms': ({ delay }) => times(delay) }
const DEPTH: Columns = { 'left at the end': ({ depth }) => depth.toFixed(0) }

export function toStoringTable(rows: readonly CellRow[]): Table<CellRow> {
  const columns = {
    ...INBOX,
    ...RECEIVERS,
    ...STORED,
    ...SENDER,
    ...RECEIVER,
    ...SERVER,
    ...BUSY,
    ...LATENCY,
  }
  return { title: 'Storing, as fast as there are responses', columns, rows }
}

export function toHandlingTable(rows: readonly CellRow[]): Table<CellRow> {
  const columns = { ...INBOX, ...WORKERS, ...HANDLED, ...WORKER, ...SERVER, ...BUSY }
  return { title: 'Handling a backlog', columns, rows }
}

export function toBothTable(rows: readonly CellRow[]): Table<CellRow> {
  const columns = {
    ...{ ...INBOX, ...RECEIVERS, ...WORKERS },
    'requests a second': ({ rate }: CellRow) => String(rate),
    ...{ ...STORED, ...HANDLED, ...SENDER, ...RECEIVER, ...WORKER, ...SERVER, ...BUSY },
    ...{ ...LATENCY, ...DELAY, ...DEPTH },
  }
  return { title: 'Storing and handling at once', columns, rows }
}

export function toIdleTable(rows: readonly CellRow[]): Table<CellRow> {
  const columns: Columns = {
    ...{ ...INBOX, ...WORKERS },
    'each worker, ms a second': ({ workers, ofASecond }) => (workers ? ofASecond.worker.toFixed(2) : ''),
    'server, ms a second': ({ ofASecond }) => ofASecond.server.toFixed(2),
  }
  return { title: 'Idle workers', columns, rows }
}

export function toActivityTable(rows: readonly CellRow[]): Table<CellRow> {
  const columns: Columns = {
    ...{ ...RECEIVERS, ...WORKERS, ...STORED, ...HANDLED },
    'its sessions, when not idle': ({ activities }) =>
      activities.map(({ activity, share }) => `${percent(share)} ${activity}`).join(', '),
  }
  return { title: 'What PostgreSQL does', columns, rows: rows.filter((row) => row.activities.length > 0) }
}
