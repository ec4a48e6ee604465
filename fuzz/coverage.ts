const MAX_BLOCKS = 1 << 16

/** How often each block of the instrumented code ran. */
export const hits = new Uint32Array(MAX_BLOCKS)

/** How many counters a comparison has: for each magnitude of the difference of two numbers. */
export const COMPARISON_COUNTERS = 33

type Comparison = (counter: number, a: number, b: number) => boolean

/** Comparisons that count how far a number is from the other, so that an input that gets closer is kept. */
export const compare: Readonly<Record<string, Comparison>> = {
  '<': (counter, a, b) => countDifference(counter, a, b) && a < b,
  '<=': (counter, a, b) => countDifference(counter, a, b) && a <= b,
  '>': (counter, a, b) => countDifference(counter, a, b) && a > b,
  '>=': (counter, a, b) => countDifference(counter, a, b) && a >= b,
}

function countDifference(counter: number, a: number, b: number): true {
  // Text is compared, too.
  if (typeof a !== 'number' || typeof b !== 'number') return true
  const at = counter + 32 - Math.clz32(Math.abs(a - b))
  hits[at] = (hits[at] as number) + 1
  return true
}

/**
 * A bit for each range of counts in which a block has been seen: 1, 2, 3, 4–7, 8–15, 16–31, 32–127, 128 or
 * more.
 */
export type Coverage = Uint8Array

export function createCoverage(): Coverage {
  return new Uint8Array(MAX_BLOCKS)
}

const SMALL_COUNTS = [0, 1, 2, 4] as const

function rangeOf(count: number): number {
  if (count < 4) return SMALL_COUNTS[count as 0 | 1 | 2 | 3]
  if (count >= 128) return 128
  if (count >= 32) return 64
  return count >= 16 ? 32 : count >= 8 ? 16 : 8
}

/** What one run covered. */
export interface RunCoverage {
  /** Pairs of a block and a range of counts that were not covered before. */
  readonly added: number
  /** Blocks executed, with repetitions. */
  readonly steps: number
}

/** Adds what ran since the last call to a coverage. */
export function collectHits(coverage: Coverage, blocks: number): RunCoverage {
  let added = 0
  let steps = 0
  for (let block = 0; block < blocks; block++) {
    const count = hits[block] as number
    if (count === 0) continue
    hits[block] = 0
    steps += count
    const range = rangeOf(count)
    const before = coverage[block] as number
    if ((before & range) !== 0) continue
    coverage[block] = before | range
    added++
  }
  return { added, steps }
}
