import { randomUUID } from 'node:crypto'
import type { SignedNotification } from '../../src/index.ts'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { roundsOf } from '../support/flags.ts'
import { takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { putMany } from './put-load.ts'
import { createBareWorker } from './stores/bullmq.ts'

const PRODUCERS = 50
const CONCURRENCIES = [10, 50] as const
const ROUNDS = roundsOf(5, 1)

export interface HandlingContestant {
  readonly name: string
  readonly concurrency: number
  /** The number of notifications in a round. */
  readonly count: number
  readonly open: (
    concurrency: number,
    handle: () => void,
    fail: (error: unknown) => void,
  ) => Promise<HandlingStore>
}

/** A store that calls `handle` for each notification. */
export interface HandlingStore {
  put(notification: SignedNotification): Promise<unknown>
  close(): Promise<void>
}

interface HandlingRow {
  readonly name: string
  readonly concurrency: number
  /** Notifications put and handled per second. */
  readonly perSecond: Summary
}

/** From the first put to the end of the last handler, in one process. The handlers do nothing. */
export async function measureHandling(engines: Engines): Promise<Table<HandlingRow>> {
  const results = createHandlingContestants(engines).map((contestant) => ({
    contestant,
    perSecond: [] as number[],
  }))
  await takeTurns('handling', ROUNDS, results, async ({ contestant, perSecond }) => {
    perSecond.push(await handleAll(contestant))
  })
  return {
    title: `Put by ${PRODUCERS} producers and handled in the same process`,
    columns: {
      inbox: ({ name }) => emphasize(name),
      concurrency: ({ concurrency }) => String(concurrency),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'middle half of the rounds': ({ perSecond }) => toRange(perSecond, 0),
    },
    rows: results.map(({ contestant: { name, concurrency }, perSecond }) => ({
      name,
      concurrency,
      perSecond: summarize(perSecond),
    })),
  }
}

export function createHandlingContestants(engines: Engines): HandlingContestant[] {
  const inboxes = placesOf(engines).flatMap(([name, newPlace]): Omit<HandlingContestant, 'concurrency'>[] => {
    const own = { name, count: name === 'payhook SQLite' ? 10_000 : 5_000, open: opener(newPlace) }
    if (name !== 'payhook BullMQ' || engines.redis === undefined) return [own]
    const { host, port } = engines.redis.everysec
    return [
      {
        name: 'BullMQ `add` with deduplication and a `Worker`, appendfsync everysec',
        count: own.count,
        open: (concurrency, handle) => createBareWorker({ host, port }, randomUUID(), concurrency, handle),
      },
      { ...own, name: 'payhook BullMQ, appendfsync everysec' },
    ]
  })
  return inboxes.flatMap((inbox) => CONCURRENCIES.map((concurrency) => ({ ...inbox, concurrency })))
}

function opener(newPlace: () => InboxPlace): HandlingContestant['open'] {
  return async (concurrency, handle, fail) => {
    const inbox = await openInbox(newPlace(), { concurrency })
    await inbox.start({
      handle: async () => handle(),
      dead: async ({ error }) => fail(new Error(`A notification is dead: ${error}`)),
      failed: fail,
    })
    return inbox
  }
}

/** @returns notifications per second */
export async function handleAll({ concurrency, count, open }: HandlingContestant): Promise<number> {
  const all = Promise.withResolvers<void>()
  let handled = 0
  const handleOne = () => {
    if (++handled === count) all.resolve()
  }
  const store = await open(concurrency, handleOne, all.reject)
  try {
    const started = performance.now()
    await Promise.all([putMany(store, PRODUCERS, count, createNotificationSource()), all.promise])
    return (count * 1000) / (performance.now() - started)
  } finally {
    await store.close()
  }
}
