import { setTimeout as delay } from 'node:timers/promises'

/**
 * Asks again and again until the answer is truthy, and returns it; fails with the last answer after `limitMs`.
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
