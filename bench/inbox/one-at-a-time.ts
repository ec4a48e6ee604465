import { setTimeout as delay } from 'node:timers/promises'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { inOrderOf, takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { handleMany, putMany } from './put-load.ts'

const PRODUCERS = 50
const HOT = 'payment:1'
/** As a handler that waits for a database. */
const SLOW_MS = 10
/** Far from the others. */
const HOT_START = 500_000_000

interface SubjectsRow {
  readonly name: string
  readonly concurrency: number
  readonly handlerMs: number
  readonly perSecond: Summary
  readonly toOff: Summary
}

/** What `oneAtATime` costs if every notification has its own subject. */
export async function measureDistinctSubjects(engines: Engines): Promise<Table<SubjectsRow>> {
  const count = flags.quick ? 500 : 10_000
  const loads = [
    { concurrency: 10, handlerMs: 0, others: count },
    { concurrency: 50, handlerMs: 0, others: count },
    { concurrency: 10, handlerMs: SLOW_MS, others: count / 5 },
  ]
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    loads.map((load) => ({
      name,
      ...load,
      ways: [true, false].map((oneAtATime) => ({
        drain: () => drain(newPlace(), { ...load, oneAtATime, hot: 0 }),
        perSecond: [] as number[],
      })),
    })),
  )
  await takeTurns('distinct subjects', roundsOf(5, 1), results, async ({ ways }, round) => {
    // Next to each other, as the machine has its moods.
    for (const { drain, perSecond } of inOrderOf(round, ways)) perSecond.push((await drain()).perSecond)
  })
  return {
    title: 'A backlog with distinct subjects: one at a time, to `oneAtATime: false`',
    columns: {
      inbox: ({ name }) => emphasize(name),
      concurrency: ({ concurrency }) => String(concurrency),
      'a handler takes': ({ handlerMs }) => `${handlerMs} ms`,
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'to off': ({ toOff }) => toOff.median.toFixed(2),
      'middle half of the rounds': ({ toOff }) => toRange(toOff),
    },
    rows: results.map(({ name, concurrency, handlerMs, ways: [on, off] }) => ({
      name,
      concurrency,
      handlerMs,
      perSecond: summarize(on?.perSecond ?? []),
      toOff: compare(on?.perSecond ?? [], off?.perSecond ?? []),
    })),
  }
}

interface HotRow {
  readonly name: string
  readonly handlerMs: number
  readonly perSecond: Summary
  readonly toAlone: Summary
  readonly hotMeanwhile: Summary
}

/** What a subject with many notifications takes from the others. */
export async function measureHotSubject(engines: Engines): Promise<Table<HotRow>> {
  const count = flags.quick ? 500 : 10_000
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    [0, SLOW_MS].map((handlerMs) => ({
      name,
      handlerMs,
      meanwhile: [] as number[],
      ways: [0, count].map((hot) => ({
        hot,
        drain: () => drain(newPlace(), { oneAtATime: true, concurrency: 10, handlerMs, others: count, hot }),
        perSecond: [] as number[],
      })),
    })),
  )
  await takeTurns('a hot subject', roundsOf(3, 1), results, async ({ meanwhile, ways }, round) => {
    for (const { hot, drain, perSecond } of inOrderOf(round, ways)) {
      const drained = await drain()
      perSecond.push(drained.perSecond)
      if (hot > 0) meanwhile.push(drained.hotMeanwhile)
    }
  })
  const number = count.toLocaleString('en')
  return {
    title: `${number} with distinct subjects beside ${number} of one subject, 10 at once`,
    columns: {
      inbox: ({ name }) => emphasize(name),
      'a handler takes': ({ handlerMs }) => `${handlerMs} ms`,
      'the others per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'to without the one subject': ({ toAlone }) => toAlone.median.toFixed(2),
      'middle half of the rounds': ({ toAlone }) => toRange(toAlone),
      'of the one subject meanwhile': ({ hotMeanwhile }) => hotMeanwhile.median.toFixed(0),
    },
    rows: results.map(({ name, handlerMs, meanwhile, ways: [alone, beside] }) => ({
      name,
      handlerMs,
      perSecond: summarize(beside?.perSecond ?? []),
      toAlone: compare(beside?.perSecond ?? [], alone?.perSecond ?? []),
      hotMeanwhile: summarize(meanwhile),
    })),
  }
}

interface OneSubjectRow {
  readonly name: string
  readonly size: number
  readonly perSecond: Summary
}

/** How fast a backlog of one subject is handled: one after the other. */
export async function measureOneSubject(engines: Engines): Promise<Table<OneSubjectRow>> {
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    sizesOf(name).map((size) => ({ name, newPlace, size, perSecond: [] as number[] })),
  )
  for (const { name, newPlace, size, perSecond } of results) {
    process.stderr.write(`a backlog of one subject, ${name}, ${size}    \r`)
    const load = { oneAtATime: true, concurrency: 10, handlerMs: 0, others: 0 }
    const drained = await drain(newPlace(), { ...load, hot: size })
    perSecond.push(drained.perSecond)
  }
  process.stderr.write('\n')
  return {
    title: 'A backlog of one subject, handled one at a time',
    columns: {
      inbox: ({ name }) => emphasize(name),
      backlog: ({ size }) => size.toLocaleString('en'),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
    },
    rows: results.map(({ name, size, perSecond }) => ({ name, size, perSecond: summarize(perSecond) })),
  }
}

/** Servers take a round trip for each. */
function sizesOf(name: string): number[] {
  if (flags.quick) return [100, 500]
  return name === 'payhook SQLite' ? [1_000, 10_000, 100_000] : [1_000, 10_000]
}

interface Backlog {
  readonly oneAtATime: boolean
  readonly concurrency: number
  readonly handlerMs: number
  /** How many notifications have a subject of their own. */
  readonly others: number
  /** How many have the same. */
  readonly hot: number
}

interface Drained {
  readonly perSecond: number
  /** How many of the one subject were handled until the last of the others was. */
  readonly hotMeanwhile: number
}

/** Handles a backlog in one process until the last of the others has been handled. */
async function drain(place: InboxPlace, backlog: Backlog): Promise<Drained> {
  const { oneAtATime, concurrency, handlerMs, others, hot } = backlog
  await using inbox = await openInbox(place, { oneAtATime, concurrency })
  const [nextOther, nextHot] = [createNotificationSource(), createNotificationSource(HOT_START, HOT)]
  let put = 0
  const isHot = () => hot > 0 && (others === 0 || put++ % 2 === 0)
  await putMany(inbox, PRODUCERS, others + hot, () => (isHot() ? nextHot() : nextOther()))
  let hotMeanwhile = 0
  const perSecond = await handleMany(inbox, others || hot, async ({ subject }) => {
    if (handlerMs > 0) await delay(handlerMs)
    const isCounted = others === 0 || subject !== HOT
    if (!isCounted) hotMeanwhile += 1
    return isCounted
  })
  return { perSecond, hotMeanwhile }
}
