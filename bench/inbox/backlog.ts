import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, quantiles, type Summary, summarize } from '../support/statistics.ts'
import type { Engines } from './engines.ts'
import { handleMany, putMany } from './put-load.ts'
import { openGraphileBacklog } from './stores/graphile-worker.ts'
import { openBarePgBossBacklog } from './stores/pg-boss.ts'

const ROUNDS = roundsOf(5, 1)
const BACKLOG = flags.quick ? 1_000 : 5_000

interface DrainRow {
  readonly name: string
  readonly concurrency: number
  readonly perSecond: Summary
  readonly toBare: Summary
}

/** How fast one process handles a backlog, with handlers that do nothing. */
export async function measureBacklog(engines: Engines): Promise<Table<DrainRow>[]> {
  if (engines.postgres === undefined) return []
  const { connectionString, newSchema } = engines.postgres
  const results = [10, 50].flatMap((concurrency) => [
    {
      name: 'pg-boss `fetch(n)` and `complete(n)` in turn',
      concurrency,
      drain: () => drainBare(openBarePgBossBacklog, connectionString, newSchema(), concurrency),
      perSecond: [] as number[],
    },
    {
      name: 'graphile-worker with its defaults',
      concurrency,
      drain: () => drainBare(openGraphileBacklog, connectionString, newSchema(), concurrency),
      perSecond: [] as number[],
    },
    {
      name: 'payhook PostgreSQL',
      concurrency,
      drain: () => drain({ engine: 'postgres', connectionString, schema: newSchema() }, concurrency),
      perSecond: [] as number[],
    },
  ])
  await takeTurns('working through a backlog', ROUNDS, results, async ({ drain, perSecond }) => {
    perSecond.push(await drain())
  })
  const bareOf = (wanted: number) => results.find(({ concurrency }) => concurrency === wanted)?.perSecond
  return [
    {
      title: `A backlog of ${BACKLOG}, worked through in one process`,
      columns: {
        inbox: ({ name }) => emphasize(name),
        concurrency: ({ concurrency }) => String(concurrency),
        'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
        'to pg-boss': ({ toBare }) => toBare.median.toFixed(2),
        'middle half of the rounds': ({ toBare }) => toRange(toBare),
      },
      rows: results.map(({ name, concurrency, perSecond }) => ({
        name,
        concurrency,
        perSecond: summarize(perSecond),
        toBare: compare(perSecond, bareOf(concurrency) ?? []),
      })),
    },
  ]
}

async function drain(place: InboxPlace, concurrency: number): Promise<number> {
  await using inbox = await openInbox(place, { concurrency })
  await putMany(inbox, 50, BACKLOG, createNotificationSource())
  return await handleMany(inbox, BACKLOG)
}

async function drainBare(
  open: typeof openBarePgBossBacklog | typeof openGraphileBacklog,
  connectionString: string,
  schema: string,
  concurrency: number,
): Promise<number> {
  const notifications = Array.from({ length: BACKLOG }, createNotificationSource())
  const bare = await open(connectionString, schema, notifications)
  const started = performance.now()
  await bare.handle(concurrency)
  const took = performance.now() - started
  await bare.close()
  return (BACKLOG * 1000) / took
}

interface PutRow {
  readonly concurrency: number | undefined
  readonly p50: Summary
  readonly ratio: Summary
  readonly p99: Summary
}

/** How long a put takes, with and without a backlog that the same process handles. */
export async function measurePutsBeside(engines: Engines): Promise<Table<PutRow>[]> {
  if (engines.postgres === undefined) return []
  const { connectionString, newSchema } = engines.postgres
  const newPlace = () => ({ engine: 'postgres', connectionString, schema: newSchema() }) as const
  const results = [undefined, 10, 50, 200].map((concurrency) => ({
    concurrency,
    p50: [] as number[],
    p99: [] as number[],
  }))
  await takeTurns('puts beside a backlog', ROUNDS, results, async ({ concurrency, p50, p99 }) => {
    const [middle, late] = quantiles(await putBeside(newPlace(), concurrency), [0.5, 0.99])
    p50.push(middle as number)
    p99.push(late as number)
  })
  const alone = results[0]?.p50 ?? []
  return [
    {
      title: `A put after the other while a backlog of ${BACKLOG} is worked through, payhook PostgreSQL`,
      columns: {
        'concurrency of the worker': ({ concurrency }) => String(concurrency ?? 'no backlog'),
        'p50, ms': ({ p50 }) => p50.median.toFixed(2),
        'to no backlog': ({ ratio }) => ratio.median.toFixed(2),
        'middle half of the rounds': ({ ratio }) => toRange(ratio),
        'p99, ms': ({ p99 }) => p99.median.toFixed(2),
      },
      rows: results.map(({ concurrency, p50, p99 }) => ({
        concurrency,
        p50: summarize(p50),
        ratio: compare(p50, alone),
        p99: summarize(p99),
      })),
    },
  ]
}

/** @returns the time of each put, in milliseconds */
async function putBeside(place: InboxPlace, concurrency: number | undefined): Promise<number[]> {
  await using inbox = await openInbox(place, { concurrency: concurrency ?? 10 })
  const next = createNotificationSource()
  const backlog = concurrency === undefined ? 0 : BACKLOG
  await putMany(inbox, 50, backlog, next)
  let left = backlog
  await inbox.start({ handle: async () => void left--, dead: async () => {}, failed: console.error })
  const latencies: number[] = []
  while (left > 0 || (backlog === 0 && latencies.length < 500)) {
    const at = performance.now()
    await inbox.put(next())
    latencies.push(performance.now() - at)
  }
  return latencies
}
