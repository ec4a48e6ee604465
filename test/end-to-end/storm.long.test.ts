import { expect, it } from 'vitest'
import { bullmq } from '../adapters/inbox/bullmq/under-test.ts'
import { postgres } from '../adapters/inbox/postgres/under-test.ts'
import { sqlite } from '../adapters/inbox/sqlite/under-test.ts'
import type { EngineUnderTest } from '../contracts/engine-under-test.ts'
import { describeWithService, POSTGRES, REDIS } from '../contracts/service.ts'
import { type StormOptions, storm } from './storm.ts'

const PAYMENTS = 60

async function runStorm({ createStore }: EngineUnderTest, handler: StormOptions['handler']) {
  const store = await createStore()
  try {
    return await storm({
      ...{ place: store.place, handler, payments: PAYMENTS },
      ...{ maxDelayMs: 500, overMs: 2_000, dedupeSeconds: 1 },
      rounds: 3,
      untilKill: async () => {},
    })
  } finally {
    await store.dispose()
  }
}

await describeWithService('a storm', [POSTGRES, REDIS], () => {
  it.for([sqlite, bullmq, postgres])(
    'leaves what is true, and each payment once in the ledger: $name',
    async (engine) => {
      const result = await runStorm(engine, 'current')
      expect(result).toMatchObject({ right: PAYMENTS, once: PAYMENTS, dead: 0 })
      expect(result.turnedAway).toBeGreaterThan(0)
    },
  )

  it('leaves something wrong if the handler trusts the notification', async () => {
    const { right, once } = await runStorm(sqlite, 'trusting')
    expect(right).toBeLessThan(PAYMENTS)
    expect(once).toBeLessThan(PAYMENTS)
  })
})
