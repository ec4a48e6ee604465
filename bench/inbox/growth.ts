import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { NotificationSource } from '../support/distinct-notifications.ts'
import { collectGarbage } from '../support/interleave.ts'
import type { Table } from '../support/report.ts'
import { sum } from '../support/statistics.ts'
import { putMany } from './put-load.ts'

const PRODUCERS = 50
const SAMPLES = 10
const MB = 1_000_000
/**
 * How much more memory may be in use at the end than at the second sample, when everything is compiled and
 * cached.
 */
const LIMITS = { heap: 8 * MB, rss: 64 * MB }

interface MemoryRow {
  readonly notifications: number
  /** After a full garbage collection, in bytes: JavaScript's heap and external buffers. */
  readonly heap: number
  /** Resident memory of the process, in bytes. */
  readonly rss: number
  /** Notifications put and handled per second, since the previous row. */
  readonly perSecond: number
}

/** Memory of a process that puts notifications and handles them at once. */
export async function measureGrowth(
  inbox: Inbox,
  notifications: number,
  next: NotificationSource,
): Promise<{ table: Table<MemoryRow>; complaints: string[] }> {
  let handled = 0
  let failure: unknown
  const fail = (error: unknown) => {
    failure = error
  }
  await inbox.start({
    async handle() {
      handled++
    },
    dead: async ({ error }) => fail(error),
    failed: fail,
  })
  const rows: MemoryRow[] = []
  for (let sample = 1; sample <= SAMPLES; sample++) {
    const started = performance.now()
    await putMany(inbox, PRODUCERS, notifications / SAMPLES, next)
    while (handled < (notifications / SAMPLES) * sample && failure === undefined) await delay(5)
    if (failure !== undefined) throw new Error('A notification was not handled.', { cause: failure })
    const perSecond = (notifications / SAMPLES / (performance.now() - started)) * 1000
    rows.push({ notifications: handled, perSecond, ...(await readMemory()) })
    process.stderr.write(`${handled} handled\r`)
  }
  process.stderr.write('\n')
  await inbox.stop()
  const heapGrowth = growth(rows, 'heap')
  const rssGrowth = growth(rows, 'rss')
  const complaints = []
  if (heapGrowth > LIMITS.heap) complaints.push(`the heap grew by ${toMb(heapGrowth)} MB`)
  if (rssGrowth > LIMITS.rss) complaints.push(`the memory of the process grew by ${toMb(rssGrowth)} MB`)
  return { table: toTable(rows), complaints }
}

async function readMemory(): Promise<Pick<MemoryRow, 'heap' | 'rss'>> {
  // Twice, as the second collection frees what finalizers release during the first.
  for (let time = 0; time < 2; time++) {
    collectGarbage()
    await delay(10)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}

function growth(rows: readonly MemoryRow[], key: 'heap' | 'rss'): number {
  return (rows.at(-1) as MemoryRow)[key] - (rows[1] as MemoryRow)[key]
}

/** Bytes per notification from the second sample on, by least squares. */
function slope(rows: readonly MemoryRow[], key: 'heap' | 'rss'): number {
  const settled = rows.slice(1)
  const mean = (values: readonly number[]) => sum(values) / values.length
  const x = mean(settled.map(({ notifications }) => notifications))
  const y = mean(settled.map((row) => row[key]))
  const covariance = settled.map((row) => (row.notifications - x) * (row[key] - y))
  const variance = settled.map(({ notifications }) => (notifications - x) ** 2)
  return mean(covariance) / mean(variance)
}

function toTable(rows: readonly MemoryRow[]): Table<MemoryRow> {
  const slopes = `heap ${slope(rows, 'heap').toFixed(1)}, process ${slope(rows, 'rss').toFixed(1)}`
  return {
    title: `Memory while notifications go through payhook SQLite (bytes each, once settled: ${slopes})`,
    columns: {
      notifications: ({ notifications }) => notifications.toLocaleString('en'),
      'heap, MB': ({ heap }) => toMb(heap),
      'process, MB': ({ rss }) => toMb(rss),
      'put and handled per second': ({ perSecond }) => perSecond.toFixed(0),
    },
    rows,
  }
}

function toMb(bytes: number): string {
  return (bytes / MB).toFixed(1)
}
