import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { handleMany, putMany } from './put-load.ts'

const PRODUCERS = 200
const CONCURRENCY = 50
const SIZES = flags.quick ? [300, 1_000] : [1_000, 5_000, 20_000]
const ROUNDS = roundsOf(3, 1)

interface BacklogGrowthRow {
  readonly name: string
  readonly size: number
  readonly perSecond: Summary
}

/** How fast one process handles backlogs of growing size, with handlers that do nothing. */
export async function measureBacklogGrowth(engines: Engines): Promise<Table<BacklogGrowthRow>> {
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    SIZES.map((size) => ({ name, newPlace, size, perSecond: [] as number[] })),
  )
  await takeTurns('growing backlogs', ROUNDS, results, async ({ newPlace, size, perSecond }) => {
    perSecond.push(await drain(newPlace(), size))
  })
  return {
    title: `As the backlog grows: handled per second by one process, ${CONCURRENCY} at once`,
    columns: {
      inbox: ({ name }) => emphasize(name),
      backlog: ({ size }) => size.toLocaleString('en'),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'middle half of the rounds': ({ perSecond }) => toRange(perSecond, 0),
    },
    rows: results.map(({ name, size, perSecond }) => ({ name, size, perSecond: summarize(perSecond) })),
  }
}

/** @returns notifications per second */
async function drain(place: InboxPlace, size: number): Promise<number> {
  await using inbox = await openInbox(place, { concurrency: CONCURRENCY })
  await putMany(inbox, PRODUCERS, size, createNotificationSource())
  return await handleMany(inbox, size)
}
