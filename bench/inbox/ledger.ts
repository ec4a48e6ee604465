// Kills two workers every second while twelve payments change 500 times each. Fails unless the ledger that they
// write has each change once, and no two notifications of a payment were handled at the same time.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLedger, type LedgerRecord } from '../../test/end-to-end/ledger.ts'
import { writeThroughCrashes } from '../../test/end-to-end/ledger-crashes.ts'
import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import { placesOf, startEngines } from './engines.ts'

const ROUNDS = flags.rounds ?? (flags.quick ? 3 : 30)
const ROUND_MS = 1_000
const PAYMENTS = 12
const CHANGES = flags.quick ? 50 : 500
/** So that the work lasts as long as the rounds. */
const SLOW_MS = 40

interface LedgerRow extends LedgerRecord {
  readonly engine: string
  readonly dead: number
  readonly seconds: number
}

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
await using engines = await startEngines()
const rows: LedgerRow[] = []
const runs = placesOf(engines).flatMap(([, newPlace]) => {
  const receipt = { place: newPlace(), completedBy: 'receipt' as const }
  return receipt.place.engine === 'postgres'
    ? [receipt, { place: newPlace(), completedBy: 'inbox' as const }]
    : [receipt]
})
for (const { place, completedBy } of runs) {
  const ledger = await createLedger(connectionString, `payhook_ledger_${randomUUID().replaceAll('-', '')}`)
  const started = performance.now()
  try {
    const result = await writeThroughCrashes(ledger, place, {
      payments: PAYMENTS,
      changes: CHANGES,
      rounds: ROUNDS,
      slowMs: SLOW_MS,
      completedBy,
      async untilKill(round) {
        process.stderr.write(`${place.engine}: round ${round + 1} of ${ROUNDS}\r`)
        await delay(ROUND_MS)
      },
    })
    process.stderr.write('\n')
    rows.push({
      engine: `${place.engine}, by ${completedBy}`,
      ...result,
      seconds: (performance.now() - started) / 1_000,
    })
  } finally {
    await ledger.dispose()
  }
}
printReport([
  {
    title: `A ledger of ${PAYMENTS * CHANGES} changes, two workers killed ${ROUNDS} times`,
    columns: {
      engine: ({ engine }: LedgerRow) => engine,
      'in the ledger': ({ changes }) => String(changes),
      'more than once': ({ twice }) => String(twice),
      'two of a payment at once': ({ overlaps }) => String(overlaps),
      attempts: ({ attempts }) => String(attempts),
      'skipped, as committed': ({ skipped }) => String(skipped),
      dead: ({ dead }) => String(dead),
      seconds: ({ seconds }) => seconds.toFixed(0),
    },
    rows,
  },
])
// If nothing was cut off, before its commit or after it, nothing was tested.
const isGood = ({ changes, twice, overlaps, attempts, skipped }: LedgerRow) =>
  changes === PAYMENTS * CHANGES && twice === 0 && overlaps === 0 && attempts + skipped > changes
if (!rows.every(isGood)) process.exitCode = 1
