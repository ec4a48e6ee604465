import { join } from 'node:path'
import { createSqliteInbox } from '../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { createNotificationSource, type NotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { collectGarbage, takeTurns } from '../support/interleave.ts'
import { type Table, toRange } from '../support/report.ts'
import { compare, median, type Summary } from '../support/statistics.ts'
import { putFor, putMany } from './put-load.ts'
import { storeOf } from './stores/payhook-inbox.ts'
import type { Store } from './stores/store.ts'

const WINDOW_SECONDS = 120
const PRODUCERS = [1, 50] as const
const pace = flags.quick
  ? { rounds: 3, milliseconds: 100, sizes: [1_000, 20_000] }
  : { rounds: roundsOf(15, 3), milliseconds: 250, sizes: [1_000, 100_000, 500_000] }

/** An inbox with a number of deliveries in its window, and its results by the number of producers. */
interface Measured {
  readonly size: number
  readonly store: Store
  readonly perSecond: Readonly<Record<(typeof PRODUCERS)[number], number[]>>
}

interface WindowRow {
  readonly size: number
  readonly perSecond: Readonly<Record<(typeof PRODUCERS)[number], { ratio: Summary; median: number }>>
}

/** Notifications stored per second in SQLite, with more and more deliveries in the deduplication window. */
export async function measureWindow(newFolder: () => string): Promise<Table<WindowRow>> {
  const next = createNotificationSource()
  const results: Measured[] = []
  try {
    for (const size of [0, ...pace.sizes]) {
      process.stderr.write(`filling a window with ${size}\n`)
      results.push({ size, store: await openFull(newFolder(), size, next), perSecond: { 1: [], 50: [] } })
    }
    await takeTurns('windows', pace.rounds, results, async ({ store, perSecond }) => {
      collectGarbage({ type: 'minor' })
      for (const producers of PRODUCERS) {
        perSecond[producers].push((await putFor(store, producers, pace.milliseconds, next)).perSecond)
      }
    })
  } finally {
    for (const { store } of results) await store.close()
  }
  return toTable(results)
}

/** How often the window is filled, so that it slides far from its start, which shows the cost of deletion. */
const TURNOVER = 1.8

/**
 * Opens an inbox with a full window. Its clock advances with each notification, so that one delivery leaves the
 * window for each new one, as under steady load.
 */
async function openFull(folder: string, size: number, next: NotificationSource): Promise<Store> {
  const started = Date.now()
  let puts = 0
  const inbox = createSqliteInbox({
    path: join(folder, 'inbox.db'),
    dedupeSeconds: size === 0 ? 0 : WINDOW_SECONDS,
    now: () => started + (size === 0 ? 0 : Math.floor((puts * WINDOW_SECONDS * 1000) / size)),
  })
  const store = storeOf(inbox)
  const counted: Store = {
    ...store,
    put(notification) {
      puts++
      return store.put(notification)
    },
  }
  const rawBody = Buffer.from('{}')
  await putMany(counted, Math.min(size, 1000), size * TURNOVER, () => ({ ...next(), rawBody }))
  return counted
}

function toTable(results: readonly Measured[]): Table<WindowRow> {
  const [base] = results as [Measured]
  const summary = ({ perSecond }: Measured, producers: (typeof PRODUCERS)[number]) => ({
    ratio: compare(perSecond[producers], base.perSecond[producers]),
    median: median(perSecond[producers]),
  })
  return {
    title: `As the window for duplicates fills, payhook SQLite`,
    columns: {
      'deliveries in the window': ({ size }) => (size === 0 ? 'no window' : size.toLocaleString('en')),
      '1 producer': ({ perSecond }) => perSecond[1].ratio.median.toFixed(2),
      'its middle half': ({ perSecond }) => toRange(perSecond[1].ratio),
      'a second': ({ perSecond }) => perSecond[1].median.toFixed(0),
      '50 producers': ({ perSecond }) => perSecond[50].ratio.median.toFixed(2),
      'their middle half': ({ perSecond }) => toRange(perSecond[50].ratio),
      'all per second': ({ perSecond }) => perSecond[50].median.toFixed(0),
    },
    rows: results.map((measured) => ({
      size: measured.size,
      perSecond: { 1: summary(measured, 1), 50: summary(measured, 50) },
    })),
  }
}
