import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { InboxPlace } from '../../test/contracts/open-inbox.ts'
import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { type CrashRecord, findUnhandled, readCrashJournal } from './crash-journal.ts'
import { startCrashProcess } from './crash-process.ts'
import { placesOf, startEngines } from './engines.ts'

const ROUNDS = flags.rounds ?? (flags.quick ? 3 : 100)
/** The longest time from the start of the work to the kill. */
const RUN_MS = 600
/**
 * Every second one of the last notifications of a round is sent again in the next one, as some were not
 * acknowledged. The others are not, as sending a lost notification again would hide the loss.
 */
const AGAIN = 100
/**
 * After this time without progress, nothing more will be handled: the slowest engine recovers leases in 20 s.
 */
const STALL_MS = 60_000

interface CrashRow {
  readonly engine: string
  readonly rounds: number
  readonly acknowledged: number
  readonly handled: number
  readonly handledTwice: number
  readonly lost: number
  readonly duplicates: number
  readonly storedTwice: number
  readonly rejected: number
  readonly dead: number
}

await using engines = await startEngines()
const folder = engines.newFolder()

const rows: Promise<CrashRow>[] = []
for (const [, newPlace] of placesOf(engines)) {
  const place = newPlace()
  const journal = join(folder, `${place.engine}.journal`)
  writeFileSync(journal, '')
  for (let round = 0; round < ROUNDS; round++) {
    process.stderr.write(`${place.engine}: round ${round + 1} of ${ROUNDS}\r`)
    await runRound(place, journal, round)
  }
  process.stderr.write('\n')
  // The next engine need not wait until this one has recovered the leases of crashed processes.
  rows.push(drain(place, journal))
}
const results = await Promise.all(rows)
printReport([
  {
    title: 'Receiver and worker killed under load',
    columns: {
      engine: ({ engine }: CrashRow) => engine,
      rounds: ({ rounds }) => String(rounds),
      acknowledged: ({ acknowledged }) => String(acknowledged),
      handled: ({ handled }) => String(handled),
      'handled twice': ({ handledTwice }) => String(handledTwice),
      lost: ({ lost }) => String(lost),
      'acknowledged as duplicates': ({ duplicates }) => String(duplicates),
      'duplicates stored': ({ storedTwice }) => String(storedTwice),
      rejected: ({ rejected }) => String(rejected),
      dead: ({ dead }) => String(dead),
    },
    rows: results,
  },
])
// Without acknowledged notifications, nothing was tested.
const isGood = ({ acknowledged, lost, storedTwice }: CrashRow) =>
  acknowledged > 0 && lost === 0 && storedTwice === 0
if (!results.every(isGood)) process.exitCode = 1

/** Both processes start together, and each is killed at its own time. */
async function runRound(place: InboxPlace, journal: string, round: number): Promise<void> {
  const { lastSent } = readCrashJournal(journal, round - 1)
  const again = lastSent.slice(-AGAIN).filter((_id, at) => at % 2 === 0)
  await Promise.all(
    (['receiver', 'worker'] as const).map(async (role) => {
      const child = startCrashProcess({ place, role, journal, round, again })
      // In every fifth round, the kill does not wait until the process has started.
      if (round % 5 < 4) await child.atWork()
      await delay(Math.random() * RUN_MS)
      await child.kill()
    }),
  )
}

/** Starts a last worker, which handles what is left. */
async function drain(place: InboxPlace, journal: string): Promise<CrashRow> {
  const worker = startCrashProcess({ place, role: 'worker', journal, round: ROUNDS, again: [] })
  let record = readCrashJournal(journal, ROUNDS)
  let handledAt = performance.now()
  while (findUnhandled(record).length > 0 && performance.now() - handledAt < STALL_MS) {
    process.stderr.write(`${place.engine}: ${findUnhandled(record).length} left to be handled\n`)
    await delay(1000)
    const before = record.handled.size
    record = readCrashJournal(journal, ROUNDS)
    if (record.handled.size > before) handledAt = performance.now()
  }
  await worker.kill()
  return toRow(place.engine, record)
}

function toRow(engine: string, record: CrashRecord): CrashRow {
  const { acknowledged, handled, duplicates, storedTwice, rejected, dead } = record
  return {
    engine,
    rounds: ROUNDS,
    acknowledged: acknowledged.size,
    handled: [...acknowledged].filter((id) => handled.has(id)).length,
    handledTwice: [...handled.values()].filter((times) => times > 1).length,
    lost: findUnhandled(record).length,
    duplicates,
    storedTwice: storedTwice.size,
    rejected,
    dead,
  }
}
