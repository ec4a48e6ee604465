import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { handleMany, putMany } from './put-load.ts'
import { openGraphileBacklog } from './stores/graphile-worker.ts'
import { openBarePgBossBacklog } from './stores/pg-boss.ts'

const ROUNDS = roundsOf(5, 1)
const SIZES = flags.quick ? [300, 1_000] : [1_000, 5_000, 20_000]
/** What the other packages handle, too. */
const SHARED: readonly Load[] = [10, 50].map((concurrency) => ({ concurrency, size: SIZES[1] as number }))
const LOADS = [...SHARED.slice(0, 1), ...SIZES.map((size) => ({ concurrency: 50, size }))]

interface Load {
  /** How many are handled at once. */
  readonly concurrency: number
  readonly size: number
}

interface BacklogRow extends Load {
  readonly name: string
  readonly perSecond: Summary
  /** `undefined` if pg-boss has no such load. */
  readonly toBare: Summary | undefined
}

/** How fast one process handles a backlog, with handlers that do nothing. */
export async function measureBacklog(engines: Engines): Promise<Table<BacklogRow>> {
  const inboxes = placesOf(engines).flatMap(([name, newPlace]) =>
    LOADS.map((load) => toContestant(name, load, () => drain(newPlace(), load))),
  )
  const others = SHARED.flatMap((load) => {
    if (engines.postgres === undefined) return []
    const { connectionString, newSchema } = engines.postgres
    const drainWith = (open: typeof openBarePgBossBacklog | typeof openGraphileBacklog) => () =>
      drainBare(open, connectionString, newSchema(), load)
    return [
      toContestant('pg-boss `fetch(n)` and `complete(n)` in turn', load, drainWith(openBarePgBossBacklog)),
      toContestant('graphile-worker with its defaults', load, drainWith(openGraphileBacklog)),
    ]
  })
  const results = [...others, ...inboxes]
  await takeTurns('working through a backlog', ROUNDS, results, async ({ drain, perSecond }) => {
    perSecond.push(await drain())
  })
  return {
    title: 'A backlog, worked through in one process',
    columns: {
      inbox: ({ name }) => emphasize(name),
      concurrency: ({ concurrency }) => String(concurrency),
      backlog: ({ size }) => size.toLocaleString('en'),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'middle half of the rounds': ({ perSecond }) => toRange(perSecond, 0),
      'to pg-boss': ({ toBare }) => toBare?.median.toFixed(2) ?? '',
      'its middle half': ({ toBare }) => (toBare === undefined ? '' : toRange(toBare)),
    },
    rows: results.map(({ name, concurrency, size, perSecond }) => {
      const bare = others.find((each) => each.concurrency === concurrency && each.size === size)
      const toBare = bare && compare(perSecond, bare.perSecond)
      return { name, concurrency, size, perSecond: summarize(perSecond), toBare }
    }),
  }
}

function toContestant(name: string, load: Load, drain: () => Promise<number>) {
  return { name, ...load, drain, perSecond: [] as number[] }
}

/** @returns notifications per second */
async function drain(place: InboxPlace, { concurrency, size }: Load): Promise<number> {
  await using inbox = await openInbox(place, { concurrency })
  await putMany(inbox, 200, size, createNotificationSource())
  return await handleMany(inbox, size)
}

async function drainBare(
  open: typeof openBarePgBossBacklog | typeof openGraphileBacklog,
  connectionString: string,
  schema: string,
  { concurrency, size }: Load,
): Promise<number> {
  const bare = await open(connectionString, schema, Array.from({ length: size }, createNotificationSource()))
  const started = performance.now()
  await bare.handle(concurrency)
  const took = performance.now() - started
  await bare.close()
  return (size * 1000) / took
}
