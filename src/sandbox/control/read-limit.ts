import { invalid } from './control-error.ts'

/** How many records a list has at most; all of them unless the request says otherwise. */
export function readLimit(limit: string | undefined): number | undefined {
  if (!limit) return undefined
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw invalid('"limit" must be a positive integer')
  return Number(limit)
}
