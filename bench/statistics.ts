/** The middle of the values, and the range that holds the middle half of them. */
export interface Summary {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}

export function median(values: readonly number[]): number {
  return summarize(values).median
}

/** The values at some shares, from 0 to 1, of their order. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return shares.map((share) => quantile(sorted, share))
}

/** Compares round with round, so that what slows the whole machine down for a while falls out. */
export function compare(values: readonly number[], base: readonly number[]): Summary {
  return summarize(values.map((value, round) => value / (base[round] as number)))
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] as number
  const above = sorted[Math.ceil(at)] as number
  return below + (above - below) * (at - Math.floor(at))
}
