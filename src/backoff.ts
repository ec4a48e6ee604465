/**
 * The delay after a failed attempt, in milliseconds: exponential backoff, minus up to half of it at random, so
 * that simultaneous failures are not retried at the same moment.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoff(attempt: number, firstMs: number, maxMs: number, random = Math.random): number {
  const longest = Math.min(firstMs * 2 ** (attempt - 1), maxMs)
  return Math.round(longest - (random() * longest) / 2)
}
