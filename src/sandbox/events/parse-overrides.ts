import { ExactNumber } from '../../json/exact-number.ts'
import { isJsonObject, isPlainObject } from '../../json/json-value.ts'
import type { Overrides, SampleValue } from '../../testing/sample-data.ts'

/** Copies changes, so that later ones by the caller have no effect. */
export function parseOverrides(name: string, changes: unknown): Overrides {
  if (!isJsonObject(changes)) throw new TypeError(`"${name}" must be an object`)
  return copy(changes, name, true) as Overrides
}

/** @throws TypeError if it contains a value that is not JSON, with the path of that value */
export function parseData(name: string, data: unknown): SampleValue {
  return copy(data, name, false) as SampleValue
}

/** @param isChange whether `undefined` removes a field. It is invalid within an array. */
function copy(value: unknown, path: string, isChange: boolean): unknown {
  if (value === null || ['string', 'boolean', 'bigint'].includes(typeof value)) return value
  if (Number.isFinite(value) || value instanceof ExactNumber || (value === undefined && isChange))
    return value
  // Array.from makes holes visible, which map() skips.
  if (Array.isArray(value)) return Array.from(value, (one, index) => copy(one, `${path}[${index}]`, false))
  if (isPlainObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, copy(one, `${path}.${key}`, isChange)]),
    )
  const what = typeof value === 'object' ? value?.constructor?.name : typeof value
  throw new TypeError(
    `"${path}" must be JSON, not ${typeof value === 'number' || !value ? value : `a ${what}`}`,
  )
}
