import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { bullmq } from '../adapters/inbox/bullmq/under-test.ts'
import { postgres } from '../adapters/inbox/postgres/under-test.ts'
import { sqlite } from '../adapters/inbox/sqlite/under-test.ts'
import type { EngineUnderTest } from '../contracts/engine-under-test.ts'
import { describeWithService, POSTGRES, REDIS } from '../contracts/service.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { createLedger } from './ledger.ts'
import { writeThroughCrashes } from './ledger-crashes.ts'

// For a long run: LEDGER_ROUNDS=30 npm run test:long -- test/end-to-end/ledger.long.test.ts
const ROUNDS = Number(process.env.LEDGER_ROUNDS ?? 3)
const PAYMENTS = 12
/** So that the work lasts as long as the rounds. */
const CHANGES = 7 * ROUNDS

function itWritesOnce(engine: EngineUnderTest, completedBy: 'receipt' | 'inbox'): void {
  it.concurrent(`writes each change once, one of a payment at a time, though workers crash: ${engine.name}, by ${completedBy}`, {
    timeout: 100_000 * ROUNDS,
  }, async () => {
    const store = await engine.createStore()
    const ledger = await createLedger(POSTGRES.href, `payhook_ledger_${randomUUID().replaceAll('-', '')}`)
    try {
      let before = 0
      const result = await writeThroughCrashes(ledger, store.place, {
        payments: PAYMENTS,
        changes: CHANGES,
        rounds: ROUNDS,
        // Long enough that a kill always hits some.
        slowMs: 150,
        completedBy,
        async untilKill() {
          before = await waitFor(async () => {
            const changes = await ledger.changes()
            return changes >= Math.min(before + 10, PAYMENTS * CHANGES) ? changes : undefined
          })
        },
      })
      expect(result).toEqual({
        changes: PAYMENTS * CHANGES,
        twice: 0,
        attempts: expect.any(Number),
        overlaps: 0,
        skipped: expect.any(Number),
        waiting: 0,
        active: 0,
        completed: PAYMENTS * CHANGES,
        dead: 0,
      })
      // Some were cut off, before their commit or after it. Otherwise nothing was tested.
      expect(result.attempts + result.skipped).toBeGreaterThan(PAYMENTS * CHANGES)
    } finally {
      await Promise.all([ledger.dispose(), store.dispose()])
    }
  })
}

await describeWithService('a ledger in PostgreSQL', [POSTGRES, REDIS], () => {
  for (const engine of [sqlite, bullmq, postgres]) itWritesOnce(engine, 'receipt')
  itWritesOnce(postgres, 'inbox')
})
