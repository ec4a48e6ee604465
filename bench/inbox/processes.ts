import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flags, roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { printReport, type Table, toRange } from '../support/report.ts'
import { compare, median, quantiles, type Summary, sum } from '../support/statistics.ts'
import type { ProducePlan } from './produce-child.ts'
import type { PutResult } from './put-load.ts'

const PROCESSES = [1, 2, 4, 8]
const pace = { rounds: roundsOf(7, 1), milliseconds: flags.quick ? 300 : 1_500 }

interface Measured {
  readonly processes: number
  /** Of all processes together, in each round. */
  readonly perSecond: number[]
  /** Of the slowest process, as a share of the average. */
  readonly least: number[]
  /** In milliseconds, of every put. */
  readonly latencies: number[]
}

interface ProcessesRow {
  readonly processes: number
  readonly ratio: Summary
  readonly perSecond: number
  readonly least: number
  readonly latency: { readonly p50: number; readonly p99: number; readonly most: number }
}

const results = PROCESSES.map(
  (processes): Measured => ({ processes, perSecond: [], least: [], latencies: [] }),
)
await takeTurns('processes', pace.rounds, results, measure)
printReport([toTable()])

/** All processes put into one new file, each with 50 producers. */
async function measure({ processes, perSecond, least, latencies }: Measured): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-bench-inbox-processes-'))
  const children: ChildProcess[] = []
  try {
    for (let at = 0; at < processes; at++) children.push(await start({ path: join(folder, 'inbox.db'), at }))
    const finished = children.map((child) => once(child, 'message') as Promise<[PutResult]>)
    for (const child of children) child.send(pace.milliseconds)
    const produced = (await Promise.all(finished)).map(([result]) => result)
    const total = sum(produced.map((each) => each.perSecond))
    perSecond.push(total)
    least.push((Math.min(...produced.map((each) => each.perSecond)) * processes) / total)
    for (const each of produced) latencies.push(...each.latencies)
  } finally {
    for (const child of children) child.disconnect()
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
    rmSync(folder, { recursive: true })
  }
}

/** Starts a process and waits until it is warmed up. */
async function start(plan: ProducePlan): Promise<ChildProcess> {
  const child = fork(new URL('./produce-child.ts', import.meta.url), [JSON.stringify(plan)])
  await once(child, 'message')
  return child
}

function toTable(): Table<ProcessesRow> {
  const [base] = results as [Measured, ...Measured[]]
  return {
    title: 'Stored per second in one file, payhook SQLite, 50 producers in each process',
    columns: {
      processes: ({ processes }) => String(processes),
      ratio: ({ ratio }) => ratio.median.toFixed(2),
      'middle half of the rounds': ({ ratio }) => toRange(ratio),
      'a second': ({ perSecond }) => perSecond.toFixed(0),
      'the least, of an equal share': ({ least }) => least.toFixed(2),
      'p50, ms': ({ latency }) => latency.p50.toFixed(2),
      'p99, ms': ({ latency }) => latency.p99.toFixed(2),
      'longest, ms': ({ latency }) => latency.most.toFixed(0),
    },
    rows: results.map(({ processes, perSecond, least, latencies }) => {
      const [p50, p99, most] = quantiles(latencies, [0.5, 0.99, 1]) as [number, number, number]
      return {
        processes,
        ratio: compare(perSecond, base.perSecond),
        perSecond: median(perSecond),
        least: median(least),
        latency: { p50, p99, most },
      }
    }),
  }
}
