/**
 * How long to wait after an attempt, in milliseconds: twice as long each time, with up to half of it left off
 * at random, so that what failed together does not come back together.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoff(attempt: number, firstMs: number, maxMs: number, random = Math.random): number {
  const longest = Math.min(firstMs * 2 ** (attempt - 1), maxMs)
  return Math.round(longest - (random() * longest) / 2)
}
