// Writes results/scale.md and its plots: node bench/scale/page.ts REPORT, with what `bench:scale -- --json`
// printed.

import { readFileSync, writeFileSync } from 'node:fs'
import type { Line } from '../support/line-plot.ts'
import { plot, type Report, results, rowsOf, sections } from '../support/results.ts'
import { median } from '../support/statistics.ts'
import type { CellRow } from './cells.ts'
import { assumptions, toInputTable, toPaperTable, toScenarios } from './paper.ts'
import type { PruningRow } from './pruning.ts'
import type { SizeRow } from './sizes.ts'

const REDIS = 'Redis, everysec'
const POSTGRES = 'PostgreSQL'
const STEADY = 1_000

const report: Report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const [storing, handling, both, idle] = ['Storing, as', 'Handling', 'Storing and', 'Idle'].map((title) =>
  rowsOf<CellRow>(report, title),
) as [CellRow[], CellRow[], CellRow[], CellRow[]]
const sizes = rowsOf<SizeRow>(report, 'Bytes')
const pruning = rowsOf<PruningRow>(report, 'Pruning')

const scenarios = [REDIS, POSTGRES].flatMap((name) => {
  const size = sizes.find((row) => row.name === name) as SizeRow
  return toScenarios(keepingUp(name), size)
})

const plots = [
  plot('scale-throughput', {
    title: 'Throughput of more processes on the same machine',
    horizontal: 'receivers that store, or workers that handle',
    vertical: 'notifications per second',
    lines: [REDIS, POSTGRES].flatMap((name) => [
      line(`${short(name)}, stored`, storing, name, (row) => [row.receivers, row.storedPerSecond]),
      line(`${short(name)}, handled`, handling, name, (row) => [row.workers, row.handledPerSecond]),
    ]),
  }),
  plot('scale-storing', {
    title: 'Processor time to store a notification',
    horizontal: 'receivers',
    vertical: 'milliseconds of a core',
    lines: [REDIS, POSTGRES].flatMap((name) => [
      line(`${short(name)}, receivers`, storing, name, (row) => [row.receivers, row.each.receiver]),
      line(`${short(name)}, server`, storing, name, (row) => [row.receivers, row.each.server]),
    ]),
  }),
  plot('scale-handling', {
    title: 'Processor time to handle a notification',
    horizontal: 'workers',
    vertical: 'milliseconds of a core',
    lines: [REDIS, POSTGRES].flatMap((name) => [
      line(`${short(name)}, workers`, handling, name, (row) => [row.workers, row.each.worker]),
      line(`${short(name)}, server`, handling, name, (row) => [row.workers, row.each.server]),
    ]),
  }),
]

const template = readFileSync(new URL('./page.md', import.meta.url), 'utf8')
const values: Record<string, string> = {
  run: `Measured on ${report.date} at commit ${report.commit}, Node ${report.node}, ${report.machine}`,
  plots: plots.join('\n\n'),
  measured: sections(report),
  assumptions,
  inputs: toInputTable(scenarios),
  thousand: toPaperTable(scenarios, STEADY),
  hundredThousand: toPaperTable(scenarios, 100 * STEADY),
  ...figures(),
}
const page = template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
  const value = values[name]
  if (value === undefined) throw new Error(`There is no figure "${name}".`)
  return value
})
writeFileSync(`${results}scale.md`, page)

