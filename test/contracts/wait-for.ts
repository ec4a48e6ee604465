import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until the value is truthy, and returns it. Fails with the last value after `limitMs`.
 */
export async function waitFor<Answer>(
  ask: () => Answer | Promise<Answer>,
  limitMs = 150_000,
): Promise<NonNullable<Answer>> {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`still ${String(answer)} after ${limitMs} ms: ${ask}`)
    await delay(10)
  }
}
