import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until the value is truthy, and returns it: every 10 ms, less often if it takes long, as queries cost
 * time. Fails with the last value after `limitMs`.
 */
export async function waitFor<Answer>(
  ask: () => Answer | Promise<Answer>,
  limitMs = 280_000,
): Promise<NonNullable<Answer>> {
  const start = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    const elapsedMs = Date.now() - start
    if (elapsedMs > limitMs) throw new Error(`still ${String(answer)} after ${limitMs} ms: ${ask}`)
    await delay(Math.min(Math.max(10, elapsedMs / 10), 200))
  }
}
