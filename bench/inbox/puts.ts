import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { collectGarbage, takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, median, quantiles, type Summary } from '../support/statistics.ts'
import type { InboxContestant } from './contestants.ts'
import { putFor } from './put-load.ts'
import type { Store } from './stores/store.ts'

const pace = flags.quick
  ? { rounds: 3, milliseconds: 100, warmUpMs: 100 }
  : { rounds: roundsOf(21, 3), milliseconds: 250, warmUpMs: 1000 }

/** The results of a contestant, in each round. */
export interface MeasuredPuts {
  readonly contestant: InboxContestant
  readonly perSecond: number[]
  /** The time of every put, in milliseconds. */
  readonly latencies: number[]
}

export interface PutRow {
  readonly name: string
  readonly ratio: Summary
  /** The ratio to the bare call of its engine. */
  readonly toBare: Summary | undefined
  readonly perSecond: number
  /** In milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number }
  readonly target: string | undefined
}

/** Notifications stored per second. A producer waits for each acknowledgement before its next put. */
export async function measurePuts(
  contestants: readonly InboxContestant[],
  producers: number,
): Promise<Table<PutRow>> {
  const results = await measureAll(contestants, producers)
  return {
    title: `Stored per second, ${producers} ${producers === 1 ? 'producer' : 'producers'}`,
    columns: {
      store: ({ name }: PutRow) => emphasize(name),
      ratio: ({ ratio }) => ratio.median.toFixed(2),
      'middle half of the rounds': ({ ratio }) => toRange(ratio),
      'to the bare call': ({ toBare }) => (toBare === undefined ? '' : toBare.median.toFixed(2)),
      'a second': ({ perSecond }) => perSecond.toFixed(0),
      'p50, ms': ({ latency }) => latency.p50.toFixed(2),
      'p99, ms': ({ latency }) => latency.p99.toFixed(2),
      target: ({ target }) => target ?? '',
    },
    rows: results.map((measured) => toRow(measured, results, producers)),
  }
}

/** All stores are open, but only one is used at a time. */
async function measureAll(
  contestants: readonly InboxContestant[],
  producers: number,
): Promise<MeasuredPuts[]> {
  const results: (MeasuredPuts & { readonly store: Store })[] = []
  const next = createNotificationSource()
  try {
    for (const contestant of contestants) {
      process.stderr.write(`warming up ${contestant.name}\n`)
      const store = await contestant.open()
      results.push({ contestant, store, perSecond: [], latencies: [] })
      await putFor(store, producers, pace.warmUpMs, next)
    }
    const before = await Promise.all(results.map(({ store }) => store.count()))
    await takeTurns('puts', pace.rounds, results, async ({ store, perSecond, latencies }) => {
      collectGarbage({ type: 'minor' })
      const result = await putFor(store, producers, pace.milliseconds, next)
      perSecond.push(result.perSecond)
      for (const latency of result.latencies) latencies.push(latency)
    })
    for (const [at, { contestant, store, latencies }] of results.entries()) {
      const stored = (await store.count()) - (before[at] as number)
      if (stored === latencies.length) continue
      throw new Error(
        `${contestant.name} acknowledged ${latencies.length} notifications and stored ${stored}`,
      )
    }
  } finally {
    for (const { store } of results) await store.close()
  }
  return results
}

function toRow(
  { contestant: { name, bare, targets }, perSecond, latencies }: MeasuredPuts,
  results: readonly MeasuredPuts[],
  producers: number,
): PutRow {
  const [base] = results as [MeasuredPuts]
  const call = bare === undefined ? undefined : results.find(({ contestant }) => contestant.name === bare)
  const [p50, p99] = quantiles(latencies, [0.5, 0.99]) as [number, number]
  return {
    name,
    ratio: compare(perSecond, base.perSecond),
    toBare: call && compare(perSecond, call.perSecond),
    perSecond: median(perSecond),
    latency: { p50, p99 },
    target: targets?.[producers],
  }
}
