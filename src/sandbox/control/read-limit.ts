import { invalid } from './control-error.ts'

/** The largest number of records in a list. Default: all. */
export function readLimit(limit: string | undefined): number | undefined {
  if (!limit) return undefined
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalid('"limit" must be a positive integer')
  return Number(limit)
}
