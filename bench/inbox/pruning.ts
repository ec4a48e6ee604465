import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '../../src/inbox/inbox.ts'
import type { NotificationSource } from '../support/distinct-notifications.ts'
import { collectGarbage } from '../support/interleave.ts'
import type { Table } from '../support/report.ts'
import { quantiles } from '../support/statistics.ts'

const PAUSE_MS = 5
const BASELINE_MS = 3_000
/** The longest delay that pruning may add to the event loop. */
const LIMIT_MS = 250

interface PruneRow {
  readonly name: string
  readonly milliseconds: number
  /** The times of puts, in milliseconds. */
  readonly put: { readonly p50: number; readonly p99: number; readonly max: number }
  /** The delays of the event loop, in milliseconds. */
  readonly loop: { readonly p99: number; readonly max: number }
}

/** How pruning and counting all completed entries affects puts and the event loop. */
export async function measurePruning(
  inbox: Inbox,
  next: NotificationSource,
): Promise<{ table: Table<PruneRow>; complaints: string[] }> {
  const { completed } = await inbox.counts()
  const entries = `${completed.toLocaleString('en')} entries`
  const olderThan = new Date(Date.now() + 1000)
  const idle = await beside('nothing else', inbox, next, () => delay(BASELINE_MS))
  const counting = await beside(`counting ${entries}, once`, inbox, next, () => inbox.counts())
  const pruning = await beside(`pruning ${entries}`, inbox, next, async () => {
    const pruned = await inbox.prune({ olderThan })
    if (pruned !== completed) throw new Error(`Only ${pruned} of ${entries} entries were pruned.`)
  })
  const excess = pruning.loop.max - idle.loop.max
  return {
    table: toTable([idle, counting, pruning]),
    complaints:
      excess > LIMIT_MS ? [`pruning held the event loop up for ${pruning.loop.max.toFixed(0)} ms`] : [],
  }
}

/** Puts one notification after the other, with short pauses, while something else runs. */
async function beside(
  name: string,
  inbox: Inbox,
  next: NotificationSource,
  work: () => Promise<unknown>,
): Promise<PruneRow> {
  process.stderr.write(`${name}\n`)
  collectGarbage()
  const puts: number[] = []
  let done = false
  async function produce(): Promise<void> {
    do {
      const started = performance.now()
      await inbox.put(next())
      puts.push(performance.now() - started)
      await delay(PAUSE_MS)
    } while (!done)
  }
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const producing = produce()
  await delay(20)
  const started = performance.now()
  await work()
  const milliseconds = performance.now() - started
  done = true
  await producing
  loop.disable()
  const [p50, p99, max] = quantiles(puts, [0.5, 0.99, 1]) as [number, number, number]
  return {
    name,
    milliseconds,
    put: { p50, p99, max },
    loop: { p99: loop.percentile(99) / 1e6, max: loop.max / 1e6 },
  }
}

function toTable(rows: readonly PruneRow[]): Table<PruneRow> {
  return {
    title: `A put every ${PAUSE_MS} ms, meanwhile`,
    columns: {
      'at the same time': ({ name }) => name,
      'took, ms': ({ milliseconds }) => milliseconds.toFixed(0),
      'a put: p50, ms': ({ put }) => put.p50.toFixed(2),
      'p99, ms': ({ put }) => put.p99.toFixed(1),
      'longest, ms': ({ put }) => put.max.toFixed(1),
      'event loop late: p99, ms': ({ loop }) => loop.p99.toFixed(1),
      'most, ms': ({ loop }) => loop.max.toFixed(1),
    },
    rows,
  }
}
