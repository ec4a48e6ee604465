import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags } from '../support/flags.ts'
import { inOrderOf } from '../support/interleave.ts'
import { emphasize, type Table } from '../support/report.ts'
import { type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { putMany } from './put-load.ts'

const PRODUCERS = 200
const CONCURRENCY = 50
const SIZES = flags.quick ? [300, 1_000] : [1_000, 5_000, 20_000]
const ROUNDS = flags.quick ? 1 : 3

export interface BacklogGrowthRow {
  readonly name: string
  readonly size: number
  readonly perSecond: Summary
}

/** How fast one process handles backlogs of growing size, with handlers that do nothing. */
export async function measureBacklogGrowth(engines: Engines): Promise<Table<BacklogGrowthRow>> {
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    SIZES.map((size) => ({ name, newPlace, size, perSecond: [] as number[] })),
  )
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, newPlace, size, perSecond } of inOrderOf(round, results)) {
      process.stderr.write(`backlog of ${size}, ${name}, round ${round + 1} of ${ROUNDS}    \r`)
      perSecond.push(await drain(newPlace(), size))
    }
  }
  process.stderr.write('\n')
  return {
    title: `As the backlog grows: handled per second by one process, ${CONCURRENCY} at once`,
    columns: {
      inbox: ({ name }) => emphasize(name),
      backlog: ({ size }) => size.toLocaleString('en'),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'middle half of the rounds': ({ perSecond }) =>
        `${perSecond.low.toFixed(0)} to ${perSecond.high.toFixed(0)}`,
    },
    rows: results.map(({ name, size, perSecond }) => ({ name, size, perSecond: summarize(perSecond) })),
  }
}

/** @returns notifications per second */
async function drain(place: InboxPlace, size: number): Promise<number> {
  const inbox = await openInbox(place, { concurrency: CONCURRENCY })
  try {
    await putMany(inbox, PRODUCERS, size, createNotificationSource())
    const all = Promise.withResolvers<void>()
    let handled = 0
    const started = performance.now()
    await inbox.start({
      async handle() {
        if (++handled === size) all.resolve()
      },
      dead: async ({ error }) => all.reject(new Error(`A notification is dead: ${error}`)),
      failed: all.reject,
    })
    await all.promise
    return (size * 1000) / (performance.now() - started)
  } finally {
    await inbox.close()
  }
}
