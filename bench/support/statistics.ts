/** The median of the values, and the range of the middle half. */
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

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The quantiles of the values, at shares from 0 to 1. */
export function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return shares.map((share) => quantile(sorted, share))
}

/** Compares the same rounds, so that a temporary slowdown of the machine cancels out. */
export function compare(values: readonly number[], base: readonly number[]): Summary {
  return summarize(values.map((value, round) => value / (base[round] as number)))
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] as number
  const above = sorted[Math.ceil(at)] as number
  return below + (above - below) * (at - Math.floor(at))
}
