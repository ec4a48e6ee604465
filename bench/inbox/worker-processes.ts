import { startInboxProcess } from '../../test/contracts/inbox-child.ts'
import { type InboxPlace, openInbox } from '../../test/contracts/open-inbox.ts'
import { createNotificationSource } from '../support/distinct-notifications.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { inOrderOf, takeTurns } from '../support/interleave.ts'
import { emphasize, type Table, toRange } from '../support/report.ts'
import { compare, type Summary, summarize } from '../support/statistics.ts'
import { type Engines, placesOf } from './engines.ts'
import { putMany } from './put-load.ts'

const ROUNDS = roundsOf(3, 1)
/** Large enough that no process has handled all of it before the last one has begun. */
const backlogOf = ({ engine }: InboxPlace) => (engine === 'sqlite' ? 20_000 : 5_000) / (flags.quick ? 4 : 1)

interface ProcessRow {
  readonly name: string
  readonly processes: number
  readonly perSecond: Summary
  readonly toOne: Summary
  readonly toOff: Summary
}

/** How fast several processes handle one backlog with distinct subjects. Each reports to this process. */
export async function measureProcesses(engines: Engines): Promise<Table<ProcessRow>> {
  const results = placesOf(engines).flatMap(([name, newPlace]) =>
    [1, 2, 4].map((processes) => ({ name, newPlace, processes, on: [] as number[], off: [] as number[] })),
  )
  await takeTurns('worker processes', ROUNDS, results, async ({ newPlace, processes, on, off }, round) => {
    for (const oneAtATime of inOrderOf(round, [true, false]))
      (oneAtATime ? on : off).push(await workThrough(newPlace(), processes, oneAtATime))
  })
  const one = (wanted: string) =>
    results.find(({ name, processes }) => name === wanted && processes === 1)?.on ?? []
  return {
    title: 'A backlog with distinct subjects, worked through by several processes, 10 at once in each',
    columns: {
      inbox: ({ name }) => emphasize(name),
      processes: ({ processes }) => String(processes),
      'handled per second': ({ perSecond }) => perSecond.median.toFixed(0),
      'to one process': ({ toOne }) => toOne.median.toFixed(2),
      'to `oneAtATime: false`': ({ toOff }) => toOff.median.toFixed(2),
      'middle half of the rounds': ({ toOff }) => toRange(toOff),
    },
    rows: results.map(({ name, processes, on, off }) => ({
      name,
      processes,
      perSecond: summarize(on),
      toOne: compare(on, one(name)),
      toOff: compare(on, off),
    })),
  }
}

/** @returns notifications per second, from when all processes have started */
async function workThrough(place: InboxPlace, processes: number, oneAtATime: boolean): Promise<number> {
  await using inbox = await openInbox(place, { oneAtATime })
  const backlog = backlogOf(place)
  await putMany(inbox, 50, backlog, createNotificationSource())
  const all = Promise.withResolvers<number>()
  const begun = new Set<number>()
  let handled = 0
  let before = 0
  let started = 0
  const workers = Array.from({ length: processes }, (_, worker) =>
    startInboxProcess({ place, role: 'worker', handler: 'succeed', options: { oneAtATime } }, (message) => {
      if ('handling' in message && begun.size < processes && begun.add(worker).size === processes) {
        started = performance.now()
        before = handled
      }
      if (!('handled' in message) || ++handled < backlog) return
      if (started === 0) all.reject(new Error('The backlog was too small for so many processes.'))
      else all.resolve(((backlog - before) * 1000) / (performance.now() - started))
    }),
  )
  const perSecond = await all.promise
  await Promise.all(workers.map((worker) => worker.kill()))
  return perSecond
}
