import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, type Summary, summarize } from '../support/statistics.ts'
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
