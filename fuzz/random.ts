/** Pseudorandom numbers that a seed repeats (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer from 0 to `count - 1`. */
  const below = (count: number) => Math.floor(next() * count)
  return { below, pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value }
}

export type Random = ReturnType<typeof createRandom>
