import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags } from '../support/flags.ts'
import { emphasize, printReport, type Table } from '../support/report.ts'
import { median, quantiles } from '../support/statistics.ts'
import { placesOf, startEngines } from './engines.ts'
import { putMany } from './put-load.ts'

const SIZES = flags.quick ? [0, 10_000] : [0, 10_000, 1_000_000]
const CALLS = flags.quick ? 10 : 100
/** Between two calls, for the event loop. */
const PAUSE_MS = 10
/** How late a quiet event loop is, in this process. */
const IDLE_MS = 1_000

interface HealthRow {
  readonly name: string
  readonly waiting: number
  /** How many wait by its own account: an engine may count to a limit, or estimate. */
  readonly counted: number | null
  /** In milliseconds. */
  readonly took: { readonly median: number; readonly p99: number }
  /** The time that a call takes of this process's processor, in milliseconds. */
  readonly processor: number
  /** How late the event loop was at most, in milliseconds. */
  readonly late: number
  readonly lateBefore: number
  /** The time of `counts()`, in milliseconds. */
  readonly counts: number
}

/** What `health()` costs in front of a backlog. */
async function measureHealth(name: string, inbox: Inbox): Promise<HealthRow[]> {
  const next = createNotificationSource()
  const rawBody = Buffer.from('{}')
  const rows: HealthRow[] = []
  let stored = 0
  for (const waiting of SIZES) {
    process.stderr.write(`${name}: ${waiting} waiting\n`)
    await putMany(inbox, Math.min(waiting, 500), waiting - stored, () => ({ ...next(), rawBody }))
    stored = waiting
    rows.push({ name, waiting, ...(await measureAt(inbox)) })
  }
  return rows
}

async function measureAt(inbox: Inbox): Promise<Omit<HealthRow, 'name' | 'waiting'>> {
  const lateBefore = await measureLate(() => delay(IDLE_MS))
  const times: number[] = []
  const used: number[] = []
  let counted: number | null = null
  const late = await measureLate(async () => {
    for (let call = 0; call < CALLS; call++) {
      const [started, before] = [performance.now(), process.cpuUsage()]
      const health = await inbox.health()
      times.push(performance.now() - started)
      const { user, system } = process.cpuUsage(before)
      used.push((user + system) / 1_000)
      if (health.status === 'fail') throw new Error(health.problems[0]?.message)
      counted = health.waiting.count
      await delay(PAUSE_MS)
    }
  })
  const counts: number[] = []
  for (let call = 0; call < 5; call++) {
    const started = performance.now()
    await inbox.counts()
    counts.push(performance.now() - started)
  }
  const [p50, p99] = quantiles(times, [0.5, 0.99]) as [number, number]
  return {
    counted,
    took: { median: p50, p99 },
    processor: median(used),
    late,
    lateBefore,
    counts: median(counts),
  }
}

async function measureLate(work: () => Promise<unknown>): Promise<number> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  await work()
  loop.disable()
  return loop.max / 1e6
}

function toTable(rows: readonly HealthRow[]): Table<HealthRow> {
  return {
    title: 'health() in front of a backlog',
    columns: {
      inbox: ({ name }) => emphasize(name),
      'entries that wait': ({ waiting }) => waiting.toLocaleString('en'),
      'it says': ({ counted }) => counted?.toLocaleString('en') ?? '-',
      'health(), ms': ({ took }) => took.median.toFixed(2),
      'p99, ms': ({ took }) => took.p99.toFixed(1),
      'of the processor, ms': ({ processor }) => processor.toFixed(2),
      'event loop late at most, ms': ({ late }) => late.toFixed(1),
      'without it, ms': ({ lateBefore }) => lateBefore.toFixed(1),
      'counts(), ms': ({ counts }) => counts.toFixed(1),
    },
    rows,
  }
}

await using engines = await startEngines()
const rows: HealthRow[] = []
for (const [name, newPlace] of placesOf(engines)) {
  await using inbox = await openInbox(newPlace())
  rows.push(...(await measureHealth(name, inbox)))
}
printReport([toTable(rows)])