/** Those that the text mentions. */
function figures(): Record<string, string> {
  const stored = (name: string, receivers: number) => find(storing, name, { receivers })
  const handled = (name: string, workers: number) => find(handling, name, { workers })
  const slow = (name: string) => find(both, name, { rate: 200 })
  const total = ({ each }: CellRow) => each.receiver + each.worker + each.server
  const idleOf = (name: string) => find(idle, name, { workers: 8 })
  const [reading, deleting] = pruning as [PruningRow, PruningRow]
  const ms = (value: number) => value.toFixed(2)
  const perSecond = (value: number) => Math.round(value).toLocaleString('en')
  const mostHandled = (engine: string) => {
    const rows = handling.filter(({ name }) => name === engine)
    return perSecond(Math.max(...rows.map((row) => row.handledPerSecond)))
  }
  const others = median([...storing, ...handling, ...both].map(({ busy }) => busy.others))
  return {
    others: `${Math.round(others * 100)} %`,
    redisStored: perSecond(stored(REDIS, 1).storedPerSecond),
    alwaysStored: perSecond(stored('Redis, always', 1).storedPerSecond),
    postgresStored: perSecond(stored(POSTGRES, 1).storedPerSecond),
    redisHandled: perSecond(handled(REDIS, 1).handledPerSecond),
    postgresHandled: perSecond(handled(POSTGRES, 1).handledPerSecond),
    ...{ redisMostHandled: mostHandled(REDIS), postgresMostHandled: mostHandled(POSTGRES) },
    postgresAlone: perSecond(find(both, POSTGRES, { workers: 1, rate: STEADY }).handledPerSecond),
    ...{ redisOne: ms(stored(REDIS, 1).each.receiver), redisFour: ms(stored(REDIS, 4).each.receiver) },
    ...{
      postgresOne: ms(stored(POSTGRES, 1).each.receiver),
      postgresFour: ms(stored(POSTGRES, 4).each.receiver),
    },
    postgresServerOne: ms(stored(POSTGRES, 1).each.server),
    postgresServerFour: ms(stored(POSTGRES, 4).each.server),
    ...{ redisSlow: ms(total(slow(REDIS))), redisSteady: ms(total(keepingUp(REDIS))) },
    ...{
      postgresSlow: ms(total(slow(POSTGRES))),
      postgresSteady: ms(total(keepingUp(POSTGRES))),
    },
    redisThread: ms(keepingUp(REDIS).each.serverFirstThread),
    redisMost: perSecond(1_000 / keepingUp(REDIS).each.serverFirstThread),
    redisBestMost: perSecond(
      1_000 / find(both, REDIS, { receivers: 2, rate: 'most' }).each.serverFirstThread,
    ),
    redisIdle: ms(idleOf(REDIS).ofASecond.worker),
    redisIdleServer: ms(idleOf(REDIS).ofASecond.server / 8),
    postgresIdle: ms(idleOf(POSTGRES).ofASecond.worker),
    postgresIdleServer: ms(
      (idleOf(POSTGRES).ofASecond.server - find(idle, POSTGRES, { workers: 0 }).ofASecond.server) / 8,
    ),
    postgresDelay: perSecond(slow(POSTGRES).delay?.p50 ?? 0),
    redisDelay: perSecond(slow(REDIS).delay?.p50 ?? 0),
    redisRate: perSecond(keepingUp(REDIS).handledPerSecond),
    postgresRate: perSecond(keepingUp(POSTGRES).handledPerSecond),
    postgresParts: `receivers: ${keepingUp(POSTGRES).receivers}, workers: ${keepingUp(POSTGRES).workers}`,
    postgresBusy: `${Math.round(keepingUp(POSTGRES).busy.own * 100)} %`,
    redisBusy: `${Math.round(keepingUp(REDIS).busy.own * 100)} %`,
    postgresTransactions: ms(keepingUp(POSTGRES).transactions),
    pruneKept: perSecond(reading.kept),
    pruneReadMs: perSecond(reading.serverMs),
    pruneDeleted: perSecond(deleting.deleted),
    pruneDeleteMs: perSecond(deleting.serverMs - reading.serverMs),
  }
}

function find(rows: readonly CellRow[], name: string, wanted: Partial<CellRow>): CellRow {
  const isWanted = (row: CellRow) =>
    Object.entries(wanted).every(([key, value]) => row[key as keyof CellRow] === value)
  const found = rows.find((row) => row.name === name && isWanted(row))
  if (found === undefined) throw new Error(`${name} was not measured with ${JSON.stringify(wanted)}.`)
  return found
}

/** The steady rate with the fewest workers that handle what arrives. */
function keepingUp(name: string): CellRow {
  const rows = both.filter((row) => row.name === name && row.rate === STEADY)
  const found = rows.find((row) => row.handledPerSecond > row.storedPerSecond * 0.97)
  if (found === undefined) throw new Error(`${name} does not handle what arrives.`)
  return found
}

function line(
  title: string,
  rows: readonly CellRow[],
  name: string,
  toPoint: (row: CellRow) => readonly [x: number, y: number],
): Line {
  return { name: title, points: rows.filter((row) => row.name === name).map(toPoint) }
}

function short(name: string): string {
  return name.split(',', 1)[0] as string
}
