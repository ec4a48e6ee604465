// 1,000 payments go through five statuses while their notifications are doubled, reordered, delayed, captured and sent
// again, the API turns reads away, and two workers are killed every second. Compares what the application has in the
// end with what the service says: with the handler of the README, and with one that trusts the notification. Times are
// a tenth of what they may be in production, where a notification may be late by 30 seconds.

import { setTimeout as delay } from 'node:timers/promises'
import { type StormOptions, type StormResult, storm } from '../../test/end-to-end/storm.ts'
import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { placesOf, startEngines } from './engines.ts'

const PAYMENTS = flags.quick ? 100 : 1_000
const ROUNDS = flags.rounds ?? (flags.quick ? 5 : 20)
const ROUND_MS = 1_000

interface StormRow extends StormResult {
  readonly name: string
  readonly handler: StormOptions['handler']
  readonly seconds: number
}

await using engines = await startEngines()
const rows: StormRow[] = []
for (const [engine, newPlace] of placesOf(engines)) {
  for (const handler of ['current', 'trusting'] as const) {
    const started = performance.now()
    const result = await storm({
      ...{ place: newPlace(), handler, payments: PAYMENTS, rounds: ROUNDS },
      maxDelayMs: 3_000,
      overMs: ROUNDS * ROUND_MS,
      dedupeSeconds: 1,
      async untilKill(round) {
        process.stderr.write(`${engine}, ${handler}: round ${round + 1} of ${ROUNDS}\r`)
        await delay(ROUND_MS)
      },
    })
    process.stderr.write('\n')
    rows.push({
      name: `${engine}, ${handler}`,
      handler,
      ...result,
      seconds: (performance.now() - started) / 1_000,
    })
  }
}
printReport([
  {
    title: `${PAYMENTS} payments in a storm, two workers killed ${ROUNDS} times`,
    columns: {
      'inbox, handler': ({ name }: StormRow) => name,
      'right in the table': ({ right }) => String(right),
      'once in the ledger': ({ once }) => String(once),
      notifications: ({ notifications }) => String(notifications),
      'captured and sent again': ({ captured }) => String(captured),
      'reads turned away': ({ turnedAway }) => String(turnedAway),
      dead: ({ dead }) => String(dead),
      seconds: ({ seconds }) => seconds.toFixed(0),
    },
    rows,
  },
])
// If what trusts the notification is right, too, nothing was tested.
const isGood = ({ handler, right, once, turnedAway }: StormRow) =>
  handler === 'current' ? right === PAYMENTS && once === PAYMENTS && turnedAway > 0 : right < PAYMENTS
if (!rows.every(isGood)) process.exitCode = 1
