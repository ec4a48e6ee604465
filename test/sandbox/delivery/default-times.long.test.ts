import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox, receiver } from '../open-sandbox.ts'
import { subscribe } from '../service/http-calls.ts'

describe('attempts', () => {
  it('are five seconds apart and have ten seconds by default', async () => {
    const failing = await receiver((response) => response.writeHead(500).end())
    const silent = await receiver(() => {})
    const sandbox = await createSandbox()
    onTestFinished(() => sandbox.close())
    await subscribe(sandbox, 'VBA_TRANSACTION', failing.url)
    await subscribe(sandbox, 'VBA_ACCOUNT_STATUS_UPDATED', silent.url)
    const timedOut = new Promise<number>((resolve) => {
      sandbox.onDelivery(({ kind, attempts: [first] }) => {
        if (kind === 'VBA_ACCOUNT_STATUS_UPDATED') resolve(first?.durationMs ?? 0)
      })
    })
    const unanswered = sandbox.trigger('VBA_ACCOUNT_STATUS_UPDATED')
    const [delivery] = await sandbox.trigger('VBA_TRANSACTION')
    const [first = 0, second = 0, third = 0] = failing.arrivals.map(({ at }) => at)
    expect(delivery?.attempts).toHaveLength(3)
    for (const wait of [second - first, third - second]) expect(wait).toBeGreaterThanOrEqual(4_950)
    expect(await timedOut).toBeGreaterThanOrEqual(9_950)
    await sandbox.close()
    expect((await unanswered)[0]?.state).toBe('cancelled')
  })
})
